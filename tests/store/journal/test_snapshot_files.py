"""Records that have left memory are written once: a snapshot adds those that are new."""

from __future__ import annotations

import sqlite3
from weakref import WeakKeyDictionary

import pytest
from test_snapshot_form import Holder

from evocrawl.core.containers.spill_file import SpillFile
from evocrawl.store.journal.snapshot import snapshot
from evocrawl.store.journal.snapshot.graph import SnapshotError
from evocrawl.store.journal.snapshot.parts import SIZE, KeptFiles

RECORD = SIZE // 4


class Store:
    """A database with a snapshot, and the files of the process that writes and reads it."""

    def __init__(self) -> None:
        self.database = sqlite3.connect(":memory:", isolation_level=None)
        self.kept: KeptFiles = WeakKeyDictionary()

    def write(self, **held: object) -> int:
        """Write a snapshot; return its bytes."""
        return snapshot.write(self.database, 1, {"held": Holder(**held)}, _same, self.kept)

    def read(self, *, restarts: bool) -> Holder:
        """Read the snapshot in a new process, which goes on with the crawl if it `restarts`."""
        fresh = Holder(SpillFile(), SpillFile())
        kept: KeptFiles = WeakKeyDictionary()
        snapshot.read(self.database, {"held": fresh}, _same, kept)
        if restarts:
            self.kept = kept
        return fresh


def _same(payload: object) -> object:
    return payload


def fill(file: SpillFile, first: int, last: int) -> None:
    for number in range(first, last):
        file.put(bytes([number]) * RECORD)


def records(file: SpillFile) -> list[int]:
    """Return the numbers of the records, after a check of each byte."""
    found, address = [], 0
    while address < len(file):
        record = file.get(address)
        assert record == record[:1] * RECORD
        found.append(record[0])
        address += len(record) + 4
    return found


@pytest.mark.parametrize("restarts", [False, True])
def test_full_parts_stay_from_one_snapshot_to_the_next(restarts: bool) -> None:
    """In the process that goes on, and in one that has read the snapshot."""
    store, file = Store(), SpillFile()
    fill(file, 0, 10)
    assert store.write(value=file) > 10 * RECORD
    if restarts:
        file = store.read(restarts=True).value
    fill(file, 10, 13)
    assert store.write(value=file) < 8 * RECORD
    assert store.write(value=file) < 5 * RECORD
    assert records(store.read(restarts=False).value) == [*range(13)]


def test_another_file_takes_the_place_of_the_one_before() -> None:
    """Nothing of that is read, however long it was; nor is a file that has gone."""
    store, file, other = Store(), SpillFile(), SpillFile()
    fill(file, 0, 10)
    fill(other, 20, 26)
    store.write(value=file, other=other)
    fresh = store.read(restarts=False)
    assert (records(fresh.value), records(fresh.other)) == ([*range(10)], [*range(20, 26)])
    store.write(value=other, other=file)
    fresh = store.read(restarts=False)
    assert (records(fresh.value), records(fresh.other)) == ([*range(20, 26)], [*range(10)])
    store.write(value=other)
    assert records(store.read(restarts=False).value) == [*range(20, 26)]
    parts = "SELECT count(*), sum(length(data)) FROM snapshot WHERE part < 0"
    assert store.database.execute(parts).fetchone() == (1, SIZE)
    store.write(value=1)
    assert store.database.execute(parts).fetchone() == (0, None)


def test_a_snapshot_that_was_not_written_counts_for_nothing() -> None:
    """The next one writes what the database does not have."""
    store, file = Store(), SpillFile()
    fill(file, 0, 5)
    store.write(value=file)
    fill(file, 5, 13)
    store.database.execute("BEGIN")
    with pytest.raises(SnapshotError):
        store.write(value=file, other=iter("no value of a snapshot"))
    store.database.execute("ROLLBACK")
    assert records(store.read(restarts=False).value) == [*range(5)]
    store.write(value=file)
    assert records(store.read(restarts=False).value) == [*range(13)]


def test_a_damaged_part_that_stayed_is_found() -> None:
    """As any other part."""
    store, file = Store(), SpillFile()
    fill(file, 0, 10)
    store.write(value=file)
    store.write(value=file)
    store.database.execute(
        "UPDATE snapshot SET data = zeroblob(length(data)) WHERE part = "
        "(SELECT min(part) FROM snapshot)"
    )
    with pytest.raises(SnapshotError, match="is damaged"):
        store.read(restarts=False)
