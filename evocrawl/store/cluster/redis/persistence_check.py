"""Whether a Redis keeps what a crawl writes there: on disk, and all of it."""

from __future__ import annotations

import logging
from typing import Any

from evocrawl.core.errors import StateError
from evocrawl.store.cluster.redis.connection import Connection

logger = logging.getLogger(__name__)

_PAUSE_S = 5.0


class Keeping:
    """Warns of what a Redis may lose, and raises StateError once it has evicted keys.

    A server that does not answer INFO to this user is trusted.
    """

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._evicted: dict[str, int] = {}
        self._looks_at_s = 0.0

    async def begin(self) -> None:
        """Warn where the server keeps nothing on disk, or may evict keys."""
        told = await self._info()
        self._evicted = {str(told.get("run_id")): int(told.get("evicted_keys", 0))}
        policy = str(told.get("maxmemory_policy", ""))
        if policy.startswith("allkeys"):
            logger.warning(
                "%s may evict keys of the crawl when its memory is full (maxmemory-policy %s): "
                "set noeviction",
                self._connection.place,
                policy,
            )
        if told and not told.get("aof_enabled"):
            logger.warning(
                "%s keeps no append-only file: when it restarts, the crawl's state is gone or is "
                "that of its last snapshot; set appendonly yes",
                self._connection.place,
            )

    async def look(self, now_s: float) -> None:
        """Find out every few seconds whether keys were evicted; raises StateError."""
        if now_s >= self._looks_at_s:
            self._looks_at_s = now_s + _PAUSE_S
            await self.check()

    async def check(self) -> None:
        """Raise StateError where the server has evicted keys since this worker came."""
        told = await self._info()
        evicted = int(told.get("evicted_keys", 0))
        before = self._evicted.get(str(told.get("run_id")), 0)
        policy = str(told.get("maxmemory_policy", ""))
        if evicted > before and policy.startswith("allkeys"):
            raise StateError(
                f"{self._connection.place}: Redis has evicted {evicted - before} keys "
                f"(maxmemory-policy {policy}), and the crawl's state with them: pages and links "
                "are gone"
            )

    async def _info(self) -> dict[str, Any]:
        try:
            return dict(await self._connection.ask("info"))
        except StateError:
            return {}
