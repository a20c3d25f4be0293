"""The shared budget of requests while a user changes it."""

from __future__ import annotations

import asyncio

from hypothesis import given, settings
from hypothesis import strategies as st

from evocrawl.core.budget import Budget
from evocrawl.store.cluster.quotas import BudgetQuota


class Redis:
    """The budget of Redis, as the scripts of `evocrawl.store.cluster.redis.lua` keep it."""

    def __init__(self) -> None:
        self.taken = 0
        self.applied: dict[str, int] = {}

    async def budget(self, wanted: int, limit: int, workers: int) -> tuple[int, int]:
        left = limit - self.taken
        given = wanted
        if wanted > 0:
            given = max(0, min(wanted, left, max(1, left // (2 * workers))))
        self.taken += given
        await asyncio.sleep(0)
        return given, max(0, limit - self.taken)

    async def applied_by_all(self, sessions: list[str]) -> int:
        return min(self.applied.get(each, 0) for each in sessions)


class Workers:
    def __init__(self, count: int, limit: int | None) -> None:
        self.redis, self.limit, self.changes = Redis(), limit, 0
        self.budgets = [Budget(limit) for _ in range(count)]
        self.quotas = [BudgetQuota(each, self.redis, limit) for each in self.budgets]
        self.living = [str(at) for at in range(count)]

    @property
    def spent(self) -> int:
        return sum(each.spent for each in self.budgets)

    async def send(self, worker: int, requests: int) -> None:
        for _ in range(requests):
            await self.quotas[worker].top_up(4, self.living)
            self.budgets[worker].spend(None)

    async def change(self, limit: int | None) -> None:
        """Change the budget.

        Each worker gets the change in turn, and they send requests meanwhile.
        """
        self.changes += 1
        for worker, quota in enumerate(self.quotas):
            await quota.change(limit, self.changes)
            self.redis.applied[self.living[worker]] = self.changes
            for each in range(len(self.quotas)):
                await self.send(each, 3)
        self.limit = limit


LIMITS = st.one_of(st.none(), st.integers(1, 60))
STEPS = st.lists(st.one_of(st.tuples(st.integers(0, 2), st.integers(0, 12)), LIMITS), max_size=12)
"""A worker and the requests that it sends, 0 if it keeps one of its part; or a new limit."""


@given(LIMITS, STEPS)
@settings(deadline=None)
def test_no_request_is_sent_beyond_the_budget_of_the_moment(
    first: int | None, steps: list[tuple[int, int] | int | None]
) -> None:
    """No request of it is lost: the rest can be spent. At the end Redis has the sum."""

    async def story() -> None:
        workers, at_change = Workers(3, first), 0
        for step in steps:
            if isinstance(step, tuple):
                await workers.send(*step)
                if not step[1]:
                    await workers.quotas[step[0]].keep(1)
                    assert (workers.budgets[step[0]].left or 0) <= 1
            else:
                await workers.change(step)
                at_change = workers.spent
            if workers.limit is not None:
                assert workers.spent <= max(workers.limit, at_change)
        if workers.limit is not None:
            for worker in range(3):
                await workers.send(worker, 70)
            assert workers.spent == max(workers.limit, at_change)
        for quota in workers.quotas:
            await quota.give_back()
        assert workers.redis.taken == workers.spent

    asyncio.run(story())
