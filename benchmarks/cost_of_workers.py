"""Measures what the other workers of a crawl cost a worker, for each page of its own.

    python benchmarks/cost_of_workers.py [WORLD] [--workers 2 4 16] [--pages 700]
                                         [--species evo energy] [--repeat 3]

One population crawls a world, and stands for all other workers. A second population is a worker
that owns one of `--workers` parts of the hosts. It gets the links to its hosts as workers do: it
unpacks and checks them, and adds them to its evidence. While it fetches one page, each other worker
fetches one: *links* is the CPU time, and *calls* the number of function calls, for the links of so
many pages, which it reads in one step, as a worker does that reads its inbox once a page. Once in
`exchange_s` it packs what it has learnt, unpacks the part of each other worker, and adds the parts
up: *exchange* is the CPU time of that, *kB* the size of what it sends. *Own* is the CPU time of a
visit in the population alone, without HTTP, parsing and Scrapy, which take most of the time of a
page (`benchmarks/workers_cpu.py` measures all of it). The fastest of `--repeat` crawls counts.
"""

from __future__ import annotations

import argparse
import sys
from cProfile import Profile
from pathlib import Path
from time import process_time

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from store import journaled_of, outcome_of

from evocrawl.core.fetch import FetchDetails
from evocrawl.core.model import Fetched, Link, Page
from evocrawl.core.urls.identity import fingerprint, host_of
from evocrawl.frontier.shared_ranks import RankSharing
from evocrawl.population.exchange import PopulationExchange
from evocrawl.population.population import Population
from evocrawl.simulation.worlds.base import World
from evocrawl.simulation.worlds.registry import open_world
from evocrawl.species.base import Mergeable, Sharing
from evocrawl.store.cluster.events import WorkerEvents
from evocrawl.store.cluster.lease_table import LeaseTable
from evocrawl.store.cluster.population_sync import PopulationSync
from evocrawl.store.cluster.redis.codec import RowCodec, Source
from evocrawl.store.cluster.redis.commands import RedisCommands
from evocrawl.store.cluster.redis.keys import KeyNames, shard_of
from evocrawl.store.journal.codec import NoPayloads
from evocrawl.store.journal.journal import NoJournal

DATE = "2026-01-01T00:00:00.000+00:00"


def shared_of(population: Population) -> list[Mergeable]:
    """Return what a population exchanges."""
    learnt = [
        each.learning.share() for each in population.species if isinstance(each.learning, Sharing)
    ]
    return [RankSharing(population.environment.base.ranks), *learnt]


class Receiver:
    """A worker that owns one of so many parts of the hosts, and gets the links to them."""

    def __init__(
        self, sender: Population, species: str, most: int, workers: int, profile: Profile | None
    ) -> None:
        self.sender = PopulationExchange(sender)
        self.rows = RowCodec(NoPayloads())
        self.population = journaled_of(species, most, NoJournal()).population
        self.shared = shared_of(self.population)
        self.workers = workers
        self.leases = LeaseTable(1e9)
        calls = RedisCommands(self.rows, KeyNames("x"), "1")
        put = lambda _: None  # noqa: E731 - nothing is sent
        self.sync = PopulationSync(self.population, self.leases, calls, put, WorkerEvents())
        self.seconds = 0.0
        self.pages = 0
        self.profile = profile
        self.inbox: list[bytes] = []

    def owns(self, url: str) -> bool:
        return shard_of(host_of(url)) % self.workers == 0

    def receive(self, page: Page, depth: int) -> None:
        """Receive the links of a page of another worker to the hosts of this one."""
        if self.owns(page.url):
            return
        self.pages += 1
        source = Source(page.url, page.fingerprint, page.relevance, depth, page.content.title)
        rows = []
        for link in page.links:
            if self.owns(link.url):
                row = self.rows.pack_link(link, source)
                rows.append((host_of(link.url), link.fingerprint.hex(), row))
                self.leases.leases.setdefault(host_of(link.url), "1.1")
        if rows:
            digest = self.rows.pack_digest(self.sender.digest(page))
            self.inbox.append(self.rows.pack_found(digest, rows))
        if self.pages % (self.workers - 1) == 0 and self.inbox:
            self.read()

    def read(self) -> None:
        """Read the inbox."""
        began_s = process_time()
        if self.profile is not None:
            self.profile.enable()
        found = [self.rows.unpack_found(each, self.leases.leases) for each in self.inbox]
        links = self.sync.links
        links.of_others((links.read_digest(digest), some) for digest, some in found)
        self.inbox.clear()
        if self.profile is not None:
            self.profile.disable()
        self.seconds += process_time() - began_s


def measure(
    world: World, seeds: list[Link], species: str, most: int, workers: int, profile: Profile | None
) -> tuple[float, ...]:
    """Return µs of a visit, µs for links a page of its own, ms of an exchange, kB of a part."""
    journaled = journaled_of(species, most, NoJournal())
    shared = shared_of(journaled.population)
    receiver = Receiver(journaled.population, species, most, workers, profile)
    journaled.place(seeds)
    visits, own_s = 0, 0.0
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
            receiver.receive(outcome.page, visit.lead.depth)
    began_s = process_time()
    packed = [each.pack() for each in shared]
    for mine, row in zip(receiver.shared, packed, strict=True):
        mine.merge([mine.unpack(row) for _ in range(workers - 1)])
    exchange_s = process_time() - began_s
    of_others = receiver.seconds / max(receiver.pages, 1) * (workers - 1)
    return (
        1e6 * own_s / visits, 1e6 * of_others, 1e3 * exchange_s, sum(map(len, packed)) / 1e3,
        receiver.pages,
    )  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("world", nargs="?", default="sites:sites=200,seed=3")
    parser.add_argument("--workers", type=int, nargs="+", default=[2, 4, 16])
    parser.add_argument("--pages", type=int, default=700)
    parser.add_argument("--species", nargs="+", default=["evo", "energy"])
    parser.add_argument("--repeat", type=int, default=3)
    asked = parser.parse_args()
    world = open_world(asked.world)
    seeds = [Link(each.url, fingerprint(each.url)) for each in list(world.documents())[:20]]
    print("| species | workers | own, µs a visit | links, µs a page | calls | exchange, ms | kB |")
    print("| --- | ---: | ---: | ---: | ---: | ---: | ---: |")
    for species in asked.species:
        for workers in asked.workers:
            runs = [
                measure(world, seeds, species, asked.pages, workers, None)
                for _ in range(asked.repeat)
            ]
            own, links, exchange, size, _ = map(min, zip(*runs, strict=True))
            profile = Profile()
            *_, pages = measure(world, seeds, species, asked.pages, workers, profile)
            calls = sum(each.callcount for each in profile.getstats()) / max(pages, 1)
            print(
                f"| {species} | {workers} | {own:.0f} | {links:.0f} | {calls * (workers - 1):.0f} |"
                f" {exchange:.1f} | {size:.0f} |",
                flush=True,
            )


if __name__ == "__main__":
    main()
