"""Detects the end of a crawl that several workers share."""

from __future__ import annotations

from collections.abc import Iterable

from evocrawl.population.population import Population
from evocrawl.store.cluster.host_leases import HostLeases
from evocrawl.store.cluster.quotas import BudgetQuota
from evocrawl.store.cluster.redis.board import IDLE, ClusterState, Worker


class TerminationDetector:
    """Finds out whether and why the crawl has ended, and tells the other workers."""

    def __init__(
        self,
        board: ClusterState,
        population: Population,
        quota: BudgetQuota,
        host_leases: HostLeases,
    ) -> None:
        self._board = board
        self._population = population
        self._quota = quota
        self._host_leases = host_leases

    async def came_before(self) -> str | None:
        """Return why the crawl ended before this worker joined; None if it can continue."""
        end = await self._board.ended()
        if end is None:
            return None
        is_over = self._quota.is_used_up
        if end["reason"] != "budget":
            is_over = await self._board.is_exhausted()
        if is_over:
            return str(end["reason"])
        await self._board.end(None)
        return None

    async def look(self, living: Iterable[Worker]) -> str | None:
        """Return why no worker has anything to do; None if one may have. Call it when idle.

        `living` are the workers alive. If a link may be open, show the open links again.
        """
        end = await self._board.ended()
        reason = await self._reason(end, living)
        await self._board.check()
        if reason is None:
            await self._host_leases.look_again()
        elif end is None and reason != "extinct":
            await self._board.end(reason)
        return reason

    async def _reason(self, end: dict[str, object] | None, living: Iterable[Worker]) -> str | None:
        population = self._population
        if self._quota.is_used_up:
            return "budget"
        if not population.is_unborn and population.ended == "extinct":
            return "extinct"
        if end is not None:
            return str(end["reason"])
        if await self._board.is_exhausted() and self._all_idle(living):
            return "exhausted"
        return None

    def _all_idle(self, living: Iterable[Worker]) -> bool:
        """Species that revisit pages may have visits to make without any open link."""
        revisits = any(each.revisits for each in self._population.species)
        return not revisits or all(each.need == IDLE for each in living)
