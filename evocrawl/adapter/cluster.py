"""Connects a Scrapy crawl to the cluster of workers that share it in Redis."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextvars import ContextVar
from functools import partial
from typing import TYPE_CHECKING, Any

from scrapy import Request
from scrapy.utils.asyncio import is_asyncio_available

from evocrawl.adapter.exceptions import LeaseLost
from evocrawl.adapter.meta import VISIT
from evocrawl.adapter.network.handlers import check_at_last, wrap_downloads
from evocrawl.adapter.request_codec import UntrustedRequestCodec
from evocrawl.core.errors import StateError
from evocrawl.core.events import Event
from evocrawl.core.fetch import KNOWN, FetchDetails
from evocrawl.core.model import Dropped, Fingerprint, Link, Outcome, Visit, VisitId
from evocrawl.core.urls.identity import host_of
from evocrawl.population.admission import Gate
from evocrawl.population.assembly import Assembly
from evocrawl.store.cluster.population_sync import LEASE_LOST, MOVED_AWAY, PopulationSync
from evocrawl.store.cluster.quotas import ClusterTerms
from evocrawl.store.cluster.redis.keys import RedisAddress, is_shared
from evocrawl.store.cluster.worker import ClusterWorker
from evocrawl.store.journal.host_limits import JournaledHostLimits
from evocrawl.store.journal.journaled_population import JournaledPopulation
from evocrawl.store.journal.operations import Op, RunStarted

if TYPE_CHECKING:
    from scrapy.crawler import Crawler
    from scrapy.http import Response
    from scrapy.statscollectors import StatsCollector

    from evocrawl.adapter.redirects import Redirects
    from evocrawl.adapter.requests import RequestIdentities
    from evocrawl.core.fetch import Fetch

logger = logging.getLogger(__name__)

_LAST_CHECK: ContextVar[Callable[[], None] | None] = ContextVar("last_check", default=None)
"""The lease check of the request that is being sent; called when the connection is made."""


def cluster_of(
    crawler: Crawler, assembly: Assembly, limits: JournaledHostLimits, on_lost: Callable[[], None]
) -> ClusterAdapter | None:
    """Return the cluster adapter, None if the crawl is not shared. Raises StateError."""
    config = assembly.config
    if not is_shared(config.store):
        return None
    terms = ClusterTerms(
        config.max_requests or None,
        assembly.population.lifecycle.bounds,
        config.lease_s,
        config.redis_timeout_s,
        config.exchange_s,
    )
    payloads = UntrustedRequestCodec(crawler, on_lost)
    worker = ClusterWorker(RedisAddress.of(config.store), assembly.population, payloads, terms)
    return ClusterAdapter(worker, SharedPopulation(worker, limits))


class ClusterAdapter:
    """One worker of a cluster; all changes of its population go through it."""

    def __init__(self, worker: ClusterWorker, journaled: SharedPopulation) -> None:
        self.worker = worker
        self.journaled = journaled

    def listen(
        self,
        on_gained: Callable[[str], None],
        wake: Callable[[], None],
        fail: Callable[[StateError], None],
        has_more: Callable[[], bool],
        names: RequestIdentities,
    ) -> None:
        """Connect the crawl's handlers to the events of the worker."""
        events = self.worker.events
        events.host_gained.connect(on_gained)
        events.work_found.connect(wake)
        events.links_found.connect(names.recall)
        events.links_offered.connect(names.offered)
        events.failed.connect(fail)
        events.busy_checks.append(has_more)

    async def join(self, about: Mapping[str, Any]) -> None:
        """Join the cluster and start the worker; raises StateError if that fails."""
        worker = self.worker
        if not is_asyncio_available():
            raise StateError(f"{worker.place}: several workers need the asyncio reactor")
        ended = await worker.join(about)
        if ended is not None:
            logger.info(
                "store: the crawl in %s has ended (%s); raise max_requests to continue it",
                worker.place,
                ended,
            )
        else:
            logger.info("cluster: worker %s of the crawl in %s", worker.session, worker.place)
        worker.start()

    async def leave(self, stats: StatsCollector | None) -> None:
        """Stop the worker and write its counts to the stats."""
        await self.worker.close()
        if stats is not None:
            for name, value in self.worker.counts().items():
                stats.set_value(f"evocrawl/workers/{name}", value)

    def guard_requests(self, crawler: Crawler) -> None:
        """Refuse to send a visit's request once the lease of its host has run out.

        The lease is checked when the downloader sends the request, which may have waited, and again
        when the connection is made, since the process may have been stopped in between.
        """
        assert crawler.engine is not None
        handlers = crawler.engine.downloader.handlers
        check_at_last(handlers, _LAST_CHECK)

        async def send_if_ours(request: Request) -> Response:
            host, is_visit = host_of(request.url), VISIT in request.meta
            if not await self.worker.cleared(host, is_visit=is_visit):
                raise LeaseLost(LEASE_LOST)
            _LAST_CHECK.set(partial(self._check_lease, host, is_visit=is_visit))
            return await send(request)

        send = wrap_downloads(handlers, send_if_ours)

    def _check_lease(self, host: str, *, is_visit: bool) -> None:
        if not self.worker.may_send(host, is_visit=is_visit):
            raise LeaseLost(LEASE_LOST)

    def goes_astray(
        self, fetch: Fetch, request: Request, redirects: Redirects, *, may_go: bool
    ) -> bool:
        """Return whether the link of a redirect goes to Redis instead of being followed here.

        That is so if another worker leases its host, and if this worker leases it but may not send
        a request to it now.
        """
        host = host_of(request.url)
        may_go = may_go or host == fetch.host or request.url == fetch.origin
        if not host or (may_go and self.worker.may_send(host, is_visit=True)):
            return False
        link = redirects.left_to_owner(fetch, request)
        if link is None:
            fetch.stops_at(request.url, KNOWN)
        else:
            fetch.stops_at(request.url, MOVED_AWAY)
            self.worker.sync.moved(fetch.visit.lead, link)
        return True

    def leads_back(
        self, fetch: Fetch, request: Request, redirects: Redirects, others: Iterable[Fetch]
    ) -> None:
        """Open the target of a redirect that counts as known to this worker, unless Redis has it.

        The worker may have fetched the target under a lease that ended before Redis had the page. A
        target that Redis has, or that `others` are fetching, is not opened again.
        """
        link = redirects.claimed_target(fetch, request)
        if fetch.failure != KNOWN or link is None:
            return
        target, under_way = link.fingerprint, (each for each in others if each is not fetch)
        if not any(target in (each.address, *each.claimed) for each in under_way):
            self.worker.sync.moved(fetch.visit.lead, link)


