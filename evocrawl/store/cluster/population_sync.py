"""Synchronizes the population of one worker with the crawl in Redis.

The rows in Redis are authoritative. `PopulationSync` changes the population at once and puts its
own reports into the outbox.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from dataclasses import replace

from evocrawl.core.fetch import LATER, OVER_BUDGET, FetchDetails
from evocrawl.core.model import (
    Dead,
    Dropped,
    Fetched,
    Fingerprint,
    Lead,
    Link,
    Outcome,
    VisitId,
)
from evocrawl.core.urls.identity import host_of
from evocrawl.politeness.robots.rules import authority
from evocrawl.population.admission import Gate
from evocrawl.population.exchange import PopulationExchange
from evocrawl.population.population import Population
from evocrawl.population.species_view import ROOT
from evocrawl.store.cluster.agent_travel import AgentTravel
from evocrawl.store.cluster.events import WorkerEvents
from evocrawl.store.cluster.found_links import FoundLinks
from evocrawl.store.cluster.lease_table import LeaseTable
from evocrawl.store.cluster.open_callbacks import OpenCallbacks
from evocrawl.store.cluster.redis.codec import Source
from evocrawl.store.cluster.redis.commands import RedisCommands
from evocrawl.store.cluster.redis.outbox import OutboxBatch, hosts_of
from evocrawl.store.cluster.visit_reports import VisitReports
from evocrawl.store.journal.operations import (
    CallbackContinued,
    CallbackEnded,
    Op,
    VisitSettled,
)

LEASE_LOST = "another worker now leases the host"
MOVED_AWAY = "redirects to a host that this worker does not lease now"
NOT_TRIED = (LEASE_LOST, MOVED_AWAY)
"""Failures that are not the link's: the agent pays nothing and no species learns from them."""

_LEFT_OPEN = (LATER, OVER_BUDGET, LEASE_LOST)
"""Reasons after which a link was not visited: it stays open for the next owner of its host."""


