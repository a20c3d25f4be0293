"""Checks whether a Redis server keeps all rows of a crawl, in memory and on disk."""

from __future__ import annotations

import logging
from typing import Any

from evocrawl.core.errors import StateError
from evocrawl.store.cluster.redis.connection import Connection

logger = logging.getLogger(__name__)

_PAUSE_S = 5.0


class Keeping:
    """Warns if a Redis server may lose rows, and raises StateError once it has evicted keys.

    Without permission for INFO the checks are skipped.
    """

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._evicted: dict[str, int] = {}
        self._looks_at_s = 0.0

    async def begin(self) -> None:
        """Warn if the server writes no append-only file or may evict keys."""
        info = await self._info()
        self._evicted = {str(info.get("run_id")): int(info.get("evicted_keys", 0))}
        policy = str(info.get("maxmemory_policy", ""))
        if policy.startswith("allkeys"):
            logger.warning(
                "Redis at %s may evict keys of the crawl when its memory is full "
                "(maxmemory-policy %s): "
                "set noeviction",
                self._connection.place,
                policy,
            )
        if info and not info.get("aof_enabled"):
            logger.warning(
                "Redis at %s keeps no append-only file: after a restart the crawl's state is lost "
                "or is that of the last snapshot; set appendonly yes",
                self._connection.place,
            )

    async def look(self, now_s: float) -> None:
        """Call `check` every few seconds. Raises StateError."""
        if now_s >= self._looks_at_s:
            self._looks_at_s = now_s + _PAUSE_S
            await self.check()

    async def check(self) -> None:
        """Raise StateError if the server has evicted keys since this worker joined."""
        info = await self._info()
        evicted = int(info.get("evicted_keys", 0))
        before = self._evicted.get(str(info.get("run_id")), 0)
        policy = str(info.get("maxmemory_policy", ""))
        if evicted > before and policy.startswith("allkeys"):
            raise StateError(
                f"{self._connection.place}: Redis has evicted {evicted - before} keys "
                f"(maxmemory-policy {policy}); pages and links of the crawl are lost"
            )

    async def _info(self) -> dict[str, Any]:
        try:
            return dict(await self._connection.ask("info"))
        except StateError:
            return {}
