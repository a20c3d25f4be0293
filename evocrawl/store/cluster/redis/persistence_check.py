"""Checks whether Redis keeps all rows of a crawl, in memory and on disk."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from typing import Any

from evocrawl.core.errors import StateError
from evocrawl.store.cluster.redis.connection import Connection

logger = logging.getLogger(__name__)

_PAUSE_S = 15.0
_CLOCKS_APART_S = 2.0


class Keeping:
    """Warns if a server may lose rows, and raises StateError once it has evicted keys.

    Without permission for INFO the checks are skipped.
    """

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._evicted: dict[str, int] = {}
        self._looks_at_s = 0.0

    async def begin(self) -> None:
        """Warn if a server writes no append-only file, may evict keys or has another clock."""
        infos = await self._infos()
        self._evicted = {_name(info): _evicted(info) for info in infos}
        place = self._connection.place
        if policies := sorted({_policy(info) for info in infos} - {""}):
            logger.warning(
                "Redis at %s may evict keys of the crawl when its memory is full "
                "(maxmemory-policy %s): "
                "set noeviction",
                place,
                ", ".join(policies),
            )
        if not all(info.get("aof_enabled") for info in infos):
            logger.warning(
                "Redis at %s keeps no append-only file: after a restart the crawl's state is lost "
                "or is that of the last snapshot; set appendonly yes",
                place,
            )
        if (apart_s := _apart_s(infos)) > _CLOCKS_APART_S:
            logger.warning(
                "Redis at %s: the clocks of its nodes differ by %.0f s. A node that takes over "
                "from another one would end leases too early or too late: set the clocks",
                place,
                apart_s,
            )

    async def look(self, now_s: float) -> None:
        """Call `check` every quarter of a minute. Raises StateError."""
        if now_s >= self._looks_at_s:
            self._looks_at_s = now_s + _PAUSE_S
            await self.check()

    async def check(self) -> None:
        """Raise StateError if a server has evicted keys since this worker joined."""
        for info in await self._infos():
            evicted = _evicted(info) - self._evicted.get(_name(info), 0)
            if evicted > 0 and _policy(info):
                raise StateError(
                    f"{self._connection.place}: Redis has evicted {evicted} keys "
                    f"(maxmemory-policy {_policy(info)}); pages and links of the crawl are lost"
                )

    async def _infos(self) -> list[dict[str, Any]]:
        try:
            return await self._connection.infos()
        except StateError:
            return []


def _name(info: Mapping[str, Any]) -> str:
    return str(info.get("run_id"))


def _evicted(info: Mapping[str, Any]) -> int:
    return int(info.get("evicted_keys", 0))


def _policy(info: Mapping[str, Any]) -> str:
    """Return the policy by which the server evicts keys without a lifetime; "" for none."""
    policy = str(info.get("maxmemory_policy", ""))
    return policy if policy.startswith("allkeys") else ""


def _apart_s(infos: Sequence[Mapping[str, Any]]) -> float:
    """Return by how many seconds the servers' clocks differ."""
    clocks = [int(info["server_time_usec"]) / 1e6 for info in infos if "server_time_usec" in info]
    return max(clocks, default=0.0) - min(clocks, default=0.0)