class PopulationSync:
    """Synchronizes `population` with the rows of a crawl in Redis.

    `put` sends a batch of reports; `pages` counts the pages reported, `fenced` the refused reports.
    `links` shows links that this worker and others have found.
    """

    def __init__(
        self,
        population: Population,
        lease_table: LeaseTable,
        calls: RedisCommands,
        put: Callable[[OutboxBatch], None],
        events: WorkerEvents,
    ) -> None:
        self.lease_table = lease_table
        self.population = population
        self.fenced = self.pages = 0
        self._exchange = PopulationExchange(population)
        self._base = population.environment.base
        self._calls = calls
        self._put = put
        self.travel = AgentTravel(self._exchange, calls, put)
        self._events = events
        events.report_refused.connect(self.fenced_off)
        self._gate: Gate = lambda _: None
        self._pacing: dict[str, float] = {}
        self._unanswered = set[str]()
        """Hosts that are closed until the answer to an offer of links names their owner."""
        self._callbacks = OpenCallbacks()
        self.links = FoundLinks(population, lease_table, calls, put, self._callbacks, events)
        self._reports = VisitReports(lease_table, calls, self.links.place, self._exchange.digest)

    # What the worker's own crawl does

    def guard(self, gate: Gate) -> None:
        """Ask `gate` about the URLs of own hosts."""
        self._gate = gate

    def origin_of(self, url: str) -> str | None:
        """Return the origin that the URL waits for; None if it need not wait.

        The origin opens once this worker leases the host and the gate admits the URL.
        """
        host = host_of(url)
        if not host or self.lease_table.is_ours(host):
            return self._gate(url)
        self.ask(host)
        return authority(url)

    def ask(self, host: str) -> None:
        """Request the lease of a host."""
        self._events.host_wanted.send(host)

    def offer(self, links: Iterable[Link], page: Fingerprint = ROOT) -> int:
        """Offer links of a page, or seeds, to the crawl.

        Links of own hosts are shown to this population at once. The worker that leases another
        host learns of its links by its inbox.
        """
        source = self._source(page)
        found = [(link, source) for link in links]
        for link, _ in found:
            host = host_of(link.url)
            if host in self.lease_table.leases and not self._base.is_claimed(link.fingerprint):
                self.links.show(host, [(link, source)])
        self._put(OutboxBatch(offers=self._calls.offers(found)))
        return len(found)

    def append(self, op: Op) -> None:
        """Report a settled visit to Redis; ignore every operation that no other worker needs."""
        match op:
            case VisitSettled(visit, outcome, details):
                self._report(visit, outcome, details)
            case CallbackContinued(visit):
                self._callbacks.announce(visit)
            case CallbackEnded(visit):
                report = self._callbacks.end(visit)
                if report is not None:
                    self._put(report)
            case _:
                pass

    def moved(self, lead: Lead, link: Link) -> None:
        """Open `link`, the target of a redirect of `lead`, for the worker that leases its host."""
        offered = replace(link, anchor=lead.anchor)
        self._put(OutboxBatch(offers=self._calls.offers([(offered, self._source_of(lead))])))

    # What comes from Redis

    def gained(self, host: str, lease: str, done: set[Fingerprint], *, was_anothers: bool) -> None:
        """Apply a new lease of this worker; `done` are the settled links of the host."""
        self.lease_table.gain(host, lease)
        for target in done:
            self.lease_table.settle(host, target)
        self._exchange.withdraw(done)
        if was_anothers:
            # The last owner may have sent a request a moment ago.
            self._pacing[host] = self.population.environment.clock.now_s
        for agent, _ in self._exchange.call_back(lambda lead: lead.fingerprint in done):
            self._exchange.stay(agent)

    def paced(self, host: str, delay_s: float) -> None:
        """Hold the host until `delay_s` after its lease, since its last owner may have fetched."""
        taken_at_s = self._pacing.pop(host, None)
        if taken_at_s is not None and delay_s > 0:
            self.population.environment.hosts.hold(host, taken_at_s + delay_s)

    def denied(self, host: str, owner: str) -> None:
        """Send agents bound for a host of the worker `owner` there, and withdraw its links."""
        for agent, lead in self._exchange.call_back(lambda lead: lead.host == host):
            self.travel.send(agent, lead, owner)
        self._forget([host])

    def fenced_off(self, host: str, lease: str) -> None:
        """Count a report that Redis has refused, and drop the host if its lease has expired."""
        self.fenced += 1
        if self.lease_table.leases.get(host) == lease:
            self.lost([host])

    def lost(self, hosts: Iterable[str]) -> None:
        """Drop hosts that this worker no longer leases; agents bound for them stay here."""
        gone = set(hosts)
        for agent, _ in self._exchange.call_back(lambda lead: lead.host in gone):
            self._exchange.stay(agent)
        self._forget(gone)

    def is_foreign(self, host: str) -> None:
        """Withdraw the links of a host that another live worker leases."""
        table = self.lease_table
        if host not in table.leases and (host not in table.foreign or host in table.waiting):
            self._forget([host])

    def answered(self, host: str) -> None:
        """Let agents choose links to a host again: its owner is known, or it has none."""
        if host in self._unanswered:
            self._unanswered.remove(host)
            self.population.environment.hosts.reopen(host)
            if host in self.lease_table.waiting:
                self._events.work_found.send()

    def leased_by_others(self, hosts: Iterable[str]) -> None:
        """Withdraw the links that wait at hosts which other workers have leased. O(hosts).

        A host of which no link is known is not noted: the answer to an offer names its owner.
        """
        table = self.lease_table
        gone = [each for each in hosts if each in table.waiting and each not in table.leases]
        if gone:
            self._forget(gone)

    def is_claimed(self, target: Fingerprint) -> bool:
        """Return whether a link was followed here, or withdrawn."""
        return self._base.is_claimed(target)

    def spare(self, most: int) -> list[str]:
        """Return up to `most` own hosts without a visit or callback under way, to be released."""
        used = {visit.lead.host for visit in self.population.unsettled.values()}
        used |= {host_of(f"{origin}/") for origin in self.population.closed_origins()}
        used |= self._callbacks.hosts
        return [host for host in self.lease_table.busy_hosts() if host not in used][:most]

    def _forget(self, hosts: Collection[str]) -> None:
        environment = self.population.environment
        holds = any(each.revisits for each in self.population.species)
        for host in hosts:
            self._exchange.withdraw(self.lease_table.lose(host))
            self._pacing.pop(host, None)
            if holds:
                # A species that revisits pages would request this host again and again otherwise.
                environment.hosts.hold(host, environment.clock.now_s + self.lease_table.lease_s)
        # With an agent that waits for one of them, this worker would never be idle.
        self._exchange.leave_hosts(hosts)

    def _report(self, visit: VisitId, outcome: Outcome, details: FetchDetails | None) -> None:
        if isinstance(outcome, Dead | Dropped) and outcome.reason in _LEFT_OPEN:
            return
        lead = self.population.unsettled[visit].lead
        report = self._reports.report(lead, outcome, details)
        if report is None:
            self.fenced += 1
        else:
            self.pages += isinstance(outcome, Fetched)
            self._close_unknown(report)
            self._put(self._callbacks.hold(visit, lead, outcome, report))

    def _close_unknown(self, report: OutboxBatch) -> None:
        """Close the hosts of offered links that have no known owner until the answer names it.

        An agent that chose such a link now could nearly never follow it: links lead to hosts that
        others have leased.
        """
        table, hosts = self.lease_table, self.population.environment.hosts
        for host in hosts_of(report.offers):
            is_known = host in table.leases or host in table.foreign
            if not is_known and not hosts.is_closed(host):
                hosts.close(host)
                self._unanswered.add(host)

    def _source_of(self, lead: Lead) -> Source | None:
        return self._source(lead.source)

    def _source(self, page: Fingerprint) -> Source | None:
        record = None if page == ROOT else self._base.get(page)
        return None if record is None else Source(record.url, page, record.relevance, record.depth)
