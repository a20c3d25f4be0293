"""When a crawl that several workers share is over."""

from __future__ import annotations

from collections.abc import Iterable

from evocrawl.population.population import Population
from evocrawl.store.cluster.host_leases import HostLeases
from evocrawl.store.cluster.quotas import BudgetQuota
from evocrawl.store.cluster.redis.board import IDLE, ClusterState, Worker


class TerminationDetector:
    """Finds out why all is over, as one worker sees it, and tells the others."""

    def __init__(
        self, board: ClusterState, population: Population, ration: BudgetQuota, holdings: HostLeases
    ) -> None:
        self._board = board
        self._population = population
        self._ration = ration
        self._holdings = holdings

    async def came_before(self) -> str | None:
        """Return why the crawl was over before this worker came, None where it is not any more."""
        told = await self._board.ended()
        if told is None:
            return None
        is_over = self._ration.is_used_up
        if told["reason"] != "budget":
            is_over = await self._board.is_exhausted()
        if is_over:
            return str(told["reason"])
        await self._board.end(None)
        return None

    async def look(self, living: Iterable[Worker]) -> str | None:
        """There is nothing to do here: return why there is nothing anywhere, None if there may be.

        `living` are the workers alive. Where there may be something, it is looked for once more.
        """
        told = await self._board.ended()
        reason = await self._reason(told, living)
        await self._board.check()
        if reason is None:
            await self._holdings.look_again()
        elif told is None and reason != "extinct":
            await self._board.end(reason)
        return reason

    async def _reason(self, told: dict[str, object] | None, living: Iterable[Worker]) -> str | None:
        population = self._population
        if self._ration.is_used_up:
            return "budget"
        if not population.is_unborn and population.ended == "extinct":
            return "extinct"
        if told is not None:
            return str(told["reason"])
        if await self._board.is_exhausted() and self._all_idle(living):
            return "exhausted"
        return None

    def _all_idle(self, living: Iterable[Worker]) -> bool:
        """Those who go to known pages too may have something to do without any open link."""
        revisits = any(each.revisits for each in self._population.species)
        return not revisits or all(each.need == IDLE for each in living)
