"""One worker's share of the request budget and of the population bounds."""

from __future__ import annotations

import asyncio
from collections.abc import Collection
from dataclasses import dataclass

from evocrawl.core.budget import Budget
from evocrawl.population.lifecycle import PopulationBounds
from evocrawl.store.cluster.redis.state import ClusterState

_UNLIMITED = 1 << 50
"""Budget of a crawl without a limit, by which Redis counts its requests."""


@dataclass(frozen=True, slots=True)
class ClusterTerms:
    """The limits that the workers share, and their time-outs.

    `limit` is the budget of HTTP requests for all workers together (None: no limit). `bounds` hold
    for all populations together, and for each of them if there is no limit. Other workers take over
    the hosts of a worker that has sent no heartbeat for `lease_s`. The crawl ends when Redis has
    not responded for `timeout_s`. Workers exchange what they have learnt once in `exchange_s`.
    """

    limit: int | None
    bounds: PopulationBounds
    lease_s: float
    timeout_s: float
    exchange_s: float = 5.0


class BudgetQuota:
    """A worker's part of the budget, which it takes in small portions.

    `limit` is the budget of all workers (None: no limit). The requests of all workers never exceed
    it. The portion that a killed worker has taken counts as used. Without a limit the requests are
    counted in Redis after they were sent, so that a limit may be set later.
    """

    def __init__(self, budget: Budget, state: ClusterState, limit: int | None) -> None:
        self.limit = limit
        self._budget = budget
        self._state = state
        self._left_for_all = 1
        self._taken = 0
        self._opens_with = 0
        self._turn = asyncio.Lock()
        if limit is not None:
            budget.limit = 0

    @property
    def is_used_up(self) -> bool:
        """True when both this worker's portion and the shared budget are used up."""
        return self.limit is not None and not self._left_for_all and self._budget.left == 0

    async def top_up(self, wanted: int, living: Collection[str]) -> bool:
        """Take up to `wanted` more requests if few are left; return whether there were any.

        `living` are the workers alive.
        """
        async with self._turn:
            return await self._top_up(wanted, living)

    async def _top_up(self, wanted: int, living: Collection[str]) -> bool:
        if self.limit is None:
            return False
        workers = max(len(living), 1)
        self._budget.share = max(self.limit // workers, 1)
        if (self._budget.left or 0) >= wanted // 2 or not await self._have_all_counted(living):
            return False
        given, self._left_for_all = await self._state.budget(wanted, self.limit, workers)
        self._taken += given
        self._budget.limit = self._taken
        return bool(given)

    async def count(self) -> None:
        """Count the requests sent since the last time, in a crawl without a limit."""
        async with self._turn:
            if self.limit is None:
                await self._take_exactly(self._budget.spent)

    async def change(self, limit: int | None, changes: int) -> None:
        """Set the budget of all workers, which was changed by the change number `changes`.

        Takes effect when Redis has this worker's count. After a crawl without a limit, no worker
        gets a portion before all have counted what they sent.
        """
        async with self._turn:
            if limit != self.limit:
                await self._change(limit, changes)

    async def _change(self, limit: int | None, changes: int) -> None:
        had_none, self.limit, self._left_for_all = self.limit is None, limit, 1
        self._opens_with = changes if had_none else self._opens_with
        # What is reserved is sent; the rest of the portion goes back.
        self._budget.limit = None if limit is None else self._budget.committed
        self._budget.share = self._budget.share if limit is not None else None
        await self._take_exactly(self._budget.committed)

    async def keep(self, requests: int) -> None:
        """Return the unused requests to the shared budget, except for so many."""
        async with self._turn:
            left = self._budget.left
            if left is not None and left > requests:
                self._budget.limit = self._budget.committed + requests
                await self._take_exactly(self._budget.limit)

    async def give_back(self) -> None:
        """Return the unused requests to the shared budget."""
        async with self._turn:
            if self.limit is not None:
                self._budget.limit = min(self._taken, self._budget.spent)
            await self._take_exactly(self._budget.spent)

    async def _have_all_counted(self, living: Collection[str]) -> bool:
        if self._opens_with and await self._state.applied_by_all([*living]) >= self._opens_with:
            self._opens_with = 0
        return not self._opens_with

    async def _take_exactly(self, requests: int) -> None:
        """Let Redis count `requests` as those that this worker has taken in all."""
        more = requests - self._taken
        if more:
            self._taken = requests
            await self._state.budget(more, _UNLIMITED, 1)


def bounds_per_worker(whole: PopulationBounds, workers: int) -> PopulationBounds:
    """Return one worker's share of the bounds; each worker may keep at least one agent.

    >>> bounds_per_worker(PopulationBounds(20, 8, 60), 4)
    PopulationBounds(founders=5, lower=2, upper=15)
    """
    workers = max(workers, 1)
    upper = None if whole.upper is None else max(whole.upper // workers, 1)
    most = whole.founders if upper is None else upper
    lower = min(-(-whole.lower // workers), most)
    return PopulationBounds(max(min(whole.founders // workers, most), lower, 1), lower, upper)
