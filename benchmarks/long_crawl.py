"""Measures whether a long crawl slows down, or takes more memory or disk than what it knows.

    python benchmarks/long_crawl.py [--species best_first] [--pages 1000000] [--links 10]
                                    [--store] [--every 20000]

A bare population visits generated pages one after the other, `--links` links on each, four of five
of them to new addresses (see `memory.py`); no page is laid without a visit. Each tenth of the crawl
gives a row: the growth of the process since its first 500 pages (resident set), in all and for
each known address, and the processor time that population and journal took for a page in this
tenth, without that of the web. With `--store` the crawl has an SQLite store, with snapshots, whose
time is in a column of its own, and the bytes of its file are in another one. The last line compares
the throughput of the last tenth with that of the first.
"""

from __future__ import annotations

import argparse
import tempfile
from pathlib import Path
from time import process_time

import memory
from resume import DATE, HOST_LIMIT, journaled_of

from evocrawl.core.fetch import FetchDetails
from evocrawl.core.model import Cost, Fetched
from evocrawl.store.journal.journal import Journal, NoJournal
from evocrawl.store.journal.journaled_population import JournaledPopulation
from evocrawl.store.journal.operations import RunStarted
from evocrawl.store.journal.sqlite_journal import SqliteJournal

_FIRST = 500
_COMMIT = 50
"""Visits in a commit, as in `resume.py`."""
_HEAD = (
    "| species | pages | known URLs | MB grown | bytes a known URL | ms a page | s for snapshots "
    "| MB of the store |"
)


class LongCrawl:
    """A crawl whose processor time is counted apart from that of its web."""

    def __init__(self, species: str, journal: Journal, every: int) -> None:
        self.web = memory.Web()
        self.journaled: JournaledPopulation = journaled_of(memory.assembly_of(species), journal)
        self.journaled.begin(RunStarted(None, 1, HOST_LIMIT))
        self.journaled.place(self.web.seeds())
        self.pages = 0
        self.crawl_s = self.snapshot_s = 0.0
        self._every = every

    def go_on(self, upto: int) -> None:
        """Crawl to this number of pages."""
        journaled, web, population = self.journaled, self.web, self.journaled.population
        while self.pages < upto:
            began_s = process_time()
            visit = journaled.choose(0.0)
            self.crawl_s += process_time() - began_s
            if visit is None:
                raise RuntimeError(f"nothing to choose: {population.ended}")
            page = web.page(visit.lead.url, population.price(web.rng.random() ** 4))
            details = FetchDetails(visit.agent, visit.lead, fetched_at=DATE)
            began_s = process_time()
            journaled.spend(visit.id)
            journaled.settle(visit.id, Fetched(page, Cost()), details)
            self.pages += 1
            if self.pages % _COMMIT == 0:
                journaled.commit()
            self.crawl_s += process_time() - began_s
            if self._every and self.pages % self._every == 0:
                began_s = process_time()
                journaled.take_snapshot()
                self.snapshot_s += process_time() - began_s


def measure(species: str, pages: int, journal: Journal, path: Path, every: int) -> None:
    crawl = LongCrawl(species, journal, every)
    crawl.go_on(_FIRST)
    first, took_s = memory.resident(), list[float]()
    for tenth in range(1, 11):
        before, spent_s, snapshots_s = crawl.pages, crawl.crawl_s, crawl.snapshot_s
        crawl.go_on(pages * tenth // 10)
        took_s.append((crawl.crawl_s - spent_s) / (crawl.pages - before))
        grown, known = memory.resident() - first, crawl.web.known
        stored = path.stat().st_size / 1e6 if path.exists() else 0.0
        print(
            f"| {species} | {crawl.pages} | {known} | {grown / 1e6:.0f} | {grown / known:.0f} "
            f"| {1e3 * took_s[-1]:.2f} | {crawl.snapshot_s - snapshots_s:.1f} | {stored:.0f} |",
            flush=True,
        )
    print(f"\nthroughput of the last tenth to that of the first: {took_s[0] / took_s[-1]:.2f}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--species", default="best_first")
    parser.add_argument("--pages", type=int, default=1_000_000)
    parser.add_argument("--links", type=int, default=10)
    parser.add_argument("--store", action="store_true", help="with an SQLite store")
    parser.add_argument("--every", type=int, default=20_000, help="visits between snapshots")
    given = parser.parse_args()
    memory._LINKS, memory._NEW = given.links, given.links * 4 // 5
    print(_HEAD, "| --- |" + " ---: |" * 7, sep="\n", flush=True)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "state.sqlite"
        journal: Journal = SqliteJournal(path, {}) if given.store else NoJournal()
        measure(given.species, given.pages, journal, path, given.every if given.store else 0)
        journal.close()


if __name__ == "__main__":
    main()
