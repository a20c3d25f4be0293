"""One worker's share of the request budget and of the population bounds."""

from __future__ import annotations

from dataclasses import dataclass

from evocrawl.core.budget import Budget
from evocrawl.population.lifecycle import PopulationBounds
from evocrawl.store.cluster.redis.state import ClusterState


@dataclass(frozen=True, slots=True)
class ClusterTerms:
    """The limits that the workers share, and their time-outs.

    `limit` is the budget of HTTP requests for all workers together (None: no limit), `bounds` hold
    for all populations together. Other workers take over the hosts of a worker that has sent no
    heartbeat for `lease_s`. The crawl ends when Redis has not responded for `timeout_s`.
    """

    limit: int | None
    bounds: PopulationBounds
    lease_s: float
    timeout_s: float


class BudgetQuota:
    """A worker's part of the budget, which it takes in small portions.

    `limit` is the budget of all workers (None: no limit). The requests of all workers never exceed
    it. The portion that a killed worker has taken counts as used.
    """

    def __init__(self, budget: Budget, state: ClusterState, limit: int | None) -> None:
        self.limit = limit
        self._budget = budget
        self._state = state
        self._left_for_all = 1
        if limit is not None:
            budget.limit = 0

    @property
    def is_used_up(self) -> bool:
        """True when both this worker's portion and the shared budget are used up."""
        return self.limit is not None and not self._left_for_all and self._budget.left == 0

    async def top_up(self, wanted: int, workers: int) -> bool:
        """Take up to `wanted` more requests if few are left; return whether there were any."""
        if self.limit is not None:
            self._budget.share = max(self.limit // max(workers, 1), 1)
        if self.limit is None or (self._budget.left or 0) >= wanted // 2:
            return False
        given, self._left_for_all = await self._state.budget(wanted, self.limit, workers)
        self._budget.limit = (self._budget.limit or 0) + given
        return bool(given)

    async def give_back(self) -> None:
        """Return the unused requests to the shared budget."""
        unspent = (self._budget.limit or 0) - self._budget.spent
        if self.limit is not None and unspent > 0:
            self._budget.limit = self._budget.spent
            await self._state.budget(-unspent, self.limit, 1)


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
