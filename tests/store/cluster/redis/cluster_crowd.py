"""Shared by the tests of the shared state: workers on one Redis, and links."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any

from rediscluster import RedisCluster
from redisserver import RedisServer

from evocrawl.core.model import Link
from evocrawl.core.urls.identity import fingerprint
from evocrawl.store.cluster.redis.archive import SharedArchive
from evocrawl.store.cluster.redis.codec import RowCodec
from evocrawl.store.cluster.redis.commands import RedisCommands
from evocrawl.store.cluster.redis.connection import Connection
from evocrawl.store.cluster.redis.keys import KeyNames, RedisAddress
from evocrawl.store.cluster.redis.state import ClusterState
from evocrawl.store.journal.codec import NoPayloads

ABOUT = {"query": "coral", "species": "evo"}
A, B = "http://a.test/1", "http://a.test/2"
HOST = "a.test"


class Crowd:
    """Workers of one crawl, each with its own connection."""

    def __init__(self, server: RedisServer | RedisCluster) -> None:
        self.server = server
        self._connections: list[Connection] = []

    async def join(
        self, lease_ms: int = 60_000, **about: Any
    ) -> tuple[ClusterState, RedisCommands, Connection]:
        place = RedisAddress.of(self.server.url)
        connection = Connection(place)
        self._connections.append(connection)
        state = ClusterState(connection, lease_ms)
        await state.join({**ABOUT, **about})
        return (
            state,
            RedisCommands(RowCodec(NoPayloads()), KeyNames(place.name), state.session),
            connection,
        )

    async def close(self) -> None:
        for each in self._connections:
            await each.close()


@asynccontextmanager
async def crowd_at(server: RedisServer | RedisCluster) -> AsyncIterator[Crowd]:
    crowd = Crowd(server)
    try:
        yield crowd
    finally:
        await crowd.close()


def run(server: RedisServer | RedisCluster, story: Callable[[Crowd], Awaitable[None]]) -> None:
    async def reported() -> None:
        async with crowd_at(server) as crowd:
            await story(crowd)

    asyncio.run(reported())


def link(url: str) -> Link:
    return Link(url, fingerprint(url), "coral")


async def taken(state: ClusterState, host: str = HOST) -> str:
    """Take a host, as soon as its present owner's lease is over; return the lease."""
    while True:
        is_ours, lease, _ = await state.take(host)
        if is_ours:
            return lease


async def joined(url: str) -> str:
    """Join the crawl at `url` as one more worker; return its number."""
    connection = Connection(RedisAddress.of(url))
    state = ClusterState(connection, 60_000)
    try:
        await state.join(ABOUT)
    finally:
        await connection.close()
    return state.session


def about(url: str) -> dict[str, Any]:
    """Return the identity of the crawl at `url`."""
    with SharedArchive(url) as archive:
        return archive.about()
