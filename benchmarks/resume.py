"""Measures what a store takes as a crawl grows, and how long a resume takes.

    python benchmarks/resume.py [--species evo] [--pages 10000 100000] [--links 10] [--laid 1000000]

A bare population crawls generated pages of `--links` links, four of five of them to new addresses
(see `memory.py`), and writes an SQLite store. At each number of pages the store is measured by
table, a snapshot is taken, and a new population is rebuilt from it, and also by a replay of the
whole journal. Times are processor times of this process; the score of a page is drawn at random, so
that the figures are those of population and store. `--laid` adds so many pages at first to page
base and frontier, nine of ten without a visit (see `memory.py`); the tables of the store do not
have them, but the snapshot does, so that the resume of a very long crawl can be measured.
"""

from __future__ import annotations

import argparse
import sqlite3
import sys
import tempfile
from pathlib import Path
from time import process_time

import memory

from evocrawl.core.fetch import FetchDetails
from evocrawl.core.model import Cost, Fetched
from evocrawl.population.assembly import Assembly
from evocrawl.store.journal.host_limits import JournaledHostLimits
from evocrawl.store.journal.journal import Journal
from evocrawl.store.journal.journaled_population import JournaledPopulation
from evocrawl.store.journal.operations import RunStarted
from evocrawl.store.journal.replay import rebuild, replay
from evocrawl.store.journal.sqlite_journal import SqliteJournal

DATE = "2026-01-01T00:00:00.000+00:00"
HOST_LIMIT = (1, 0.0)
_COMMIT = 50
"""Visits in a commit: a crawl with as many requests under way commits them together."""
_FIRST = 200
"""Visits before pages are laid."""
TABLES = ("ops", "contents", "pages", "snapshot")


def journaled_of(assembly: Assembly, journal: Journal) -> JournaledPopulation:
    limits = JournaledHostLimits(lambda _: HOST_LIMIT, HOST_LIMIT)
    journaled = JournaledPopulation(assembly.population, limits, journal)
    journaled.snapshots.parts["ledger"] = assembly.ledger
    return journaled


def crawl(web: memory.Web, journaled: JournaledPopulation, visits: int) -> None:
    population = journaled.population
    for number in range(visits):
        visit = journaled.choose(0.0)
        if visit is None:
            raise RuntimeError(f"nothing to choose: {population.ended}")
        page = web.page(visit.lead.url, population.price(web.rng.random() ** 4))
        journaled.spend(visit.id)
        details = FetchDetails(visit.agent, visit.lead, fetched_at=DATE)
        journaled.settle(visit.id, Fetched(page, Cost()), details)
        if number % _COMMIT == 0:
            journaled.flush()
    journaled.commit()


def bytes_of(path: Path) -> dict[str, int]:
    """Return the bytes of each table and of its indexes."""
    with sqlite3.connect(path) as database:
        found = {
            name: database.execute(
                "SELECT sum(pgsize) FROM dbstat WHERE name IN "
                "(SELECT name FROM sqlite_master WHERE tbl_name = ?)", (name,)
            ).fetchone()[0] or 0
            for name in TABLES
        }  # fmt: skip
    database.close()
    return found


def measure(species: str, given: argparse.Namespace) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "state.sqlite"
        web = memory.Web()
        journal = SqliteJournal(path, {})
        assembly = memory.assembly_of(species)
        journaled = journaled_of(assembly, journal)
        journaled.snapshots.every_visits = given.every
        journaled.snapshots.compacts = given.compact
        journaled.begin(RunStarted(None, 1, HOST_LIMIT))
        journaled.place(web.seeds())
        done = 0
        if given.laid:
            began_s, done = process_time(), _FIRST
            crawl(web, journaled, done)
            memory.lay(web, assembly, given.laid * memory._NEW)
            took_s = process_time() - began_s
            print(f"laid {len(assembly.base)} pages in {took_s:.0f} s", file=sys.stderr)
        most_replayed = 0 if given.compact else given.replay_up_to
        for count in given.pages:
            began_s = process_time()
            visits = count - done
            crawl(web, journaled, visits)
            crawled_s, done = process_time() - began_s, count
            began_s = process_time()
            journaled.take_snapshot()
            taken_s = process_time() - began_s
            sizes = bytes_of(path)
            print(f"| {species} | {len(assembly.base)} | {web.known} | "
                  f"{1e3 * crawled_s / visits:.2f} | "
                  + " | ".join(f"{sizes[name] / count:.0f}" for name in TABLES)
                  + f" | {sizes['snapshot'] / web.known:.0f} | {taken_s:.1f} | "
                  f"{resumed(species, journal):.1f} | "
                  + (f"{replayed(species, journal):.0f}" if count <= most_replayed else "")
                  + " |", flush=True)  # fmt: skip
        journal.close()


def resumed(species: str, journal: SqliteJournal) -> float:
    journaled = journaled_of(memory.assembly_of(species), journal)
    began_s = process_time()
    rebuild(journal, journaled)
    return process_time() - began_s


def replayed(species: str, journal: SqliteJournal) -> float:
    journaled = journaled_of(memory.assembly_of(species), journal)
    began_s = process_time()
    replay(journal.ops(), journaled)
    return process_time() - began_s


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--species", nargs="+", default=["evo"])
    parser.add_argument("--pages", type=int, nargs="+", default=[10_000, 100_000])
    parser.add_argument("--links", type=int, default=10)
    parser.add_argument("--laid", type=int, default=0, help="pages before the first row")
    parser.add_argument("--replay-up-to", type=int, default=10_000)
    parser.add_argument("--compact", action="store_true", help="with a compact journal")
    parser.add_argument("--every", type=int, default=0, help="visits between further snapshots")
    given = parser.parse_args()
    memory._LINKS, memory._NEW = given.links, given.links * 4 // 5
    print("| species | pages | known URLs | ms a visit, with the web's "
          "| bytes a page: journal | contents | records | snapshot | bytes of it a known URL "
          "| s to take it | s to resume | s to replay |")  # fmt: skip
    print("| --- |" + " ---: |" * 11, flush=True)
    for species in given.species:
        measure(species, given)


if __name__ == "__main__":
    main()
