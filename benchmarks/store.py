"""Measures the cost of a store: CPU per visit, bytes per page, and the speed of a replay.

    python benchmarks/store.py [WORLD] [--pages 3000] [--species best_first energy] [--live 5]

A population crawls WORLD (a synthetic web, or any world file), first without a journal, then with
an SQLite journal that commits after each settled visit, which is the worst case of a crawl. Then
the journal is replayed. The score of a page is a number drawn from its address, so the figures are
those of population and journal alone. With ``--live N``, N pairs of whole Scrapy crawls of a tree
of pages on loopback follow, in memory and stored.
"""

from __future__ import annotations

import argparse
import sqlite3
import sys
import tempfile
from pathlib import Path
from resource import RUSAGE_CHILDREN, getrusage
from time import perf_counter, process_time

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from crawled_tree import evocrawl, start, tree

from evocrawl.core.config.config import Config
from evocrawl.core.fetch import FetchDetails
from evocrawl.core.model import Dead, Fetched, Link, Outcome, Page, Refused, Visit
from evocrawl.core.urls.identity import fingerprint
from evocrawl.population.assembly import assemble
from evocrawl.simulation.server.proxy import LoopbackProxy
from evocrawl.simulation.worlds.base import World
from evocrawl.simulation.worlds.registry import open_world
from evocrawl.store.journal.host_limits import JournaledHostLimits
from evocrawl.store.journal.journal import Journal, NoJournal
from evocrawl.store.journal.journaled_population import JournaledPopulation
from evocrawl.store.journal.operations import RunStarted
from evocrawl.store.journal.replay import replay
from evocrawl.store.journal.sqlite_journal import SqliteJournal

DATE = "2026-01-01T00:00:00.000+00:00"
HOST_LIMIT = (1, 0.0)


def journaled_of(species: str, pages: int, journal: Journal) -> JournaledPopulation:
    config = Config.read({"EVOCRAWL_SPECIES": species, "EVOCRAWL_QUERY": "coral"})
    limits = JournaledHostLimits(lambda _: HOST_LIMIT, HOST_LIMIT)
    assembly = assemble(config, concurrency=1, host_limit=limits, timeout_s=180.0)
    journaled = JournaledPopulation(assembly.population, limits, journal)
    journaled.begin(RunStarted(pages, 1, HOST_LIMIT))
    return journaled


def outcome_of(world: World, journaled: JournaledPopulation, visit: Visit) -> Outcome:
    answer = world.fetch(visit.lead.url, 0.0)
    if isinstance(answer, Dead | Refused):
        return answer
    found = answer.document
    score = (found.fingerprint[0] / 255) ** 4
    energy = journaled.population.price(score)
    links, content = found.links, found.content(0.0)
    page = Page(found.url, found.fingerprint, score, energy, links, found.version, content)
    return Fetched(page, answer.cost)


def crawl(
    world: World, seeds: list[Link], journaled: JournaledPopulation
) -> tuple[int, int, float]:
    """Crawl; return visits, fetched pages and CPU seconds without those of the world."""
    journaled.place(seeds)
    visits, pages, cpu_s = 0, 0, 0.0
    while True:
        began_s = process_time()
        visit = journaled.choose(0.0)
        cpu_s += process_time() - began_s
        if visit is None:
            return visits, pages, cpu_s
        outcome = outcome_of(world, journaled, visit)
        began_s = process_time()
        journaled.spend(visit.id)
        journaled.settle(visit.id, outcome, FetchDetails(visit.agent, visit.lead, fetched_at=DATE))
        journaled.flush()
        cpu_s += process_time() - began_s
        visits, pages = visits + 1, pages + isinstance(outcome, Fetched)


def measure(world: World, seeds: list[Link], species: str, most: int) -> str:
    visits, pages, in_memory_s = crawl(world, seeds, journaled_of(species, most, NoJournal()))
    with tempfile.TemporaryDirectory() as directory:
        path = Path(directory) / "state.sqlite"
        journal = SqliteJournal(path, {})
        *_, stored_s = crawl(world, seeds, journaled_of(species, most, journal))
        began_s = process_time()
        replay(journal.ops(), journaled_of(species, most, NoJournal()))
        replay_s = process_time() - began_s
        journal.close()
        size = path.stat().st_size
        with sqlite3.connect(path) as database:
            packed, said = database.execute(
                "SELECT sum(length(packed)), count(*) FROM contents"
            ).fetchone()
        database.close()
    return (
        f"| {species} | {visits} | {pages} | {1e6 * in_memory_s / visits:.0f} | "
        f"{1e6 * stored_s / visits:.0f} | {visits / replay_s:.0f} | "
        f"{size / pages:.0f} | {packed / said:.0f} |"
    )


def whole_crawl(pages: int, *, is_stored: bool) -> tuple[float, float]:
    """Return CPU and wall seconds per page of a Scrapy crawl."""
    with LoopbackProxy({"tree.test": tree(pages)}) as proxy, tempfile.TemporaryDirectory() as name:
        line = evocrawl(f"{Path(name) / 'state.sqlite'}")
        if not is_stored:
            del line[-2:]
        before, began_s = getrusage(RUSAGE_CHILDREN), perf_counter()
        code = start(line, proxy, Path(name)).wait()
        after, seconds = getrusage(RUSAGE_CHILDREN), perf_counter() - began_s
        if code != 0:
            raise RuntimeError(f"the crawl ended with {code}")
    cpu_s = after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime
    return cpu_s / pages, seconds / pages


def live(pairs: int, pages: int) -> None:
    ratios = []
    print("\n| pair | ms CPU a page, in memory | stored | pages/s in memory | stored |")
    print("| ---: | ---: | ---: | ---: | ---: |")
    for number in range(pairs):
        memory, stored = whole_crawl(pages, is_stored=False), whole_crawl(pages, is_stored=True)
        ratios.append((stored[0] / memory[0], memory[1] / stored[1]))
        print(
            f"| {number + 1} | {1e3 * memory[0]:.2f} | {1e3 * stored[0]:.2f} | "
            f"{1 / memory[1]:.0f} | {1 / stored[1]:.0f} |",
            flush=True,
        )
    cpu, speed = (sorted(each)[pairs // 2] for each in zip(*ratios, strict=True))
    print(f"\nstored to memory, median of pairs: CPU {cpu:.2f}, pages/s {speed:.2f}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("world", nargs="?", default="sites:sites=200,seed=3")
    parser.add_argument("--pages", type=int, default=3000)
    parser.add_argument("--species", nargs="+", default=["best_first", "energy"])
    parser.add_argument("--live", type=int, default=0)
    asked = parser.parse_args()
    world = open_world(asked.world)
    documents = list(world.documents())
    links = sum(len(each.links) for each in documents) / len(documents)
    text = sum(len(each.content(0.0).text) for each in documents) / len(documents)
    print(f"{asked.world}: {links:.0f} links and {text:.0f} characters a page\n")
    print(
        "| species | visits | pages | µs a visit, in memory | µs a visit, stored | "
        "visits/s replayed | bytes a page in the file | of which content |"
    )
    print("| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |")
    seeds = [Link(each.url, fingerprint(each.url)) for each in documents[:20]]
    for species in asked.species:
        print(measure(world, seeds, species, asked.pages), flush=True)
    if asked.live:
        live(asked.live, asked.pages)


if __name__ == "__main__":
    main()
