"""One worker's population with its leases in a real Redis, for tests of exchanges."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any, TypeVar

from redisserver import RedisServer
from tiny_webs import make_population

from evocrawl.store.cluster.events import WorkerEvents
from evocrawl.store.cluster.host_leases import HostLeases
from evocrawl.store.cluster.lease_table import LeaseTable
from evocrawl.store.cluster.population_sync import PopulationSync
from evocrawl.store.cluster.redis.codec import RowCodec
from evocrawl.store.cluster.redis.commands import RedisCommands
from evocrawl.store.cluster.redis.connection import Connection
from evocrawl.store.cluster.redis.keys import RedisAddress
from evocrawl.store.cluster.redis.state import ClusterState
from evocrawl.store.journal.codec import NoPayloads


class RedisSide:
    """One worker of a crawl with the population of a species; `now_s` is its clock."""

    def __init__(self, server: RedisServer, species: str) -> None:
        self.connection = Connection(RedisAddress.of(server.url))
        self.population, _ = make_population(species)
        self.state, self.rows = ClusterState(self.connection, 60_000), RowCodec(NoPayloads())
        self.now_s = 0.0
        table, events = LeaseTable(60.0, lambda: self.now_s), WorkerEvents()
        commands = RedisCommands(self.rows, self.state.layout)
        sync = PopulationSync(self.population, table, commands, lambda _: None, events)
        self.host_leases = HostLeases(self.state, self.rows, sync, lambda _: None, events)


Side = TypeVar("Side", bound=RedisSide)


def play(
    make: Callable[[RedisServer], Side], server: RedisServer, count: int, story: Callable[..., Any]
) -> None:
    """Let `count` workers join the crawl, run a coroutine function with them, and disconnect."""

    async def exercise() -> None:
        sides = [make(server) for _ in range(count)]
        try:
            for side in sides:
                await side.state.join({"query": "coral"})
            outcome: Awaitable[None] = story(*sides)
            await outcome
        finally:
            for side in sides:
                await side.connection.close()

    asyncio.run(exercise())
