"""Measures what a store takes as a crawl grows, and how long a resume takes.

    python benchmarks/resume.py [--species evo] [--pages 10000 100000] [--links 10]
                                [--laid 1000000] [--known 10000000]

A bare population crawls generated pages of `--links` links, four of five of them to new addresses
(see `memory.py`), and writes an SQLite store. At each number of pages a snapshot is taken, the
store is measured by table, `--after` further pages are crawled, and a copy of the file is resumed
in a process of its own; with `--replay-up-to` also by a replay of the whole journal. The snapshot
is written while pages are crawled, and the longest of its steps is the longest time for which the
crawl waits. That is nearly always the first one, a copy of what is in memory, which is measured
again, the least of 25. Times are processor times, memory is the resident set of the process that
resumes; the score of a page is drawn at random, so that the figures are those of population and
store.

`--laid` first adds so many pages to page base and frontier, nine of ten without a visit (see
`memory.py`), so that the resume of a very long crawl can be measured. Those pages are in the store
as well: their entries in the journal, contents and records are written by the journal as those of
visits, but nothing replays these entries, since the snapshot comes after them. `--known` then adds
pages of 300 links until so many addresses are known.
"""

from __future__ import annotations

import argparse
import resource
import shutil
import sqlite3
import subprocess
import sys
import tempfile
from itertools import count
from pathlib import Path
from time import process_time

import memory

from evocrawl.core.fetch import FetchDetails
from evocrawl.core.model import Cost, Fetched, Lead, Page
from evocrawl.core.urls.identity import host_of
from evocrawl.population.assembly import Assembly
from evocrawl.store.journal.host_limits import JournaledHostLimits
from evocrawl.store.journal.journal import Journal
from evocrawl.store.journal.journaled_population import JournaledPopulation
from evocrawl.store.journal.operations import RunStarted, VisitSettled
from evocrawl.store.journal.replay import rebuild, replay
from evocrawl.store.journal.snapshot.frozen import FrozenGraph
from evocrawl.store.journal.sqlite_journal import SqliteJournal

DATE = "2026-01-01T00:00:00.000+00:00"
HOST_LIMIT = (1, 0.0)
_COMMIT = 50
"""Visits in a commit: a crawl with as many requests under way commits them together."""
_FIRST = 200
"""Visits before pages are laid."""
_MANY_LINKS = 300
_COPIES = 25
TABLES = ("ops", "contents", "pages", "snapshot")


class TimedJournal(SqliteJournal):
    """Notes how long it takes to read the snapshot."""

    restored_s = 0.0

    def restore(self, root: dict[str, object]) -> int:
        began_s = process_time()
        entry = super().restore(root)
        self.restored_s = process_time() - began_s
        return entry


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
        if (number + 1) % _COMMIT == 0:
            journaled.flush()
    journaled.commit()


def take_snapshot(web: memory.Web, journaled: JournaledPopulation) -> tuple[int, float, float]:
    """Take a snapshot while the crawl goes on.

    Return the visits meanwhile, the seconds of all its steps, and those of the longest.
    """
    journaled.commit()
    snapshots, visits, steps = journaled.snapshots, 0, list[float]()
    began_s = process_time()
    snapshots.begin(journaled.facts)
    steps.append(process_time() - began_s)
    while snapshots.is_under_way:
        crawl(web, journaled, 1)
        visits += 1
        began_s = process_time()
        snapshots.go_on()
        steps.append(process_time() - began_s)
    return visits, sum(steps), max(steps)


def copy_s(journaled: JournaledPopulation) -> float:
    """Return the seconds in which the first step copies what is in memory, the least of many."""
    found = list[float]()
    for _ in range(_COPIES):
        began_s = process_time()
        copy = FrozenGraph(journaled.snapshots.root(journaled.facts))
        found.append(process_time() - began_s)
        copy.close()
    return min(found)


class LaidPages:
    """Writes the pages that are laid to the store."""

    def __init__(self, journal: Journal) -> None:
        self._journal = journal
        self._numbers = count(1)

    def __call__(self, page: Page) -> None:
        number = next(self._numbers)
        lead = Lead(page.url, page.fingerprint, host_of(page.url), b"", 1, 0.0)
        details = FetchDetails(1, lead, fetched_at=DATE)
        self._journal.append(VisitSettled(-number, Fetched(page, Cost()), details))
        if number % _COMMIT == 0:
            self._journal.commit()


