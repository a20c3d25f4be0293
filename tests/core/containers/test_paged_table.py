"""Columns of numbers, in memory and on disk."""

from __future__ import annotations

import os
from itertools import count
from pathlib import Path

import numpy as np
import pytest

from evocrawl.core.containers.paged_table import PagedTable
from evocrawl.core.containers.spill_file import SpillFile
from evocrawl.core.errors import StateError


def table(spill: SpillFile, most_bytes: int) -> PagedTable:
    """Return a table with columns of several widths and types."""
    return PagedTable(
        spill, most_bytes, worth=("f4", 0, 0.5), links=("i4", 3, -1), is_open=("?", 0, 1),
        address=("u8", 0, 0),
    )  # fmt: skip


@pytest.mark.parametrize("most_bytes", [0, 1 << 16, 1 << 19, 1 << 30])
def test_rows_are_as_they_were_set(tmp_path: Path, most_bytes: int) -> None:
    """In memory and on disk, one or many at once; new rows have the declared values."""
    rows, rng = table(SpillFile(tmp_path), most_bytes), np.random.default_rng(0)
    model = np.zeros(0, "u8")
    for turn in count():
        at = rows.append(rows.fresh(int(rng.integers(1, 2000))))
        new = np.arange(at.start, at.stop)
        assert (rows.get("worth", new) == 0.5).all()
        assert (rows.take(new)["links"] == -1).all()
        assert rows.get("is_open", new[:1]).all()
        model = np.concatenate((model, np.zeros(len(new), "u8")))
        some = rng.permutation(len(rows))[:50]
        model[some] = rng.integers(1 << 60, size=len(some))
        rows.set("address", some, model[some])
        rows.set("links", some, some[:, None])
        one = int(some[0])
        rows.set_one("worth", one, rows.get_one("worth", one) + 1.0)
        assert rows.get_one("worth", one) >= 1.5
        assert (rows.get_one("links", one) == one).all()
        if turn % 5 == 0:
            assert (rows["address"] == model).all()
        assert (rows.copies(some)["address"] == model[some]).all()
        pairs = some.reshape(2, -1) if len(some) % 2 == 0 else some[None]
        assert (rows.take(pairs)["address"] == model[pairs]).all()
        assert rows.get("links", pairs).shape == (*pairs.shape, 3)
        if len(rows) >= 30_000:
            break
    assert (rows["address"] == model).all()
    assert len(rows._blocks.rows) * rows._new.itemsize <= max(most_bytes, 8 * 32 * 32)
    assert not [*tmp_path.iterdir()]


def test_the_file_is_not_read_while_all_rows_are_in_memory() -> None:
    """The table has no such row."""
    rows = table(SpillFile(Path("/proc/none")), 1 << 20)
    rows.append(rows.fresh(1000))
    assert rows._blocks.is_whole
    assert rows.get("worth", np.zeros((0, 2), int)).shape == (0, 2)


def test_copies_leave_the_rows_that_are_in_memory_there(tmp_path: Path) -> None:
    """Rows that are read once do not evict those in use, and changed rows are copied as changed."""
    rows = table(SpillFile(tmp_path), 1 << 12)
    at = rows.append(rows.fresh(3000))
    every = np.arange(at.start, at.stop)
    rows.set("address", every, every)
    rows.set("address", every[-3:], 7)
    before = rows._blocks._moved.copy()
    assert rows.copies(every)["address"].tolist() == [*range(2997), 7, 7, 7]
    assert rows.copies(every[:0]).shape == (0,)
    assert (rows._blocks._moved == before).all()


def test_a_table_without_a_file_stays_in_memory(tmp_path: Path) -> None:
    """The spill file records the failure; when there is room again, the row is on disk."""
    spill = SpillFile(Path("/proc/none"))
    rows = table(spill, 1 << 12)
    rows.append(rows.fresh(3000))
    rows.set("address", np.arange(3000), np.arange(3000))
    with pytest.raises(StateError, match="/proc/none"):
        spill.check()
    assert (rows["address"] == np.arange(3000)).all()
    spill.directory = tmp_path
    rows.append(rows.fresh(3000))
    assert not rows._blocks.is_whole
    assert (rows["address"][:3000] == np.arange(3000)).all()
    assert (rows["links"] == -1).all()


def test_a_full_disk_loses_no_row(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Rows that cannot be written stay in memory."""
    spill = SpillFile(tmp_path)
    rows = table(spill, 1 << 12)
    rows.append(rows.fresh(1000))
    rows.set("address", np.arange(1000), np.arange(1000))

    def full(*_: object) -> int:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as disk:
        disk.setattr("evocrawl.core.containers.paged_rows.os.pwrite", full)
        rows.set("worth", np.arange(1000), 2.0)
        rows.append(rows.fresh(500))
    with pytest.raises(StateError, match="No space left"):
        spill.check()
    assert (rows["worth"] == [2.0] * 1000 + [0.5] * 500).all()
    assert (rows["address"][:1000] == np.arange(1000)).all()


def test_a_file_that_has_lost_rows_is_an_error(tmp_path: Path) -> None:
    rows = table(SpillFile(tmp_path), 1 << 12)
    rows.append(rows.fresh(3000))
    assert len(rows["address"]) == len(rows["address"]) == 3000  # all blocks are written by now
    file = rows._blocks._file
    assert file is not None
    os.ftruncate(file, 0)
    with pytest.raises(StateError, match="too short"):
        rows["address"]


@pytest.mark.parametrize("most_bytes", [0, 1 << 14, 1 << 30])
@pytest.mark.parametrize("count", [0, 1, 31, 32, 3000])
def test_frozen_rows_are_read_as_they_were(most_bytes: int, count: int) -> None:
    """While rows are changed and added, in memory and on disk."""
    rows, rng = table(SpillFile(), most_bytes), np.random.default_rng(count)
    rows.append(rows.fresh(count))
    rows.set("address", np.arange(count), rng.integers(1 << 60, size=count))
    before, read = rows.take(np.arange(count)), b""
    frozen = rows.freeze()
    for turn, piece in enumerate(frozen.pieces(5000)):
        read += piece
        rows.append(rows.fresh(40))
        some = rng.permutation(len(rows))[:60]
        rows.set("address", some, rng.integers(1 << 60, size=60)[: len(some)])
        rows.set_one("worth", int(some[0]), -1.0)
        rows.put(np.array([turn]), rows.fresh(1))
        rows.get("links", rng.permutation(len(rows))[:60])
    found = np.frombuffer(read, before.dtype)
    for name in before.dtype.names:
        assert (found[name] == before[name]).all()
    assert len(found) == count
    assert not frozen._kept


def test_a_table_is_frozen_for_one_reader_at_a_time() -> None:
    """The earlier one is not left with a part of the rows, and keeps no copies."""
    rows = table(SpillFile(), 0)
    rows.append(rows.fresh(1000))
    first = rows.freeze()
    pieces = first.pieces(4000)
    assert next(pieces)
    second = rows.freeze()
    rows.set("address", np.arange(1000), 7)
    with pytest.raises(ValueError, match="another reader"):
        next(pieces)
    assert not first._kept
    assert len(b"".join(second.pieces(4000))) == 1000 * rows.fresh(1).itemsize