class SharedPopulation(JournaledPopulation):
    """Changes the population of a shared crawl, and sends each change to Redis."""

    def __init__(self, worker: ClusterWorker, limits: JournaledHostLimits) -> None:
        super().__init__(worker.population, limits, _RedisJournal(worker.sync))
        self._worker = worker
        super().guard(worker.sync.origin_of)

    def guard(self, gate: Gate) -> None:
        """Set the gate of the hosts that this worker leases."""
        self._worker.sync.guard(gate)

    def obey(self, run: RunStarted) -> None:
        """Apply `run`, except for its budget, which the cluster divides among the workers."""
        limit = self._budget.limit
        super().obey(run)
        self._budget.limit = limit

    def place(self, seeds: Iterable[Link]) -> int:
        """Offer seeds to the crawl; this population or another one gets them."""
        return self._worker.sync.offer(seeds)

    def link(self, page: Fingerprint, links: Iterable[Link]) -> None:
        """Offer further links of a page to the crawl."""
        self._worker.sync.offer(links, page)

    def choose(self, now_s: float) -> Visit | None:
        """Choose a visit, unless an answer of Redis is still missing."""
        if not self._worker.may_choose:
            return None
        self._worker.best_links.wait(now_s)
        return super().choose(now_s)

    def settle(
        self, visit: VisitId, outcome: Outcome, details: FetchDetails | None = None
    ) -> list[Event]:
        """Settle a visit; open its link again if its lease had run out and was renewed.

        For Redis the link is open, so it is not lost if another worker leases the host.
        """
        late = self.population.unsettled.get(visit) if outcome == Dropped(LEASE_LOST) else None
        if late is None:
            return super().settle(visit, outcome, details)
        species = self.population.lifecycle.agents[late.agent].species
        events = super().settle(visit, outcome, details)
        if late.lead.host in self._worker.sync.lease_table.leases:
            self.population.give_back(late.lead, species)
        return events

    def opened(self, origin: str) -> None:
        """Open an origin if this worker leases its host; otherwise ask for the lease first."""
        host, sync = host_of(f"{origin}/"), self._worker.sync
        if self._worker.may_send(host, is_visit=True):
            sync.paced(host, self.limits(host)[1])
            super().opened(origin)
        elif origin in self.population.closed_origins():
            sync.ask(host)


class _RedisJournal:
    """A journal that sends to Redis what other workers need, and writes nothing to disk."""

    has_begun = False

    def __init__(self, sync: PopulationSync) -> None:
        self._sync: PopulationSync | None = sync

    def append(self, op: Op) -> None:
        """Send `op` to Redis if other workers need it."""
        if self._sync is not None:
            self._sync.append(op)

    def commit(self) -> None:
        """Do nothing: no operation waits here."""

    def ops(self) -> Iterator[Op]:
        """Return no operations: none are stored here."""
        return iter(())

    def close(self) -> None:
        """Send no further operations."""
        self._sync = None
