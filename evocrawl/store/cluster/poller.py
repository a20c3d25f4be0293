"""Polls Redis for news, budget, hosts without an owner, and the end of the crawl."""

from __future__ import annotations

import asyncio

from evocrawl.store.cluster.best_links import BestLinks
from evocrawl.store.cluster.events import WorkerEvents
from evocrawl.store.cluster.heartbeat import Heartbeat
from evocrawl.store.cluster.host_leases import HostLeases
from evocrawl.store.cluster.news_reader import NewsReader
from evocrawl.store.cluster.quotas import BudgetQuota
from evocrawl.store.cluster.redis.answers import IDLE
from evocrawl.store.cluster.redis.connection import Unreachable
from evocrawl.store.cluster.redis.persistence_check import Keeping
from evocrawl.store.cluster.steering import Steering
from evocrawl.store.cluster.termination import TerminationDetector
from evocrawl.store.cluster.workload import Workload

PAUSE_S = 0.1
_EASY_PAUSE_S = 0.25
"""Pause of a worker that fetches pages, and has enough budget and no news to read."""
_LONGEST_PAUSE_S = 1.0
_LOOK_PAUSE_S, _FEW_HOSTS_PAUSE_S = 2.0, 0.5
"""Pause of such a worker between two looks at news and changes if it has enough hosts, and if not:
links that are read together cost less, a half of it if they are four times as many.
"""
_COUNT_PAUSE_S = 1.0
"""Pause between two counts of requests."""


class Poller:
    """Polls until the crawl ends. `ended` is the reason for the end, None before it."""

    def __init__(
        self,
        workload: Workload,
        best_links: BestLinks,
        heartbeat: Heartbeat,
        host_leases: HostLeases,
        news: NewsReader,
        quota: BudgetQuota,
        steering: Steering,
        termination: TerminationDetector,
        persistence: Keeping,
        events: WorkerEvents,
    ) -> None:
        self.ended: str | None = None
        self._workload = workload
        self._best_links = best_links
        self._population = workload.population
        self._heartbeat = heartbeat
        self._host_leases = host_leases
        self._news = news
        self._quota = quota
        self._steering = steering
        self._termination = termination
        self._persistence = persistence
        self._events = events
        self._is_closed = False
        self._scan_pause_s, self._scans_at_s = PAUSE_S, 0.0
        self._need, self._listened_at_s, self._counts_at_s = IDLE, -_LOOK_PAUSE_S, 0.0
        self._had_little = False
        """True if the budget was topped up by the latest poll, so that it may soon be again."""

    async def run(self) -> None:
        """Poll until the crawl ends or the poller is closed."""
        pause_s = PAUSE_S
        while self.ended is None and not self._is_closed:
            try:
                if await self._poll():
                    is_eager = self._lacks_work(self._need) or self._news or self._had_little
                    pause_s = PAUSE_S if is_eager else _EASY_PAUSE_S
                else:
                    pause_s = min(1.5 * pause_s, _LONGEST_PAUSE_S)
            except Unreachable as error:
                self._events.redis_answered.send(error)
            await asyncio.sleep(pause_s * self._host_leases.random.uniform(0.8, 1.2))
        self._events.work_found.send()

    def close(self) -> None:
        """Stop polling after the current step."""
        self._is_closed = True

    async def top_up(self) -> bool:
        """Take more of the shared budget if little is left; return whether there was any.

        While this worker waits for links of others, it leaves the budget to them, except for one
        request, which it can begin with.
        """
        if self._population.environment.budget.left and self._best_links.is_waiting:
            self._had_little = False
            await self._quota.keep(1)
            return False
        wanted = 2 * self._population.max_unsettled
        has_more = await self._quota.top_up(wanted, self._heartbeat.living)
        self._had_little = has_more
        if has_more:
            self._events.work_found.send()
        return has_more

    async def listen(self, need: int) -> bool:
        """Read news and changes, unless they can wait; return whether there were any news.

        While this worker fetches pages, those of half a second are read together, and those of two
        if it has enough hosts.
        """
        now_s = self._host_leases.table.clock()
        pause_s = _FEW_HOSTS_PAUSE_S if need else _LOOK_PAUSE_S
        can_wait = not self._news and not self._lacks_work(need)
        if can_wait and now_s < self._listened_at_s + pause_s:
            return False
        self._listened_at_s = now_s
        is_busy = await self._news.listen(self._steering.applied)
        if self._news.has_changes:
            await self._steering.read()
        if is_busy:
            self._events.work_found.send()
        return is_busy

    async def count(self) -> None:
        """Count the requests of a crawl without a limit, once a second at most."""
        now_s = self._host_leases.table.clock()
        if now_s >= self._counts_at_s:
            self._counts_at_s = now_s + _COUNT_PAUSE_S
            await self._quota.count()

    async def scan(self, need: int) -> bool:
        """Scan for hosts without an owner, less and less often while there are none."""
        clock = self._host_leases.table.clock
        is_early = need != IDLE and clock() < self._scans_at_s
        budget = self._population.environment.budget
        if not need or is_early or self._news or budget.left == 0:
            return False
        most = self._population.max_unsettled
        has_found = await self._host_leases.scan(most, everywhere=need == IDLE)
        pause_s = PAUSE_S if has_found else min(2 * self._scan_pause_s, _LONGEST_PAUSE_S)
        self._scan_pause_s = pause_s
        self._scans_at_s = clock() + pause_s
        return has_found

    def _lacks_work(self, need: int) -> bool:
        """Return whether this worker could fetch more pages, and fetches none."""
        return bool(need) and not self._population.unsettled

    async def _poll(self) -> bool:
        """Poll once; return False if this worker has nothing to do."""
        is_busy = await self.listen(self._need)
        await self.count()
        is_busy |= await self.top_up()
        need = self._need = self._workload.need(self._workload.hosts)
        is_busy |= await self.scan(need)
        if need != IDLE or is_busy:
            return True
        ended = await self._termination.look(self._heartbeat.living.values())
        if ended is not None:
            await self._persistence.check()
        self.ended = ended
        return False
