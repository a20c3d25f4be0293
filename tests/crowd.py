"""Workers without Scrapy that share a crawl of a small web on a real Redis, and can be killed."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from tiny_webs import Web, link, make_population

from evocrawl.adapter.cluster import SharedPopulation
from evocrawl.core.errors import StateError
from evocrawl.core.fetch import LATER, FetchDetails
from evocrawl.core.model import Dropped, Fetched, Visit
from evocrawl.politeness.host_slots import HostLimit
from evocrawl.population.lifecycle import PopulationBounds
from evocrawl.store.cluster.quotas import ClusterTerms
from evocrawl.store.cluster.redis.keys import RedisAddress
from evocrawl.store.cluster.worker import ClusterWorker
from evocrawl.store.journal.codec import NoPayloads
from evocrawl.store.journal.host_limits import JournaledHostLimits
from evocrawl.store.journal.operations import RunStarted

ABOUT = {"query": "coral", "evocrawl": "0", "DOWNLOAD_TIMEOUT": 1.0}
AT_ONCE, LEASE_S = 6, 0.6
BOUNDS = PopulationBounds(12, 4, 40)


class Seen:
    """A web, and the requests of all workers to it.

    The first request for a page in `flaky` fails; the worker that postpones its visit is then put
    into the queue `put_off`.
    """

    def __init__(self, web: Web, flaky: frozenset[str] = frozenset()) -> None:
        self.web = web
        self.flaky = set(flaky)
        self.asked = Counter[str]()
        self.under_way = Counter[str]()
        self.most = 0
        self.put_off = asyncio.Queue[Hand]()


class Hand:
    """One worker and the tasks of Scrapy; `options` are those of its population.

    `limit` is the budget of all workers (None: no limit), `bounds` are those of all populations.
    `host_delay_s` passes between two requests to a host.
    """

    def __init__(
        self,
        url: str,
        seen: Seen,
        species: str,
        options: Mapping[str, Any],
        limit: int | None = None,
        bounds: PopulationBounds = BOUNDS,
        host_delay_s: float = 0.0,
    ) -> None:
        pace: HostLimit = lambda _: (1, host_delay_s)  # noqa: E731
        self.population, _ = make_population(
            species, bounds=bounds, max_unsettled=AT_ONCE, limit=pace, **options
        )
        terms = ClusterTerms(limit, bounds, LEASE_S, 20.0)
        self.worker = ClusterWorker(RedisAddress.of(url), self.population, NoPayloads(), terms)
        self.journaled = SharedPopulation(self.worker, JournaledHostLimits(pace, (1, host_delay_s)))
        self.failures: list[StateError] = []
        self._seen = seen
        self._limit, self._host_delay_s = limit, host_delay_s
        self._visits: set[asyncio.Task[None]] = set()
        self.worker.events.failed.connect(self.failures.append)
        self.worker.events.host_gained.connect(self._open_origins)

    async def run(self) -> None:
        """Crawl until the crawl ends."""
        self.journaled.begin(RunStarted(self._limit, AT_ONCE, (1, self._host_delay_s)))
        await self.worker.join(ABOUT)
        self.journaled.place([link(next(iter(self._seen.web.links)))])
        self.worker.start()
        loop = asyncio.get_running_loop()
        while self.worker.ended is None:
            assert not self.failures
            while (visit := self.journaled.choose(loop.time())) is not None:
                task = loop.create_task(self._fetch(visit))
                self._visits.add(task)
                task.add_done_callback(self._visits.discard)
            await asyncio.sleep(0.005)
        await self.worker.close()

    async def kill(self) -> None:
        """Stop at once: send no pending results, and release no lease."""
        for task in self._visits:
            task.cancel()
        await asyncio.gather(*self._visits, return_exceptions=True)
        await self.worker.stop()

    async def _fetch(self, visit: Visit) -> None:
        lead, seen = visit.lead, self._seen
        is_sent = await self.worker.cleared(lead.host, is_visit=True)
        if is_sent and self.journaled.spend(visit.id):
            seen.asked[lead.url] += 1
            seen.under_way[lead.host] += 1
            seen.most = max(seen.most, seen.under_way[lead.host])
            try:
                await asyncio.sleep(0.01)
            finally:
                seen.under_way[lead.host] -= 1
            if lead.url in seen.flaky:
                self._put_off(visit)
                return
        outcome = seen.web.answer(lead.url, self.population.price)
        details = FetchDetails(visit.agent, lead, 200, "2026-01-01T00:00:00+00:00")
        is_page = isinstance(outcome, Fetched)
        self.journaled.settle(visit.id, outcome, details if is_page else None)

    def _put_off(self, visit: Visit) -> None:
        """Settle the failed visit, and open its link again."""
        species = self.population.lifecycle.agents[visit.agent].species
        self.journaled.settle(visit.id, Dropped(LATER))
        self.journaled.give_back(visit.id, visit.lead, species)
        self._seen.flaky.discard(visit.lead.url)
        self._seen.put_off.put_nowait(self)

    def _open_origins(self, host: str) -> None:
        for origin in self.population.closed_origins():
            if origin == f"http://{host}":
                self.journaled.opened(origin)


Pick = Callable[["list[Hand]"], Awaitable[Hand]]
"""Waits until a worker must be killed, and returns it."""


async def crawl(
    begin: Callable[[], Hand], workers: int, kills: int = 0, pick: Pick | None = None
) -> list[Hand]:
    """Let workers crawl; kill and replace one of them, `kills` times; return the last ones."""
    hands: dict[Hand, asyncio.Task[None]] = {}

    def add() -> None:
        hand = begin()
        hands[hand] = asyncio.get_running_loop().create_task(hand.run())

    for _ in range(workers):
        add()
    for _ in range(kills):
        assert pick is not None
        victim = await asyncio.wait_for(pick(list(hands)), 300)
        task = hands.pop(victim)
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
        await victim.kill()
        add()
    await asyncio.wait_for(asyncio.gather(*hands.values()), 600)
    return list(hands)
