"""A worker warns of servers that may lose rows, and ends the crawl after an eviction."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from evocrawl.core.errors import StateError
from evocrawl.store.cluster.redis.connection import Connection
from evocrawl.store.cluster.redis.keys import RedisAddress
from evocrawl.store.cluster.redis.persistence_check import Keeping


def test_nodes_that_may_lose_rows_or_have_another_time_cause_a_warning(
    caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One of them is enough; only keys that a node has evicted since then end the crawl."""

    def info(name: str, **more: object) -> dict[str, Any]:
        usual = {"maxmemory_policy": "noeviction", "aof_enabled": 1, "evicted_keys": 9}
        return {"run_id": name, "server_time_usec": 10**15, **usual, **more}

    async def story() -> None:
        connection = Connection(RedisAddress.of("redis://unused.test"))
        keeping = Keeping(connection)

        async def look(*infos: dict[str, Any]) -> str:
            async def reported() -> list[dict[str, Any]]:
                return list(infos)

            caplog.clear()
            monkeypatch.setattr(connection, "infos", reported)
            await keeping.begin()
            return caplog.text

        assert await look() == ""
        assert await look(info("a"), info("b", server_time_usec=10**15 + 1_900_000)) == ""
        assert "differ by 3600 s" in await look(
            info("a"), info("b", server_time_usec=10**15 + 36e8)
        )
        assert "no append-only file" in await look(info("a"), info("b", aof_enabled=0))
        evicting = info("b", maxmemory_policy="allkeys-lru")
        assert "maxmemory-policy allkeys-lru" in await look(info("a"), evicting)
        await keeping.check()
        evicting["evicted_keys"] = 11
        with pytest.raises(StateError, match="has evicted 2 keys"):
            await keeping.check()

    asyncio.run(story())
