"""Applies the changes of users to one worker of a shared crawl.

Redis holds the changes in one order; see `evocrawl.store.cluster.redis.changes`. Each worker
applies all of them in this order, its own too, so that all workers come to the same parameters.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from dataclasses import replace
from functools import partial

from evocrawl.core.sanitize import mask_secrets, one_line
from evocrawl.core.urls.identity import host_of
from evocrawl.population.lifecycle import PopulationBounds
from evocrawl.population.population import Population
from evocrawl.population.steering import (
    Parameters,
    change_parameters,
    exclude,
    mark,
    parameters_of,
)
from evocrawl.store.cluster.events import WorkerEvents
from evocrawl.store.cluster.host_leases import HostLeases
from evocrawl.store.cluster.news_reader import NewsReader
from evocrawl.store.cluster.quotas import BudgetQuota, ClusterTerms, bounds_per_worker
from evocrawl.store.cluster.redis.changes import (
    Change,
    PageMarked,
    ParametersGiven,
    PatternExcluded,
    RunBegan,
    RunState,
    StateChanged,
    WorkerDrained,
    pack_change,
    unpack_change,
)
from evocrawl.store.cluster.redis.connection import Unreachable
from evocrawl.store.cluster.redis.outbox import Outbox
from evocrawl.store.cluster.redis.state import ClusterState
from evocrawl.store.cluster.tasks import Work

logger = logging.getLogger(__name__)

STOPPED = "stopped_by_user"
"""Why a crawl ended that a user has stopped."""
DRAINED = "drained"
"""Why a worker ended that `evocrawl workers --drain` has named."""

_PAUSE_S = 0.5
_AT_ONCE = 100


class Steering:
    """The changes of users, as this worker has applied them.

    `parameters` and `patterns` are those of the whole crawl, `state` is the state that users have
    set, `is_draining` is True once a user lets this worker leave. A worker that joins while others
    are stopped by a user stops, too; `begin` reads all changes so far.
    """

    def __init__(
        self,
        state: ClusterState,
        population: Population,
        host_leases: HostLeases,
        news: NewsReader,
        outbox: Outbox,
        quota: BudgetQuota,
        terms: ClusterTerms,
        begin: Callable[[Work], None],
        events: WorkerEvents,
    ) -> None:
        now, bounds = parameters_of(population), terms.bounds
        self.parameters = Parameters(terms.limit, bounds.lower, bounds.upper, now.cost, now.gain)
        self.state: RunState = "running"
        self.is_draining = False
        self._redis = state
        self._population = population
        self._host_leases = host_leases
        self._news = news
        self._outbox = outbox
        self._quota = quota
        self._terms = terms
        self._begin = begin
        self._events = events
        self._has_begun = False
        self.applied = 0
        """How many changes this worker has applied."""
        self._known: set[str] = set()
        self._workers = 1
        self._turn = asyncio.Lock()

    async def begin(self) -> None:
        """Apply all changes so far, and the state that they lead to. Raises Unreachable."""
        await self.read()
        self._has_begun = True
        if self.state == "paused":
            logger.info("cluster: a user has paused the crawl; this worker waits, too")
            self._events.state_changed.send(self.state)
        if self.state == "stopping":
            logger.info(
                "cluster: a user is stopping the crawl: run this command again when all of its "
                "workers have ended (a killed worker counts for %g s)",
                self._terms.lease_s,
            )

    def send(self, change: Change) -> None:
        """Send a change to all workers in the background; this one applies it, too."""
        self._begin(partial(self._send, pack_change(change)))

    def share(self, workers: int) -> None:
        """Set the bounds of this population, with so many workers alive.

        They share the bounds of a crawl with a limit of requests. Without one the time counts, and
        each population has all of them.
        """
        self._workers = workers
        sharers = 1 if self.parameters.max_requests is None else workers
        bounds = self._terms.bounds
        lower, upper = self.parameters.lower_bound, self.parameters.upper_bound
        founders = bounds.founders if upper is None else min(bounds.founders, upper)
        whole = PopulationBounds(founders, lower, upper)
        self._population.lifecycle.bounds = bounds_per_worker(whole, sharers)

    async def _send(self, row: str) -> None:
        await self._outbox.sent()  # a marked page is in Redis before its mark
        while True:
            try:
                await self._redis.steer(row)
                await self.read()
                return
            except Unreachable as error:
                self._events.redis_answered.send(error)
                await asyncio.sleep(_PAUSE_S)

    async def read(self) -> None:
        """Apply new changes. Raises Unreachable."""
        async with self._turn:
            before = self.applied
            while rows := await self._redis.changes(self.applied, _AT_ONCE):
                for row in rows:
                    await self._apply(row)
                    self.applied += 1
            if self.applied > before:
                await self._redis.note_applied(self.applied)
                self._events.work_found.send()

    async def _apply(self, row: bytes) -> None:
        """Apply a change, unless Redis has it twice since an answer was lost."""
        try:
            change = unpack_change(row)
            if change.id not in self._known:
                await self._do(change)
            self._known.add(change.id)
        except ValueError as error:
            await self._host_leases.put_aside("", "changes", b"", row, error)

    async def _do(self, change: Change) -> None:
        match change:
            case RunBegan():
                self._go("running")
                await self._set(replace(self.parameters, max_requests=self._terms.limit))
            case StateChanged(state):
                self._go(state)
            case ParametersGiven(values):
                await self._set(self.parameters.changed(values))
                logger.info("cluster: the parameters are now %s", self.parameters.values())
            case PatternExcluded(pattern):
                exclude(self._population, pattern)
                self._host_leases.leave_out()
                logger.info("cluster: no link to %s is followed any more", one_line(pattern))
            case PageMarked(url, key, relevant):
                await self._mark(url, key, relevant=relevant)
            case WorkerDrained(session):
                self._drain(session)

    def _go(self, state: RunState) -> None:
        is_new, self.state = state != self.state, state
        if is_new and self._has_begun:
            logger.info("cluster: a user has set the crawl to %s", state)
            self._events.state_changed.send(state)

    def _drain(self, session: str) -> None:
        if session != self._redis.session or self.is_draining:
            return
        self.is_draining = True
        logger.info("cluster: a user lets this worker finish what is under way, and leave")
        self._events.drained.send()

    async def _set(self, to: Parameters) -> None:
        if to == self.parameters:
            return
        self.parameters = to
        own = self._population.environment.budget.limit
        self.share(self._workers)
        bounds = self._population.lifecycle.bounds
        change_parameters(
            self._population,
            replace(to, max_requests=own, lower_bound=bounds.lower, upper_bound=bounds.upper),
        )
        self.share(self._workers)
        await self._quota.change(to.max_requests, self.applied + 1)

    async def _mark(self, url: str, key: str, *, relevant: bool) -> None:
        page = await self._news.page_at(host_of(url), key)
        shown = one_line(mask_secrets(url))
        if page is None:
            logger.warning("cluster: Redis has no page %s: its mark is not used", shown)
            return
        mark(self._population, page.fingerprint, page.content, relevant=relevant)
        self._events.page_marked.send(url, relevant)
        logger.info(
            "cluster: %s is marked as %s", shown, "relevant" if relevant else "not relevant"
        )
