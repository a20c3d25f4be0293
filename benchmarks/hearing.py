"""Measures the cost of a page from another worker, and of a page of the worker itself.

    python benchmarks/hearing.py [WORLD] [--pages 2000] [--species evo energy] [--repeat 3]

One population crawls a world; a second population receives each page as workers do: it unpacks and
checks the rows, and learns from the page. It owns half of the hosts. *Own* is the CPU time of a
visit in the population alone, without HTTP, parsing and Scrapy, which take most of the time of a
page (`benchmarks/store.py --live` measures all of it). The fastest of `--repeat` crawls counts.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from time import process_time

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from store import journaled_of, outcome_of

from evocrawl.core.fetch import FetchDetails
from evocrawl.core.model import Fetched, Link
from evocrawl.core.urls.identity import fingerprint, host_of
from evocrawl.simulation.worlds.base import World
from evocrawl.simulation.worlds.registry import open_world
from evocrawl.store.cluster.events import WorkerEvents
from evocrawl.store.cluster.lease_table import LeaseTable
from evocrawl.store.cluster.population_sync import PopulationSync
from evocrawl.store.cluster.redis.codec import RowCodec
from evocrawl.store.cluster.redis.commands import RedisCommands
from evocrawl.store.cluster.redis.keys import KeyNames, shard_of
from evocrawl.store.journal.codec import NoPayloads
from evocrawl.store.journal.sqlite_journal import NoJournal

DATE = "2026-01-01T00:00:00.000+00:00"


class Receiver:
    """A worker that owns the hosts of every second shard and receives the pages of the others."""

    def __init__(self, species: str, most: int) -> None:
        self.rows = RowCodec(NoPayloads())
        population = journaled_of(species, most, NoJournal()).population
        self.leases = LeaseTable(1e9)
        calls = RedisCommands(self.rows, KeyNames("x"), "1")
        self.sync = PopulationSync(population, self.leases, calls, lambda _: None, WorkerEvents())
        self.unpacking_s = self.hearing_s = 0.0
        self.pages = 0

    def hear(self, host: str, key: bytes, record: bytes, content: bytes) -> None:
        """Receive a page, unless this worker owns its host."""
        if shard_of(host) % 2:
            return
        began_s = process_time()
        page, fields = self.rows.unpack_page(host, key, record, content)
        unpacked_s = process_time()
        self.sync.is_of(host, "2", {"2": None})
        self.sync.heard(page, int(fields["depth"]))
        self.hearing_s += process_time() - unpacked_s
        self.unpacking_s += unpacked_s - began_s
        self.pages += 1


def measure(world: World, seeds: list[Link], species: str, most: int) -> tuple[float, ...]:
    """Return CPU microseconds of a visit, of unpacking a page and of receiving it."""
    journaled, hearer = journaled_of(species, most, NoJournal()), Receiver(species, most)
    journaled.place(seeds)
    visits, own_s, rows = 0, 0.0, hearer.rows
    while True:
        began_s = process_time()
        visit = journaled.choose(0.0)
        own_s += process_time() - began_s
        if visit is None:
            break
        outcome = outcome_of(world, journaled, visit)
        details = FetchDetails(visit.agent, visit.lead, fetched_at=DATE)
        began_s = process_time()
        journaled.spend(visit.id)
        journaled.settle(visit.id, outcome, details)
        own_s += process_time() - began_s
        visits += 1
        if isinstance(outcome, Fetched):
            page = outcome.page
            record = rows.pack_record(page, visit.lead, details, 0.1, "2").encode()
            key = page.fingerprint.hex().encode()
            hearer.hear(host_of(page.url), key, record, rows.pack_content(page))
    heard = max(hearer.pages, 1)
    return tuple(
        1e6 * each
        for each in (own_s / visits, hearer.unpacking_s / heard, hearer.hearing_s / heard)
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("world", nargs="?", default="sites:sites=200,seed=3")
    parser.add_argument("--pages", type=int, default=2000)
    parser.add_argument("--species", nargs="+", default=["evo", "energy"])
    parser.add_argument("--repeat", type=int, default=3)
    asked = parser.parse_args()
    world = open_world(asked.world)
    seeds = [Link(each.url, fingerprint(each.url)) for each in list(world.documents())[:20]]
    print("| species | own, µs a visit | unpacking, µs a page | receiving, µs |")
    print("| --- | ---: | ---: | ---: |")
    for species in asked.species:
        runs = [measure(world, seeds, species, asked.pages) for _ in range(asked.repeat)]
        own, unpacking, hearing = map(min, zip(*runs, strict=True))
        print(f"| {species} | {own:.0f} | {unpacking:.0f} | {hearing:.0f} |", flush=True)


if __name__ == "__main__":
    main()
