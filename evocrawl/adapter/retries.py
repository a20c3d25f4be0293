"""Puts visits off: a failed or delayed visit ends, and its link is opened again."""

from __future__ import annotations

from typing import TYPE_CHECKING

from scrapy import Request

from evocrawl.adapter.download_slots import slot_of
from evocrawl.adapter.kept_requests import Rest
from evocrawl.adapter.meta import VISIT
from evocrawl.core.fetch import KNOWN
from evocrawl.core.sanitize import without_credentials

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from scrapy.crawler import Crawler

    from evocrawl.adapter.context import CrawlContext
    from evocrawl.core.fetch import Fetch
    from evocrawl.core.model import Fingerprint


class Retries:
    """Puts off visits that failed, and visits that may not continue at their next host now.

    Such a visit ends at no cost to the agent, and its link is opened again at the last target of
    its redirects. The population sends an agent there when the host has room, is not in back-off
    and its robots.txt is known. So no visit holds a place while it waits. Redirects are not
    repeated: the next visit of the link begins with the request that was put off.

    `is_open` returns whether a request for a URL need not wait for robots.txt.
    """

    def __init__(
        self, context: CrawlContext, crawler: Crawler, is_open: Callable[[str], bool]
    ) -> None:
        self._context = context
        self._crawler = crawler
        self._is_open = is_open
        self._rests: dict[Fingerprint, Rest] = {}
        self._restored: set[Fingerprint] = set()
        self._first_urls: dict[Fingerprint, str] = {}
        self._tries: dict[Fingerprint, int] = {}

    def begin_again(
        self, urls: Mapping[Fingerprint, str], rests: Mapping[Fingerprint, Rest]
    ) -> None:
        """Begin visits of these links with the requests that an earlier run has put off.

        If such a request could not be stored, begin where its redirects had led.
        """
        self._first_urls.update(urls)
        self._rests.update(rests)
        self._restored.update(rests)

    def retry(self, fetch: Fetch, request: Request) -> None:
        """Open the link of a failed visit again; `request` is the retry."""
        self._crawler.stats.inc_value("evocrawl/retries")
        self._put_off(fetch, request)

    def may_go_on(self, fetch: Fetch, request: Request) -> bool:
        """Return whether `request`, which continues a visit, may be sent at once. O(1)."""
        if not request.meta.get("dont_obey_robotstxt") and not self._is_open(request.url):
            return False
        hosts = self._context.population.environment.hosts
        return hosts.is_free_for(fetch.host, slot_of(request), self._context.now_s())

    def go_on(self, fetch: Fetch, request: Request) -> bool:
        """Continue a visit with `request`, whose address it has claimed, or put the visit off.

        Return whether it continues.
        """
        host = slot_of(request)
        if self._context.cluster is None and not self.may_go_on(fetch, request):
            self._crawler.stats.inc_value("evocrawl/put_off")
            self._put_off(fetch, request)
            return False
        if host != fetch.host:
            self._context.journaled.go_on(fetch.visit.id, host, self._context.now_s())
            fetch.host = host
        return True

    def put_off(self, requests: Iterable[Request]) -> None:
        """Put off the visits that `requests` would continue, because the crawl closes."""
        for request in requests:
            fetch = self._context.fetches.of(request)
            if fetch is not None:
                self._put_off(fetch, request)

    def take(self, fetch: Fetch) -> Request | None:
        """Return the request that the visit begins with.

        Return None, and note the failure, if it is a redirect to a page that has been requested in
        another way meanwhile.
        """
        lead = fetch.visit.lead
        rest = self._rests.pop(lead.fingerprint, None)
        first = self._first_urls.pop(lead.fingerprint, "")
        if rest is not None:
            fetch.url, fetch.address, fetch.origin = rest.url, rest.address, rest.origin
            fetch.hops, fetch.claimed = rest.hops, rest.claimed
            return rest.request if self._claim_again(fetch, rest) else None
        fetch.url = fetch.origin = first or lead.url
        own = lead.payload if isinstance(lead.payload, Request) else None
        request = own or Request(without_credentials(fetch.url))
        if VISIT in request.meta:
            # Scrapy compares requests by identity, and may not be done with the earlier visit's.
            request = request.copy()
        tries = self._tries.pop(lead.fingerprint, 0)
        if tries:
            request = request.replace(meta={**request.meta, "retry_times": tries})
        return request

    def _put_off(self, fetch: Fetch, request: Request) -> None:
        request.meta.pop(VISIT, None)
        is_shared = self._context.cluster is not None
        if is_shared and fetch.hops:
            # Redis keeps the link at its own host: after a redirect its visit begins again.
            self._tries[fetch.visit.lead.fingerprint] = request.meta.get("retry_times", 0)
            self._context.fetches.put_off(fetch)
            return
        rest = Rest(
            request,
            fetch.url,
            fetch.address,
            fetch.origin,
            fetch.hops,
            fetch.claimed,
            self._context.journaled.is_claimed(fetch.address),
        )
        target = fetch.visit.lead.fingerprint
        self._rests[target] = rest
        self._context.kept.put_off(target, rest)
        self._context.fetches.put_off(fetch, fetch.url if fetch.hops else "")

    def _claim_again(self, fetch: Fetch, rest: Rest) -> bool:
        """Claim the target of a redirect of an earlier run, whose claims ended with that run."""
        if fetch.visit.lead.fingerprint not in self._restored:
            return True
        self._restored.discard(fetch.visit.lead.fingerprint)
        if not (rest.hops and rest.is_claimed):
            return True
        claims = self._context.journaled.claims_of(fetch.visit.id)
        if claims.is_claimed(rest.address):
            fetch.failure = "" if fetch.goes_anywhere else KNOWN
            return fetch.goes_anywhere
        claims.claim(rest.address)
        fetch.claimed.append(rest.address)
        return True
