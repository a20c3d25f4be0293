"""Workers without Scrapy on a real Redis, killed at random instants: nothing is lost or doubled."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from numpy.random import Generator
from redisserver import RedisServer
from tiny_webs import Web, link, make_population, random_web

from evocrawl.errors import StateError
from evocrawl.life import Bounds
from evocrawl.limits import Limits
from evocrawl.model import Fetched, Visit
from evocrawl.particulars import Particulars
from evocrawl.shares import Terms
from evocrawl.sharing import SharedChronicle
from evocrawl.store.ops import Began
from evocrawl.store.packing import NoPayloads
from evocrawl.store.shared.archive import SharedArchive
from evocrawl.store.shared.layout import Place
from evocrawl.worker import SharedWorker

ABOUT = {"query": "coral", "evocrawl": "0", "DOWNLOAD_TIMEOUT": 1.0}
AT_ONCE, LEASE_S = 6, 0.6
BOUNDS = Bounds(12, 4, 40)


class Counters:
    """What the web has seen of all workers."""

    def __init__(self) -> None:
        self.asked = Counter[str]()
        self.under_way = Counter[str]()
        self.most = 0


class Hand:
    """One worker, and what Scrapy would do for it."""

    def __init__(self, url: str, web: Web, seen: Counters, species: str, seed: str) -> None:
        self.population, _ = make_population(
            species, bounds=BOUNDS, max_unsettled=AT_ONCE, limit=lambda _: (1, 0.0)
        )
        terms = Terms(None, BOUNDS, LEASE_S, 20.0)
        self.worker = SharedWorker(Place.of(url), self.population, NoPayloads(), terms)
        self.chronicle = SharedChronicle(self.worker, Limits(lambda _: (1, 0.0), (1, 0.0)))
        self.failures: list[StateError] = []
        self._web, self._seen, self._seed = web, seen, seed
        self._visits: set[asyncio.Task[None]] = set()
        self.worker.fail = self.failures.append
        self.worker.holdings.on_gained = self._open_doors

    async def run(self) -> None:
        """Crawl until the crawl ends."""
        self.chronicle.begin(Began(None, AT_ONCE, (1, 0.0)))
        await self.worker.join(ABOUT)
        self.chronicle.place([link(self._seed)])
        self.worker.start()
        loop = asyncio.get_running_loop()
        while self.worker.ended is None:
            assert not self.failures
            while (visit := self.chronicle.choose(loop.time())) is not None:
                task = loop.create_task(self._fetch(visit))
                self._visits.add(task)
                task.add_done_callback(self._visits.discard)
            await asyncio.sleep(0.005)
        await self.worker.close()

    async def kill(self) -> None:
        """Stop at once: nothing that waits to be told is told, nothing is given up."""
        for task in self._visits:
            task.cancel()
        await asyncio.gather(*self._visits, return_exceptions=True)
        await self.worker.stop()

    async def _fetch(self, visit: Visit) -> None:
        lead, seen = visit.lead, self._seen
        if await self.worker.cleared(lead.host, is_visit=True):
            seen.asked[lead.url] += 1
            seen.under_way[lead.host] += 1
            seen.most = max(seen.most, seen.under_way[lead.host])
            try:
                await asyncio.sleep(0.01)
            finally:
                seen.under_way[lead.host] -= 1
        outcome = self._web.answer(lead.url, self.population.price)
        told = Particulars(visit.agent, lead, 200, "2026-01-01T00:00:00+00:00")
        is_page = isinstance(outcome, Fetched)
        self.chronicle.settle(visit.id, outcome, told if is_page else None)

    def _open_doors(self, host: str) -> None:
        for door in self.population.shut_doors():
            if door == f"http://{host}":
                self.chronicle.opened(door)


@pytest.fixture
def server(tmp_path: Path) -> Iterator[RedisServer]:
    with RedisServer(tmp_path) as running:
        yield running


async def crawl(url: str, web: Web, species: str, rng: Generator, kills: int) -> Counters:
    """Three workers, of which one is killed and replaced, again and again; then they may end."""
    seen, seed = Counters(), next(iter(web.links))
    hands: dict[Hand, asyncio.Task[None]] = {}

    def begin() -> None:
        hand = Hand(url, web, seen, species, seed)
        hands[hand] = asyncio.get_running_loop().create_task(hand.run())

    for _ in range(3):
        begin()
    for _ in range(kills):
        await asyncio.sleep(float(rng.uniform(0.05, 0.4)))
        victim = list(hands)[int(rng.integers(len(hands)))]
        task = hands.pop(victim)
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
        await victim.kill()
        begin()
    await asyncio.wait_for(asyncio.gather(*hands.values()), 120)
    return seen


@pytest.mark.parametrize("species", ["evo", "energy", "random"])
def test_kills_at_random_instants_lose_nothing(server: RedisServer, species: str) -> None:
    """R1, C3: every page is recorded once; repeats are bounded, and no host is ever crowded."""
    rng, kills = np.random.default_rng(1), 8
    web = replace(random_web(rng, pages=250, hosts=25), moved={})
    seed = next(iter(web.links))
    seen = asyncio.run(crawl(server.url, web, species, rng, kills))
    with SharedArchive(server.url) as archive:
        recorded = Counter(page.url for page in archive.pages())
    assert set(recorded) == web.reachable([seed]) - set(web.failing)
    assert set(recorded.values()) == {1}
    assert seen.most == 1
    repeats = sum(times - 1 for times in seen.asked.values())
    assert repeats <= kills * 2 * AT_ONCE
