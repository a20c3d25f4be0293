"""Detects the end of a crawl that several workers share."""

from __future__ import annotations

from collections.abc import Iterable

from evocrawl.population.population import Population
from evocrawl.store.cluster.host_leases import HostLeases
from evocrawl.store.cluster.quotas import BudgetQuota
from evocrawl.store.cluster.redis.answers import IDLE, Worker
from evocrawl.store.cluster.redis.state import ClusterState


class TerminationDetector:
    """Finds out whether and why the crawl has ended, and informs the other workers."""

    def __init__(
        self,
        state: ClusterState,
        population: Population,
        quota: BudgetQuota,
        host_leases: HostLeases,
    ) -> None:
        self._state = state
        self._population = population
        self._quota = quota
        self._host_leases = host_leases

    async def came_before(self) -> str | None:
        """Return why the crawl ended before this worker joined; None if it can continue."""
        end = await self._state.ended()
        if end is None:
            return None
        is_over = self._quota.is_used_up
        if end["reason"] != "budget":
            is_over = await self._state.is_exhausted()
        if is_over:
            return str(end["reason"])
        await self._state.end(None)
        return None

    async def look(self, living: Iterable[Worker]) -> str | None:
        """Return why no worker has anything to do; None if one may have. Call it when idle.

        `living` are the workers alive. If a link may be open, show the open links again.
        """
        end = await self._state.ended()
        reason = await self._reason(end, living)
        await self._state.check()
        if reason is None:
            await self._host_leases.look_again()
        elif end is None and reason != "extinct":
            await self._state.end(reason)
        return reason

    async def _reason(self, end: dict[str, object] | None, living: Iterable[Worker]) -> str | None:
        population = self._population
        if self._quota.is_used_up:
            return "budget"
        if not population.is_unborn and population.ended == "extinct":
            return "extinct"
        if end is not None:
            return str(end["reason"])
        if await self._state.is_exhausted() and self._all_idle(living):
            return "exhausted"
        return None

    def _all_idle(self, living: Iterable[Worker]) -> bool:
        """Species that revisit pages may have visits to make without any open link."""
        revisits = any(each.revisits for each in self._population.species)
        return not revisits or all(each.need == IDLE for each in living)
