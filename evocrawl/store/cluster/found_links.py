"""Shows links that were found, here or by other workers, to the population of one worker."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace

from evocrawl.core.model import Content, Link, Page
from evocrawl.core.urls.identity import host_of
from evocrawl.population.exchange import ForeignPage, PageDigest, PopulationExchange
from evocrawl.population.population import Population
from evocrawl.store.cluster.events import WorkerEvents
from evocrawl.store.cluster.lease_table import LeaseTable
from evocrawl.store.cluster.open_callbacks import OpenCallbacks
from evocrawl.store.cluster.redis.codec import Found, Source
from evocrawl.store.cluster.redis.commands import RedisCommands
from evocrawl.store.cluster.redis.outbox import OutboxBatch

EXCLUDED = "excluded"
"""Outcome of a link that a user has excluded, in the rows of Redis."""

_FEW = 100
"""Links of a host that may wait until links of others are shown: together they cost half."""


class FoundLinks:
    """Shows links to `population`, unless a user has excluded them or their callbacks go on.

    Links of own hosts are noted in `lease_table`; `put` sends the settlement of an excluded link.
    """

    def __init__(
        self,
        population: Population,
        lease_table: LeaseTable,
        calls: RedisCommands,
        put: Callable[[OutboxBatch], None],
        callbacks: OpenCallbacks,
        events: WorkerEvents,
    ) -> None:
        self._events = events
        self._population = population
        self._exchange = PopulationExchange(population)
        self._base = population.environment.base
        self._lease_table = lease_table
        self._calls = calls
        self._put = put
        self._callbacks = callbacks
        self._later = list[tuple[str, str, Link, Source]]()
        """Links to own hosts, each with host and lease, that the next `of_others` shows."""

    @property
    def has_later(self) -> bool:
        """True if links wait for the next `of_others`."""
        return bool(self._later)

    def of_host(
        self, host: str, links: Sequence[tuple[Link, Source | None]], *, again: bool = False
    ) -> None:
        """Show the open links of a host to the population, except those that it has already.

        With `again` show those too, for a population that has no link to choose. A few links wait
        for the next `of_others`.
        """
        self._events.links_found.send([link for link, _ in links])
        lease = self._lease_table.leases.get(host)
        if again or lease is None or len(self._later) + len(links) > _FEW:
            self.show(host, links, again=again)
            return
        for link, source in self._fresh(host, links):
            if source is None:
                self._show_if_open([(link, source)])
            else:
                self._later.append((host, lease, link, source))

    def read_digest(self, packed: PageDigest) -> PageDigest:
        """Return the digest of a page of another worker. Raises ValueError."""
        return self._exchange.read_digest(packed)

    def of_others(self, pages: Iterable[tuple[PageDigest, Found]]) -> None:
        """Show links to own hosts that other workers have found, with the digests of the pages.

        A page counts as a source of a link that this worker has followed already, too. Links that
        `of_host` has left for later are shown with them.
        """
        found = list[ForeignPage]()
        for digest, links in pages:
            self._events.links_found.send([link for _, link, _ in links])
            by_source: dict[Source | None, list[Link]] = defaultdict(list)
            for host, link, source in links:
                if link.fingerprint in self._callbacks or self._leaves_out(host, link):
                    continue
                if not self._base.is_claimed(link.fingerprint):
                    self._lease_table.wait(host, link.fingerprint)
                by_source[source].append(link)
            for source, some in by_source.items():
                if source is not None:
                    page = _page_of(source, some, digest.text)
                    found.append(ForeignPage(page, source.depth, digest))
                elif seeds := [one for one in some if not self._base.is_claimed(one.fingerprint)]:
                    self._exchange.show_seeds(seeds)
        self._exchange.show(found + self._left_for_later())

    def _left_for_later(self) -> list[ForeignPage]:
        """Return the pages with links that `of_host` has left for later and that wait still."""
        later, self._later = self._later, []
        table = self._lease_table
        return self._pages_of(
            (link, source)
            for host, lease, link, source in later
            if table.leases.get(host) == lease
            and link.fingerprint in table.waiting.get(host, ())
            and link.fingerprint not in self._callbacks
            and self._exchange.restore(link.fingerprint)
        )

    def of_page(self, page: Page, depth: int) -> None:
        """Show a page that another worker may have fetched, with its links."""
        self._events.links_found.send(page.links)
        fresh = [link for link in page.links if self.place(link)]
        self._exchange.show([ForeignPage(replace(page, links=tuple(fresh)), depth)])

    def show(
        self, host: str, links: Sequence[tuple[Link, Source | None]], *, again: bool = False
    ) -> None:
        """Show links of an own host; see `of_host`."""
        self._show_if_open(self._fresh(host, links, again=again))

    def _fresh(
        self, host: str, links: Sequence[tuple[Link, Source | None]], *, again: bool = False
    ) -> list[tuple[Link, Source | None]]:
        """Note links of an own host; return those that are to be shown."""
        fresh = []
        for link, source in links:
            target = link.fingerprint
            if target in self._callbacks or self._leaves_out(host, link):
                continue
            is_new = self._lease_table.wait(host, target)
            # The page of a waiting, claimed link could not be recorded in time.
            is_new |= self._base.is_claimed(target)
            if is_new or again:
                fresh.append((link, source))
        return fresh

    def _show_if_open(self, links: Iterable[tuple[Link, Source | None]]) -> None:
        """Show links, except those that an agent has chosen."""
        links = [each for each in links if self._exchange.restore(each[0].fingerprint)]
        if seeds := [link for link, source in links if source is None]:
            self._exchange.show_seeds(seeds)
        self._exchange.show(
            self._pages_of((link, source) for link, source in links if source is not None)
        )

    @staticmethod
    def _pages_of(links: Iterable[tuple[Link, Source]]) -> list[ForeignPage]:
        """Return the pages of links, without their texts."""
        by_source: dict[Source, list[Link]] = defaultdict(list)
        for link, source in links:
            by_source[source].append(link)
        return [
            ForeignPage(_page_of(source, found), source.depth)
            for source, found in by_source.items()
        ]

    def place(self, link: Link) -> bool:
        """Note a link that was found; withdraw it if another worker leases its host.

        Returns False if the link is known already.
        """
        host, target = host_of(link.url), link.fingerprint
        if self._base.is_claimed(target) or self._is_excluded(link.url, host):
            return False
        if host in self._lease_table.foreign:
            self._exchange.withdraw([target])
            return True
        return self._lease_table.wait(host, target)

    def _leaves_out(self, host: str, link: Link) -> bool:
        """Return whether a user has excluded the link; if so, settle it for all workers."""
        if not self._is_excluded(link.url, host):
            return False
        target, lease = link.fingerprint, self._lease_table.leases.get(host)
        if target not in self._population.selector.targets:
            self._exchange.withdraw([target])
            self._lease_table.settle(host, target)
            if lease is not None:
                self._put(OutboxBatch(settles=[self._calls.settle(host, lease, target, EXCLUDED)]))
        return True

    def _is_excluded(self, url: str, host: str) -> bool:
        return self._population.discovery.exclusions.covers_url(url, host)


def _page_of(source: Source, links: Sequence[Link], text: str = "") -> Page:
    content = Content(source.title, text)
    return Page(
        source.url, source.fingerprint, source.relevance, 0.0, tuple(links), content=content
    )
