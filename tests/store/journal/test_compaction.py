"""A compact journal: what a snapshot replaces is removed, and nothing else is lost."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from journeys import Journey, new_population, state_of
from sqlite_states import ABOUT, landed, page
from test_snapshots import facts_of, rebuilt

from evocrawl.core.errors import StateError
from evocrawl.store.archive import Archive
from evocrawl.store.journal.earlier_requests import NoRequests
from evocrawl.store.journal.journaled_population import JournaledPopulation
from evocrawl.store.journal.operations import Spent
from evocrawl.store.journal.replay import rebuild
from evocrawl.store.journal.sqlite_journal import SqliteJournal


def compact_crawl(path: Path, species: str) -> Journey:
    """Make a crawl with two compactions, and entries after the second; commit them."""
    journal = SqliteJournal(path, {})
    journey = Journey(species, 3, journal)
    journey.journaled.snapshots.compacts = True
    for acts in (70, 70, 40):
        for _ in range(acts):
            journey.act()
        if acts == 70:
            journey.journaled.take_snapshot()
    journey.journaled.commit()
    journal.close()
    return journey


def compacted(journal: SqliteJournal, root: dict[str, object]) -> None:
    """Take a snapshot of `root`, and compact the journal."""
    steps = journal.begin_snapshot(root, compacts=True)
    while not steps.step(0.0):
        pass
    assert steps.size > 0


def numbers(path: Path) -> list[int]:
    with closing(sqlite3.connect(path)) as database:
        return [number for (number,) in database.execute("SELECT seq FROM ops ORDER BY seq")]


@pytest.mark.parametrize("species", ["best_first", "evo", "energy+infospiders"])
def test_a_crawl_continues_from_a_compact_journal(species: str, tmp_path: Path) -> None:
    """Its state and its later choices are those of the crawl without a stop."""
    path = tmp_path / "state.sqlite"
    journey = compact_crawl(path, species)
    kept = numbers(path)
    assert kept == [*range(kept[0], kept[-1] + 1)]
    assert 20 < kept[0] < kept[-1]
    journaled, past, _ = rebuilt(path, species, 3)
    assert state_of(journaled.population) == state_of(journey.population)
    assert facts_of(past) == facts_of(journey.journaled.facts)
    journal = SqliteJournal(path, {})
    assert journal.has_begun
    journal.append(Spent(None))
    journal.commit()
    journal.close()
    assert numbers(path) == [*kept, kept[-1] + 1]


def test_contents_stay_while_a_page_or_an_entry_has_them(tmp_path: Path) -> None:
    """A content that a later version has replaced goes with the entry that it belongs to."""
    path = tmp_path / "state.sqlite"
    journal = SqliteJournal(path, ABOUT)
    versions = [landed(page(text=f"reef {n}", version=b"%d" % n), n) for n in range(3)]
    for op in (*versions, landed(page("http://b.test/", "sand"), 3)):
        journal.append(op)
    journal.commit()
    compacted(journal, {"nothing": []})
    journal.append(landed(page("http://a.test/", "algae", b"7"), 4))
    journal.commit()
    journal.close()
    with Archive(path) as archive:
        assert {each.url: (each.text, each.visits) for each in archive.pages()} == {
            "http://a.test/": ("algae", 4), "http://b.test/": ("sand", 1)
        }  # fmt: skip
    journal = SqliteJournal(path, ABOUT)
    with closing(sqlite3.connect(path)) as database:
        assert database.execute("SELECT count(*) FROM contents").fetchone() == (3,)
        compacted(journal, {"nothing": []})
        assert database.execute("SELECT count(*) FROM contents").fetchone() == (2,)
        assert database.execute("SELECT count(*) FROM ops").fetchone() == (1,)
    journal.close()


@pytest.mark.parametrize("done", [*range(12)])
def test_a_crawl_killed_while_it_compacts_has_a_snapshot_and_what_follows_it(
    done: int, tmp_path: Path
) -> None:
    """Before the new snapshot is complete all entries are there; the next one removes the rest."""
    path = tmp_path / "state.sqlite"
    journal = SqliteJournal(path, ABOUT)
    for number in range(900):
        text = f"reef {number % 3}"
        journal.append(landed(page(f"http://a.test/{number % 2}", text, b"%d" % number), number))
    journal.commit()
    compacted(journal, {"held": [1]})
    for _ in range(900):
        journal.append(Spent(None))
    journal.append(landed(page("http://a.test/0", "sand", b"sand"), 900))
    journal.append(Spent(None))
    journal.commit()
    assert (numbers(path)[0], contents(path)) == (900, 3)
    steps = journal.begin_snapshot({"held": [2]}, compacts=True)
    while done and not steps.step(0.0):
        done -= 1
    journal.append(Spent(None))
    journal.commit()
    journal.close()
    held: list[int] = []
    journal = SqliteJournal(path, ABOUT)
    entry = journal.restore({"held": held})
    left = numbers(path)
    assert (entry, held) in ((900, [1]), (1802, [2]))
    assert left == [*range(left[0], 1804)]
    assert left[0] <= entry
    assert left[0] == 900 or entry == 1802
    with Archive(path) as archive:
        assert sorted(each.text for each in archive.pages()) == ["reef 2", "sand"]
    compacted(journal, {"held": [3]})
    journal.close()
    assert (numbers(path), contents(path)) == ([1803], 2)


def contents(path: Path) -> int:
    with closing(sqlite3.connect(path)) as database:
        return int(database.execute("SELECT count(*) FROM contents").fetchone()[0])


@pytest.mark.parametrize(
    ("harm", "problem"),
    [
        ("UPDATE snapshot SET data = x'c0'", "cannot be read"),
        ("DELETE FROM snapshot", "missing or too old"),
        ("DROP TABLE snapshot", "missing or too old"),
        ("DELETE FROM ops WHERE seq < (SELECT max(seq) FROM ops)", "missing or too old"),
    ],
)
def test_a_compact_crawl_without_its_snapshot_is_refused(
    harm: str, problem: str, tmp_path: Path
) -> None:
    """It is not begun again in the same file."""
    path = tmp_path / "state.sqlite"
    compact_crawl(path, "best_first")
    with closing(sqlite3.connect(path)) as database:
        database.execute(harm)
        database.commit()
    before = numbers(path)
    with pytest.raises(StateError, match=f"the journal is compact .*{problem}"):
        rebuilt(path, "best_first", 3)
    assert numbers(path) == before


def test_a_part_that_needs_each_request_refuses_a_compact_journal(tmp_path: Path) -> None:
    """A dupe filter of the project's own would not know earlier requests."""
    path = tmp_path / "state.sqlite"
    compact_crawl(path, "best_first")
    journal = SqliteJournal(path, {})
    population, limits, _ = new_population("best_first", 3)
    requests = NoRequests()
    requests.needs_all = True
    journaled = JournaledPopulation(population, limits, journal, requests=requests)
    with pytest.raises(StateError, match="DUPEFILTER_CLASS"):
        rebuild(journal, journaled)
    journal.close()
