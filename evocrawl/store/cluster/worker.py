"""A worker of a crawl that several processes share."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Mapping
from contextlib import suppress
from typing import Any

from evocrawl.core.errors import StateError
from evocrawl.population.population import Population
from evocrawl.store.cluster.availability import Availability
from evocrawl.store.cluster.best_links import BestLinks
from evocrawl.store.cluster.events import WorkerEvents
from evocrawl.store.cluster.heartbeat import Heartbeat
from evocrawl.store.cluster.host_leases import HostLeases
from evocrawl.store.cluster.learning_exchange import LearningExchange
from evocrawl.store.cluster.lease_table import LeaseTable
from evocrawl.store.cluster.news_reader import NewsReader
from evocrawl.store.cluster.poller import PAUSE_S, Poller
from evocrawl.store.cluster.population_sync import PopulationSync
from evocrawl.store.cluster.quotas import BudgetQuota, ClusterTerms
from evocrawl.store.cluster.rebalancer import Rebalancer
from evocrawl.store.cluster.redis.codec import RowCodec
from evocrawl.store.cluster.redis.commands import RedisCommands
from evocrawl.store.cluster.redis.connection import Connection, Unreachable
from evocrawl.store.cluster.redis.keys import KeyNames, RedisAddress
from evocrawl.store.cluster.redis.opt_outs import SharedOptOuts
from evocrawl.store.cluster.redis.outbox import Outbox
from evocrawl.store.cluster.redis.persistence_check import Keeping
from evocrawl.store.cluster.redis.state import ClusterState
from evocrawl.store.cluster.rule_exchange import RuleExchange
from evocrawl.store.cluster.steering import STOPPED, Steering
from evocrawl.store.cluster.tasks import BackgroundTasks
from evocrawl.store.cluster.termination import TerminationDetector
from evocrawl.store.cluster.workload import Workload
from evocrawl.store.journal.codec import Payloads

logger = logging.getLogger(__name__)

_JOIN_PAUSE_S = 0.5


class ClusterWorker:
    """Joins and leaves a shared crawl, and runs the worker's background tasks in between.

    The crawl connects its handlers to `events` before the worker joins.
    """

    def __init__(
        self, place: RedisAddress, population: Population, payloads: Payloads, terms: ClusterTerms
    ) -> None:
        self.place = place
        self.population = population
        self.events = events = WorkerEvents()
        self._terms = terms
        self._connection = connection = Connection(place)
        self._state = state = ClusterState(connection, round(1000 * terms.lease_s))
        self.opt_outs = SharedOptOuts(connection, state.layout)
        self._table = table = LeaseTable(terms.lease_s)
        self._tasks = tasks = BackgroundTasks(f"{place}", events)
        self._availability = Availability(place, terms.timeout_s, table.clock, events)
        self._quota = quota = BudgetQuota(population.environment.budget, state, terms.limit)
        self._persistence = persistence = Keeping(connection)
        rows = RowCodec(payloads)
        self._commands = calls = RedisCommands(rows, KeyNames(place.name))
        self._outbox = outbox = Outbox(connection, population.max_unsettled, calls, events)
        self.sync = sync = PopulationSync(population, table, calls, outbox.put, events)
        self.host_leases = leases = HostLeases(
            state, rows, sync, tasks.begin, events, outbox.is_offering
        )
        self._news = news = NewsReader(state, rows, sync, leases)
        self._termination = ending = TerminationDetector(state, population, quota, leases)
        rules = RuleExchange(state, rows, population, leases)
        self._learning = learning = LearningExchange(state, population, leases, terms.exchange_s)
        self.steering = steering = Steering(
            state, population, leases, news, outbox, quota, terms, tasks.begin, events
        )
        workload = Workload(sync, leases, outbox, news, events)
        self.best_links = best = BestLinks(population, table.clock)
        self._heartbeat = Heartbeat(
            state,
            terms,
            workload,
            best,
            leases,
            rules,
            learning,
            steering,
            persistence,
            self._availability,
            events,
        )
        self._rebalancer = Rebalancer(state, sync, leases, outbox, tasks.begin, events)
        beats = self._heartbeat
        self.poller = Poller(
            workload, best, beats, leases, news, quota, steering, ending, persistence, events
        )
        self._is_closing = False

    @property
    def session(self) -> str:
        """This worker's number."""
        return self._state.session

    @property
    def ended(self) -> str | None:
        """Why the crawl has ended; None before its end."""
        return self.poller.ended

    @property
    def is_answered(self) -> bool:
        """True while Redis responds and the worker is not about to leave."""
        return self._availability.is_up and not self._is_closing

    @property
    def may_choose(self) -> bool:
        """False while no new visit may start: Redis is silent, or the crawl has ended."""
        return self.ended is None and self.is_answered and not self._outbox.full

    def may_send(self, host: str, *, is_visit: bool) -> bool:
        """Return whether a request for `host` may be sent now.

        A request for an own host may be sent while the lease is valid. Any other request may be
        sent unless it belongs to a visit.
        """
        if host in self._table.leases:
            return self._table.is_ours(host)
        return not is_visit

    async def cleared(self, host: str, *, is_visit: bool) -> bool:
        """Return `may_send` after waiting until an expired lease is renewed or lost."""
        while not self.may_send(host, is_visit=is_visit):
            if host not in self._table.leases or self._is_closing:
                return False
            await asyncio.sleep(PAUSE_S)
        return True

    def counts(self) -> dict[str, int]:
        """Return the stats of this worker by name."""
        return {
            "fenced": self.sync.fenced,
            "poisoned": self.host_leases.poisoned,
            "taken_over": self.host_leases.taken_over,
        }

    async def join(self, about: Mapping[str, Any]) -> str | None:
        """Join the crawl that `about` describes; return why it has ended, None if it continues.

        Raises StateError if Redis holds another crawl or cannot be reached.
        """
        try:
            async with asyncio.timeout(self._terms.timeout_s):
                while not await self._try_to_join(about):
                    await asyncio.sleep(_JOIN_PAUSE_S)
        except TimeoutError:
            raise self._availability.error() from None
        return self.ended

    def start(self) -> None:
        """Start the background tasks."""
        for work in (self._outbox.run, self.poller.run, self._heartbeat.run):
            self._tasks.begin(work)

    async def close(self) -> None:
        """Send the pending results, release hosts and budget, and leave the crawl."""
        self._begin_to_close()
        self._tasks.close()
        try:
            await asyncio.wait_for(self._leave(), self._terms.timeout_s)
        except (Unreachable, StateError, TimeoutError) as error:
            why = str(error) or f"no response for {self._terms.timeout_s:g} seconds"
            logger.error(
                "cluster: could not send pending results to Redis; the visits will be repeated: %s",
                why,
            )
        finally:
            await self.stop()

    async def stop(self) -> None:
        """Stop at once and close the connection; drop the pending results."""
        self._begin_to_close()
        await self._tasks.stop()
        with suppress(Unreachable, StateError):
            await self._connection.close()

    def _begin_to_close(self) -> None:
        self._is_closing = True
        self.poller.close()

    async def _try_to_join(self, about: Mapping[str, Any]) -> bool:
        """Join the crawl; return False if Redis did not respond."""
        try:
            await self._state.join(about, self._terms.limit)
            self._commands.session = self.opt_outs.session = self.session
            self.host_leases.random.seed(int(self.session))
            await self._heartbeat.beat()
            await self.steering.begin()
            await self.poller.top_up()
            self.poller.ended = await self._termination.came_before()
            if self.steering.state == "stopping":
                self.poller.ended = STOPPED
            await self._persistence.begin()
        except Unreachable as error:
            self._availability.join_failed(error)
            return False
        self._availability.joined()
        return True

    async def _leave(self) -> None:
        if not self.session:
            return  # the worker has not joined
        if self._outbox.failure is not None:
            raise self._outbox.failure
        if not self._availability.is_up:
            raise Unreachable(f"{self.place} is not responding")
        await self._outbox.sent()
        await self._learning.exchange(self.sync.pages)
        await self._quota.give_back()
        await self._state.release(self._table.leases)
        await self._heartbeat.end()
        await self._state.leave()
