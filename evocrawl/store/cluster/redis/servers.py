"""The servers that hold a crawl: one Redis, or the nodes of a Redis Cluster.

A worker asks the first server that responds for its mode (HELLO, which every user may send). So an
address has the same form for both.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterable, Sequence
from typing import Any, Protocol

from redis import Redis as BlockingRedis
from redis import RedisCluster as BlockingCluster
from redis import asyncio as client
from redis.cluster import ClusterNode
from redis.exceptions import ConnectionError as NoConnection
from redis.exceptions import ResponseError
from redis.exceptions import TimeoutError as NoResponse

from evocrawl.core.errors import StateError
from evocrawl.store.cluster.redis.cluster_answers import Command
from evocrawl.store.cluster.redis.keys import RedisAddress
from evocrawl.store.cluster.redis.node import TIMEOUT_S, Node
from evocrawl.store.cluster.redis.nodes import ClusterNodes, address_of

_node: Any = ClusterNode


class Servers(Protocol):
    """One Redis, or a Redis Cluster. Every method raises the errors of redis-py."""

    keeps_order: bool
    """True if the commands of a batch run in their order."""

    async def batch(self, commands: Sequence[Command], *, is_kept: bool = False) -> list[Any]:
        """Send commands; return the answer or the error of each.

        If `is_kept`, no node that fails later takes the changes with it.
        """

    async def ask(self, *command: Any) -> Any:
        """Send one command and return its answer."""

    def scan_hash(self, key: str, most: int) -> AsyncIterator[list[tuple[bytes, bytes]]]:
        """Read a hash in batches of about `most`, as (field, value); a field may come twice."""

    async def load(self, scripts: Iterable[str]) -> None:
        """Load scripts into all servers that run them."""

    async def infos(self) -> list[dict[str, Any]]:
        """Return INFO of each server that responds."""

    async def close(self) -> None:
        """Close all connections."""


class OneServer:
    """A single Redis."""

    keeps_order = True

    def __init__(self, redis: Any) -> None:
        self._redis = redis
        self._node = Node(redis)

    async def batch(self, commands: Sequence[Command], *, is_kept: bool = False) -> list[Any]:
        """Send commands in one round trip; return the answer or the error of each."""
        del is_kept  # an append-only file keeps what the server has confirmed
        return await self._node.batch(commands)

    async def ask(self, *command: Any) -> Any:
        """Send one command and return its answer."""
        name, *arguments = command
        return await getattr(self._redis, name)(*arguments)

    async def scan_hash(self, key: str, most: int) -> AsyncIterator[list[tuple[bytes, bytes]]]:
        """Read a hash in batches of about `most`, as (field, value); a field may come twice."""
        cursor = 0
        while True:
            cursor, found = await self._redis.hscan(key, cursor, None, most)
            yield list(found.items())
            if not cursor:
                return

    async def load(self, scripts: Iterable[str]) -> None:
        """Load scripts."""
        for script in scripts:
            await self._redis.script_load(script)

    async def infos(self) -> list[dict[str, Any]]:
        """Return INFO of the server."""
        return [dict(await self._redis.info())]

    async def close(self) -> None:
        """Close the connections."""
        await self._node.close()


async def connect(place: RedisAddress) -> Servers:
    """Return the servers at `place`, by its first server that responds.

    Raises StateError if several servers are named that are no cluster.
    """
    failure: Exception | None = None
    for url in place.urls:
        redis = _client(place, url)
        try:
            is_cluster = _is_cluster(place, await _hello(place, redis))
        except (NoConnection, NoResponse, OSError) as error:
            failure = error
            await redis.aclose()
        except BaseException:
            await redis.aclose()
            raise
        else:
            if not is_cluster:
                return OneServer(redis)
            await redis.aclose()
            return ClusterNodes(place, lambda each: _client(place, each))
    assert failure is not None
    raise failure


def connect_blocking(place: RedisAddress, timeout_s: float | None = None) -> Any:
    """Return a client of redis-py for the servers at `place` that blocks, by the same rules.

    It waits up to `timeout_s` for a response (None: for ever).
    """
    options = {**connecting(place), "socket_timeout": timeout_s}
    failure: Exception | None = None
    for url in place.urls:
        redis: Any = BlockingRedis.from_url(url, **options)
        try:
            is_cluster = _is_cluster(place, _blocking_hello(place, redis))
        except (NoConnection, NoResponse, OSError) as error:
            failure = error
            redis.close()
        except BaseException:
            redis.close()
            raise
        else:
            if not is_cluster:
                return redis
            redis.close()
            nodes: list[Any] = [_node(*address_of(each)) for each in place.urls]
            return BlockingCluster.from_url(url, startup_nodes=nodes, **options)
    assert failure is not None
    raise failure


def connecting(place: RedisAddress) -> dict[str, Any]:
    """Return the connection options of redis-py for `place`; its address may override them."""
    options: dict[str, Any] = {"socket_connect_timeout": TIMEOUT_S}
    if place.url.startswith("rediss:"):
        # The default since redis-py 6; earlier versions accept any trusted certificate.
        options |= {"ssl_cert_reqs": "required", "ssl_check_hostname": True}
    return options


def _client(place: RedisAddress, url: str) -> Any:
    return client.Redis.from_url(url, socket_timeout=TIMEOUT_S, retry=None, **connecting(place))


async def _hello(place: RedisAddress, redis: Any) -> Any:
    try:
        return await redis.execute_command("HELLO")
    except ResponseError as error:
        return _without_hello(place, error)


def _blocking_hello(place: RedisAddress, redis: Any) -> Any:
    try:
        return redis.execute_command("HELLO")
    except ResponseError as error:
        return _without_hello(place, error)


def _without_hello(place: RedisAddress, error: ResponseError) -> dict[str, str]:
    """Return the answer of a server that does not know HELLO. Raises any other error."""
    if "SELECT is not allowed" in str(error):
        raise StateError(f"{place}: this Redis Cluster has no database but 0; name none") from None
    if "unknown command" not in str(error).lower():
        raise error
    return {"mode": "standalone"}


def _is_cluster(place: RedisAddress, hello: Any) -> bool:
    """Return whether a server is a node of a cluster. Raises StateError if `place` does not fit."""
    if not isinstance(hello, dict):  # RESP2
        hello = dict(zip(hello[::2], hello[1::2], strict=True))
    mode = hello.get(b"mode", hello.get("mode"))
    if mode not in (b"cluster", "cluster"):
        if len(place.urls) > 1:
            raise StateError(f"{place}: it names several servers, but they are no Redis Cluster")
        return False
    if place.is_by_socket:
        raise StateError(f"{place}: name a Redis Cluster by HOST:PORT, not by a socket")
    return True
