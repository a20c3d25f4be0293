"""Snapshots that are refused when they are read, before they change anything."""

from __future__ import annotations

import sqlite3
from typing import Any

import pytest
from test_snapshot_form import Holder

from evocrawl.store.journal.snapshot import snapshot
from evocrawl.store.journal.snapshot.graph import SnapshotError


@pytest.mark.parametrize(
    "harm",
    [
        "DELETE FROM snapshot WHERE part = 1",
        "UPDATE snapshot SET data = x'c0'",
        "UPDATE snapshot SET data = zeroblob(9) WHERE part = 1",
    ],
)
def test_a_damaged_snapshot_changes_nothing(harm: str) -> None:
    """The journal can be replayed instead."""
    database = sqlite3.connect(":memory:", isolation_level=None)
    snapshot.write(database, 7, {"held": Holder([1, 2])}, lambda payload: payload)
    database.execute(harm)
    fresh = Holder("untouched")
    with pytest.raises(SnapshotError):
        snapshot.read(database, {"held": fresh}, lambda payload: payload)
    assert fresh.value == "untouched"


def test_an_object_of_an_unknown_class_is_not_made() -> None:
    """A file cannot name any class."""
    database = sqlite3.connect(":memory:", isolation_level=None)
    snapshot.write(database, 7, {"held": [Holder(1)]}, lambda payload: payload)
    with pytest.raises(SnapshotError, match="is not known here"):
        snapshot.read(database, {"held": list[Any]()}, lambda payload: payload)


def test_a_snapshot_of_an_earlier_class_is_refused_by_the_attribute_that_it_lacks() -> None:
    """The object of the new code would keep a value of the crawl's beginning."""
    database = sqlite3.connect(":memory:", isolation_level=None)
    snapshot.write(database, 7, {"held": Holder([1])}, lambda payload: payload)
    fresh = Holder([])
    fresh.__dict__["waiting"] = [2]
    with pytest.raises(SnapshotError, match="Holder had no attribute 'waiting'"):
        snapshot.read(database, {"held": fresh}, lambda payload: payload)
    assert fresh.value == []


def test_a_file_without_a_snapshot_has_none() -> None:
    """Of a crawl that has taken none, or that was stopped while it took its first."""
    database = sqlite3.connect(":memory:", isolation_level=None)
    assert snapshot.read(database, {"held": Holder()}, lambda payload: payload) == 0
    size = snapshot.write(database, 7, {"held": Holder([1])}, lambda payload: payload)
    assert database.execute("SELECT sum(length(data)) FROM snapshot").fetchone() == (size,)
    database.execute("DELETE FROM snapshot")
    assert snapshot.read(database, {"held": Holder()}, lambda payload: payload) == 0