def lay(web: memory.Web, assembly: Assembly, journal: Journal, given: argparse.Namespace) -> None:
    began_s, note = process_time(), LaidPages(journal)
    memory.lay(web, assembly, given.laid * memory._NEW, note=note)
    memory.lay(web, assembly, given.known, _MANY_LINKS, note)
    journal.commit()
    took_s = process_time() - began_s
    print(f"laid {len(assembly.base)} pages in {took_s:.0f} s", file=sys.stderr)


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
    with tempfile.TemporaryDirectory(dir=given.folder) as folder:
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
        if given.laid or given.known:
            done = _FIRST
            crawl(web, journaled, done)
            lay(web, assembly, journal, given)
        most_replayed = 0 if given.compact else given.replay_up_to
        for pages in given.pages:
            began_s = process_time()
            visits = pages - done
            crawl(web, journaled, visits)
            crawled_s, done = process_time() - began_s, pages
            visits_then, taken_s, longest_s = take_snapshot(web, journaled)
            done += visits_then
            sizes, known, stored = bytes_of(path), web.known, len(assembly.base)
            crawl(web, journaled, given.after)
            done += given.after
            print(f"| {species} | {stored} | {known} | {1e3 * crawled_s / visits:.2f} | "
                  + " | ".join(f"{sizes[name] / stored:.0f}" for name in TABLES)
                  + f" | {sizes['snapshot'] / known:.0f} | {taken_s:.1f} | "
                  f"{1e3 * longest_s:.0f} | {1e3 * copy_s(journaled):.0f} | "
                  f"{resumed(species, path)} | "
                  + (f"{replayed(species, journal):.0f}" if pages <= most_replayed else "")
                  + " |", flush=True)  # fmt: skip
        journal.close()


def resumed(species: str, path: Path) -> str:
    """Resume a copy of the store in a process of its own; return what it prints."""
    copy = path.with_name("copy.sqlite")
    for ending in ("", "-wal"):
        shutil.copyfile(f"{path}{ending}", f"{copy}{ending}")
    line = [sys.executable, __file__, "--resume", str(copy), "--species", species]
    found = subprocess.run(line, check=True, capture_output=True, text=True).stdout.strip()
    copy.unlink()
    return found


def resume_here(species: str, path: Path) -> str:
    assembly = memory.assembly_of(species)
    began_s = process_time()
    journal = TimedJournal(path, {})
    journaled = journaled_of(assembly, journal)
    rebuild(journal, journaled)
    took_s = process_time() - began_s
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    now = memory.resident()
    journal.close()
    return (
        f"{journal.restored_s:.1f} | {took_s - journal.restored_s:.1f} "
        f"| {now / 1e6:.0f} | {peak / 1e6:.0f}"
    )


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
    parser.add_argument("--known", type=int, default=0, help="addresses before the first row")
    parser.add_argument("--after", type=int, default=0, help="visits after a snapshot")
    parser.add_argument("--replay-up-to", type=int, default=10_000)
    parser.add_argument("--compact", action="store_true", help="with a compact journal")
    parser.add_argument("--every", type=int, default=0, help="visits between further snapshots")
    parser.add_argument("--folder", help="where the store is; default: that of temporary files")
    parser.add_argument("--resume", type=Path, help="a store to resume in this process")
    given = parser.parse_args()
    if given.resume:
        print(resume_here(given.species[0], given.resume))
        return
    memory._LINKS, memory._NEW = given.links, given.links * 4 // 5
    print("| species | pages | known URLs | ms a visit, with the web's "
          "| bytes a page: journal | contents | records | snapshot | bytes of it a known URL "
          "| s to take it | longest step, ms | a copy, ms | s to read it "
          "| s to replay what follows | MB then | most MB | s to replay all |")  # fmt: skip
    print("| --- |" + " ---: |" * 16, flush=True)
    for species in given.species:
        measure(species, given)


if __name__ == "__main__":
    main()
