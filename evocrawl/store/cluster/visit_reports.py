"""Builds the reports on settled visits that a worker sends to Redis."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from evocrawl.core.fetch import FetchDetails
from evocrawl.core.model import Fetched, Fingerprint, Lead, Link, Outcome, Page
from evocrawl.core.urls.identity import host_of
from evocrawl.population.exchange import PageDigest
from evocrawl.store.cluster.lease_table import LeaseTable
from evocrawl.store.cluster.redis.codec import Source
from evocrawl.store.cluster.redis.commands import RedisCommands
from evocrawl.store.cluster.redis.connection import Call
from evocrawl.store.cluster.redis.outbox import OutboxBatch


@dataclass(frozen=True, slots=True)
class VisitReports:
    """Reports settled visits under the leases of `lease_table`, where their links wait no more.

    `is_new` notes a link of a page and returns whether it was unknown; only new links are offered.
    `digest` returns what other workers get of the text of the page, with its links.
    """

    lease_table: LeaseTable
    calls: RedisCommands
    is_new: Callable[[Link], bool]
    digest: Callable[[Page], PageDigest]

    def report(
        self, lead: Lead, outcome: Outcome, details: FetchDetails | None
    ) -> OutboxBatch | None:
        """Return the report on a visit; None if this worker no longer leases its host."""
        lease = self.lease_table.leases.get(lead.host)
        if lease is None:
            return None
        self.lease_table.settle(lead.host, lead.fingerprint)
        if isinstance(outcome, Fetched):
            return self._page(lead, lease, outcome, details)
        settle = self._settle(lead.host, lease, lead.fingerprint, outcome)
        return OutboxBatch(settles=[settle])

    def _page(
        self, lead: Lead, lease: str, outcome: Fetched, details: FetchDetails | None
    ) -> OutboxBatch | None:
        """Return the report on a page, which redirects may have moved to another host."""
        page, calls, host = outcome.page, self.calls, host_of(outcome.page.url)
        own = self.lease_table.leases.get(host)
        if own is None:
            return None
        title = page.content.title
        source = Source(page.url, page.fingerprint, page.relevance, lead.depth, title)
        offers = calls.offers([(link, source) for link in page.links if self.is_new(link)])
        settles, then = [self._settle(host, own, page.fingerprint, outcome)], None
        if page.fingerprint != lead.fingerprint:
            self.lease_table.settle(host, page.fingerprint)
            link_done = self._settle(lead.host, lease, lead.fingerprint, outcome)
            if host == lead.host:
                settles.append(link_done)
            else:
                then = OutboxBatch(settles=[link_done])
        records = [] if details is None else [calls.record(host, own, outcome, lead, details)]
        return OutboxBatch(offers, records, settles, then=then, digest=self.digest(page))

    def _settle(self, host: str, lease: str, target: Fingerprint, outcome: Outcome) -> Call:
        return self.calls.settle(host, lease, target, type(outcome).__name__.lower())
