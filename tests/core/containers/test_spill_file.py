"""The file for data that do not fit into memory."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest

from evocrawl.core.containers.spill_file import SpillFile
from evocrawl.core.errors import StateError
from evocrawl.core.model import Lead
from evocrawl.frontier import Frontier
from evocrawl.frontier.candidate_file import pack, unpack


def test_records_come_back_as_they_were(tmp_path: Path) -> None:
    """Short, long and empty ones, written to disk or not yet; the file has no name."""
    spill, rng = SpillFile(tmp_path), np.random.default_rng(0)
    records = [rng.bytes(int(size)) for size in rng.integers(0, 6000, size=300)] + [b"", b"end"]
    addresses = [spill.put(record) for record in records]
    assert [spill.get(address) for address in addresses] == records
    assert len(spill) > 300_000
    assert not [*tmp_path.iterdir()]


def test_a_small_crawl_writes_no_file(tmp_path: Path) -> None:
    """The file is made by the first write."""
    spill = SpillFile(tmp_path / "missing")
    assert spill.get(spill.put(b"record")) == b"record"


def test_the_file_is_closed_with_its_last_user(tmp_path: Path) -> None:
    """Before the end of the process."""
    before = {*os.listdir("/proc/self/fd")}
    spill = SpillFile(tmp_path)
    spill.put(bytes(300_000))
    assert {*os.listdir("/proc/self/fd")} != before
    del spill
    assert {*os.listdir("/proc/self/fd")} <= before


@pytest.mark.parametrize("directory", ["/dev/full-of-nothing", "/proc"])
def test_a_folder_that_cannot_be_written_is_a_clear_error(directory: str) -> None:
    """The error names the folder and the reason."""
    spill = SpillFile(Path(directory))
    frontier = Frontier(lambda _: False, 2, spill)
    for number in range(5000):
        frontier.push(lead(number), -number)
    with pytest.raises(StateError, match=f"{directory}: .* does not fit into memory"):
        spill.check()
    assert len(frontier) == 5000
    assert frontier.peek(lambda _: True) == lead(0)


def test_a_full_disk_is_a_clear_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No record is lost; when there is room again, writing continues."""
    spill, write = SpillFile(tmp_path), os.pwrite

    def fails(file: int, rest: memoryview, at: int) -> int:
        if at >= 200_000:
            raise OSError(28, "No space left on device")
        return write(file, rest[:100_000], at)

    monkeypatch.setattr(os, "pwrite", fails)
    spill.check()
    addresses = [spill.put(b"%d" % number * 50_000) for number in range(8)]
    with pytest.raises(StateError, match="No space left"):
        spill.check()
    assert [spill.get(each) for each in addresses] == [b"%d" % n * 50_000 for n in range(8)]
    monkeypatch.undo()
    addresses += [spill.put(b"%d" % number * 50_000) for number in (8, 9)]
    addresses += [spill.put(bytes(300_000))]
    spill.check()
    assert [spill.get(each) for each in addresses[:8]] == [b"%d" % n * 50_000 for n in range(8)]


def lead(number: int, features: object = None) -> Lead:
    """Return a link with a long address."""
    url = f"http://a.test/{'x' * 200}/{number}"
    return Lead(url, b"%012d" % number, "a.test", b"source", 1, 0.5, "anchor", None, features)


@pytest.mark.parametrize(
    "features",
    [None, 3, -1, 0.1, True, "words", b"bytes", (), (1, ("a", (0.5, None))), 2**63 - 1, "\ud800"],
)
def test_links_come_back_as_they_were(features: object) -> None:
    """With all values that a species may have added, and text with lone surrogates."""
    packed = pack(lead(1, features))
    assert packed is not None
    again = unpack(packed)
    assert again == lead(1, features)
    assert again.features == features
    assert type(again.features) is type(features)


@pytest.mark.parametrize("features", [[1], {"a": 1}, 2**63, (1, [2]), object(), np.float64(1.0)])
def test_a_value_that_packing_would_change_is_not_packed(features: object) -> None:
    """It stays in memory."""
    assert pack(lead(1, features)) is None
