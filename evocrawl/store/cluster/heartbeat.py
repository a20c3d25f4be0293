"""The heartbeat of a worker: it renews its leases and learns which workers are alive."""

from __future__ import annotations

import asyncio

from evocrawl.store.cluster.availability import Availability
from evocrawl.store.cluster.best_links import BestLinks
from evocrawl.store.cluster.events import WorkerEvents
from evocrawl.store.cluster.host_leases import HostLeases
from evocrawl.store.cluster.learning_exchange import LearningExchange
from evocrawl.store.cluster.quotas import ClusterTerms
from evocrawl.store.cluster.redis.answers import Worker
from evocrawl.store.cluster.redis.connection import Unreachable
from evocrawl.store.cluster.redis.persistence_check import Keeping
from evocrawl.store.cluster.redis.reports import pack_report
from evocrawl.store.cluster.redis.state import ClusterState
from evocrawl.store.cluster.rule_exchange import RuleExchange
from evocrawl.store.cluster.steering import Steering
from evocrawl.store.cluster.workload import Workload

_LONGEST_PAUSE_S = 1.0


class Heartbeat:
    """Sends heartbeats. `living` are the live workers by session, as of the last one."""

    def __init__(
        self,
        state: ClusterState,
        terms: ClusterTerms,
        workload: Workload,
        best_links: BestLinks,
        host_leases: HostLeases,
        rules: RuleExchange,
        learning: LearningExchange,
        steering: Steering,
        persistence: Keeping,
        availability: Availability,
        events: WorkerEvents,
    ) -> None:
        self.living: dict[str, Worker] = {}
        self._turn = asyncio.Lock()
        self._has_ended = False
        self._state = state
        self._lease_s = terms.lease_s
        self._workload = workload
        self._best_links = best_links
        self._host_leases = host_leases
        self._rules = rules
        self._learning = learning
        self._steering = steering
        self._persistence = persistence
        self._availability = availability
        self._events = events

    async def run(self) -> None:
        """Send heartbeats until cancelled. Raises StateError if Redis is silent for too long."""
        population, events = self._workload.population, self._events
        while True:
            try:
                await self.beat()
                await self._persistence.look(self._host_leases.table.clock())
                if not self._workload.is_stuck:
                    events.redis_answered.send(None)
                self._host_leases.tend(list(population.admission))
            except Unreachable as error:
                events.redis_answered.send(error)
            self._availability.check()
            await asyncio.sleep(min(_LONGEST_PAUSE_S, self._lease_s / 4))

    async def beat(self) -> None:
        """Renew the leases, send one heartbeat, exchange what was learnt. Raises Unreachable."""
        async with self._turn:
            if not self._has_ended:
                await self._beat()

    async def end(self) -> None:
        """Send no further heartbeat: one after the worker has left would let it seem alive."""
        async with self._turn:
            self._has_ended = True

    async def _beat(self) -> None:
        await self._host_leases.renew()
        hosts = self._workload.hosts
        report = self._workload.report(self._lease_s, is_draining=self._steering.is_draining)
        need, chance = self._workload.need(hosts), self._best_links.own()
        workers = await self._state.beat(hosts, need, pack_report(report), chance)
        if len(workers) != len(self.living):
            self._steering.share(len(workers))
            self._workload.population.environment.hosts.share(len(workers))
        self.living = {each.session: each for each in workers}
        others = (each.chance for each in workers if each.session != self._state.session)
        if self._best_links.read(others):
            self._events.work_found.send()
        await self._rules.exchange()
        await self._learning.look(report.pages, is_waiting=self._best_links.is_waiting)
        self._events.heartbeat_sent.send(hosts, workers)
