"""Measures whether a worker has enough to do."""

from __future__ import annotations

from evocrawl.store.cluster.events import WorkerEvents
from evocrawl.store.cluster.host_leases import HostLeases
from evocrawl.store.cluster.news_reader import NewsReader
from evocrawl.store.cluster.population_sync import PopulationSync
from evocrawl.store.cluster.redis.answers import HUNGRY, IDLE
from evocrawl.store.cluster.redis.outbox import Outbox
from evocrawl.store.cluster.redis.reports import WorkerReport, this_process


class Workload:
    """The work of one worker, and its need of hosts from the other workers."""

    def __init__(
        self,
        sync: PopulationSync,
        host_leases: HostLeases,
        outbox: Outbox,
        news: NewsReader,
        events: WorkerEvents,
    ) -> None:
        self.population = sync.population
        self._sync = sync
        self._host_leases = host_leases
        self._outbox = outbox
        self._news = news
        self._events = events

    @property
    def hosts(self) -> int:
        """The number of own hosts with waiting links. O(hosts)."""
        return len(self._host_leases.table.busy_hosts())

    @property
    def is_stuck(self) -> bool:
        """True while Redis does not accept results of this worker."""
        return self._outbox.is_stuck

    def need(self, hosts: int) -> int:
        """Return 0 if `hosts` are enough, HUNGRY if not, IDLE if there is nothing to do."""
        population = self.population
        waits = self._host_leases.asked or len(self._outbox) or self._news
        waits = waits or self._sync.links.has_later
        is_stuck = population.is_unborn or population.ended is not None
        if not (waits or self._events.is_crawl_busy) and not population.unsettled and is_stuck:
            return IDLE
        return HUNGRY if hosts < population.max_unsettled else 0

    def report(self, lease_s: float, *, is_draining: bool) -> WorkerReport:
        """Return the report of this worker."""
        return WorkerReport(
            this_process(),
            lease_s,
            self._sync.pages,
            len(self.population.unsettled),
            len(self._outbox),
            self._news.read_to,
            "draining" if is_draining else "running",
        )
