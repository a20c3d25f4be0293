"""A snapshot is written step by step while the crawl goes on, and is of the moment it began."""

from __future__ import annotations

import logging
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from journeys import Journey, state_of
from replayed import EVERY_SPECIES
from test_snapshot_form import Holder
from test_snapshots import facts_of, rebuilt

from evocrawl.store.journal import snapshots
from evocrawl.store.journal.operations import Spent
from evocrawl.store.journal.snapshot import snapshot
from evocrawl.store.journal.snapshot.graph import SnapshotError
from evocrawl.store.journal.snapshot_steps import SnapshotSteps
from evocrawl.store.journal.sqlite_journal import SqliteJournal

Parts = list[tuple[int, int, bytes]]


class Stored:
    """A stored crawl that is about to take a snapshot."""

    def __init__(self, path: Path, species: str, *, earlier: bool = False) -> None:
        self.journal = SqliteJournal(path, {})
        self.journey = Journey(species, 3, self.journal)
        self.act(60)
        if earlier:
            self.journey.journaled.take_snapshot()
        self.act(60)
        self.journey.journaled.commit()

    @property
    def root(self) -> dict[str, object]:
        journaled = self.journey.journaled
        return journaled.snapshots.root(journaled.facts)

    def act(self, times: int) -> None:
        for _ in range(times):
            self.journey.act()

    def kill(self) -> None:
        self.journey.journaled.commit()
        self.journal.close()


def parts_of(database: sqlite3.Connection) -> Parts:
    with closing(database):
        return database.execute("SELECT * FROM snapshot ORDER BY part").fetchall()


def at_once(root: dict[str, object], entry: int) -> Parts:
    database = sqlite3.connect(":memory:", isolation_level=None)
    snapshot.write(database, entry, root, lambda payload: payload)
    return parts_of(database)


def count_of(root: dict[str, object]) -> int:
    """Return more than the steps of a snapshot, by very few."""
    database = sqlite3.connect(":memory:", isolation_level=None)
    new = snapshot.NewSnapshot(database, 1, root, lambda payload: payload)
    return len([*new.steps()]) + 9


def entries(path: Path) -> int:
    with closing(sqlite3.connect(path)) as database:
        return int(database.execute("SELECT max(seq) FROM ops").fetchone()[0])


@pytest.mark.parametrize("species", EVERY_SPECIES)
def test_a_snapshot_in_steps_is_the_one_written_at_once(species: str, tmp_path: Path) -> None:
    """Byte for byte; the crawl goes on between its steps."""
    path = tmp_path / "state.sqlite"
    crawl = Stored(path, species)
    began_at = entries(path)
    expected = at_once(crawl.root, began_at)
    steps, number = crawl.journal.begin_snapshot(crawl.root), 0
    while not steps.step(0.0):
        number += 1
        if number % 10 == 0:
            crawl.act(1)
    assert number > 60
    crawl.kill()
    assert entries(path) > began_at + 5
    assert parts_of(sqlite3.connect(path)) == expected


@pytest.mark.parametrize("species", ["best_first", "evo"])
@pytest.mark.parametrize("earlier", [False, True])
@pytest.mark.parametrize("share", [0.0, 0.1, 0.5, 0.9, 1.0])
def test_a_crawl_killed_in_the_middle_of_a_snapshot_continues(
    species: str, earlier: bool, share: float, tmp_path: Path
) -> None:
    """From the snapshot before, from the new one if it is complete, or from the first entry."""
    path = tmp_path / "state.sqlite"
    crawl = Stored(path, species, earlier=earlier)
    left = total = count_of(crawl.root)
    steps = crawl.journal.begin_snapshot(crawl.root)
    while left > (1.0 - share) * total and not steps.step(0.0):
        left -= 1
        if left % 20 == 0:
            crawl.act(1)
    crawl.act(20)
    crawl.kill()
    journey = crawl.journey
    journaled, past, events = rebuilt(path, species, 3)
    assert events == journey.events[-len(events) :]
    assert (len(events) == len(journey.events)) == (share < 1.0 and not earlier)
    assert state_of(journaled.population) == state_of(journey.population)
    assert facts_of(past) == facts_of(journey.journaled.facts)
    # The next one removes what was left.
    journal = SqliteJournal(path, {})
    root = journaled.snapshots.root(past)
    _complete(journal.begin_snapshot(root))
    journal.close()
    found, expected = parts_of(sqlite3.connect(path)), at_once(root, entries(path))
    assert len(found) == len(expected)
    assert sum(len(data) for *_, data in found) == pytest.approx(
        sum(len(data) for *_, data in expected), abs=50
    )


def test_a_value_that_is_refused_late_leaves_the_snapshot_before(tmp_path: Path) -> None:
    """Nothing else is left in the file, and the crawl goes on."""
    journal = SqliteJournal(tmp_path / "state.sqlite", {})
    journal.append(Spent(None))
    journal.commit()
    _complete(journal.begin_snapshot({"held": Holder([1])}))
    steps = journal.begin_snapshot({"held": Holder([b"x" * 9000 for _ in range(99)], {Holder: 2})})
    with pytest.raises(SnapshotError, match="keys are objects"):
        _complete(steps)
    journal.append(Spent(None))
    journal.commit()
    fresh = Holder([])
    assert journal.restore({"held": fresh}) == 1
    assert fresh.value == [1]
    journal.close()
    assert len(parts_of(sqlite3.connect(tmp_path / "state.sqlite"))) == 2


def test_a_crawl_takes_snapshots_while_it_goes_on(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """One at a time; the end of the run completes the one that was begun."""
    caplog.set_level(logging.INFO, "evocrawl")
    path = tmp_path / "state.sqlite"
    journey = Journey("best_first", 3, SqliteJournal(path, {}))
    snapshots = journey.journaled.snapshots
    snapshots.every_visits = 10
    begun_at = set[int]()
    for _ in range(200):
        journey.act()
        journey.journaled.flush()
        begun_at.add(snapshots.taken_at)
    journey.journaled.close()
    assert len(begun_at) > 1
    assert "store: took a snapshot after" in caplog.text
    journaled, past, events = rebuilt(path, "best_first", 3)
    assert len(events) < len(journey.events)
    assert state_of(journaled.population) == state_of(journey.population)
    assert facts_of(past) == facts_of(journey.journaled.facts)


@pytest.mark.parametrize(("acts", "is_new"), [(0, False), (60, True)])
def test_the_end_of_a_run_takes_a_later_snapshot_or_completes_the_one_that_was_begun(
    acts: int, is_new: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Never both: a resume reads the later one."""
    path = tmp_path / "state.sqlite"
    crawl = Stored(path, "best_first")
    journaled = crawl.journey.journaled
    journaled.snapshots.every_visits = 100
    monkeypatch.setattr(snapshots, "_AT_ONCE_S", 0.0)
    journaled.snapshots.begin(journaled.facts)
    assert journaled.snapshots.is_under_way
    begun_at = journaled.snapshots.taken_at
    crawl.act(acts)
    journaled.close()
    assert not journaled.snapshots.is_under_way
    assert (journaled.snapshots.taken_at > begun_at) == is_new
    again, past, events = rebuilt(path, "best_first", 3)
    assert events == []
    assert state_of(again.population) == state_of(crawl.journey.population)
    assert facts_of(past) == facts_of(journaled.facts)
    head = snapshot.head_of(sqlite3.connect(path))
    assert head is not None
    assert len(parts_of(sqlite3.connect(path))) == sum(count for _, count in head.places)


def _complete(steps: SnapshotSteps) -> None:
    while not steps.step(1.0):
        pass
