"""Columns of numbers, in memory and on disk."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from evocrawl.errors import StateError
from evocrawl.spill import Spill
from evocrawl.tables import MappedTable


def table(spill: Spill, small: int) -> MappedTable:
    """Columns of several widths and types."""
    return MappedTable(
        spill, small, worth=("f4", 0, 0.5), links=("i4", 3, -1), is_open=("?", 0, 1),
        address=("u8", 0, 0),
    )  # fmt: skip


@pytest.mark.parametrize("small", [64, 1 << 20])
def test_rows_are_as_they_were_set(tmp_path: Path, small: int) -> None:
    """In memory and on disk, through growth and letting go of memory; new rows are as declared."""
    rows, rng = table(Spill(tmp_path), small), np.random.default_rng(0)
    model = np.zeros(0, "u8")
    while len(rows) < 90_000:
        new = rows.grow(int(rng.integers(1, 4000)))
        assert (rows["worth"][new] == 0.5).all()
        assert (rows["links"][new] == -1).all()
        assert rows["is_open"][new].all()
        model = np.concatenate((model, np.zeros(new.stop - new.start, "u8")))
        some = rng.integers(len(rows), size=50)
        model[some] = rng.integers(1 << 60, size=50)
        rows["address"][some] = model[some]
        rows["links"][some, 1] = some
        np.add.at(rows["worth"], some[:1], 1.0)
        rows._let_go()
        assert (rows["address"][: len(rows)] == model).all()
        assert (rows["links"][some, 1] == some).all()
    assert not [*tmp_path.iterdir()]


def test_where_the_file_cannot_grow_the_table_goes_on_in_memory(tmp_path: Path) -> None:
    """And the spill file tells of it; with room again it is on disk."""
    spill = Spill(tmp_path)
    rows = table(spill, 64)
    rows.grow(100)
    rows["address"][:100] = np.arange(100)
    assert rows._file is not None
    spill.directory = Path("/proc/none")
    rows._file = None
    rows.grow(100_000)
    with pytest.raises(StateError, match="/proc/none"):
        spill.check()
    assert (rows["address"][:100] == np.arange(100)).all()
    spill.directory = tmp_path
    rows.grow(100_000)
    assert rows._file is not None
    assert (rows["address"][:100] == np.arange(100)).all()
    assert (rows["links"][150:200_100] == -1).all()
