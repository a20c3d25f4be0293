"""Puts visits off: a failed or delayed visit ends, and its link is open again for later."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from scrapy import Request

from evocrawl.adapter.download_slots import slot_of
from evocrawl.adapter.meta import VISIT
from evocrawl.core.sanitize import without_credentials

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from scrapy.crawler import Crawler

    from evocrawl.adapter.context import CrawlContext
    from evocrawl.core.fetch import Fetch
    from evocrawl.core.model import Fingerprint


@dataclass(slots=True)
class _Rest:
    """What is left to do for a link: `request`, after the redirects of `fetch`."""

    request: Request
    fetch: Fetch


class Retries:
    """Puts visits off: those that failed, and those whose next host may not be asked now.

    Such a visit ends at no cost to the agent, and its link is open again where it led last: the
    population sends an agent there when the host has room, is not in back-off and its robots.txt
    is known. So no visit holds a place while it waits. Redirects are not repeated: the next visit
    of the link begins with the request that was put off.

    `is_open` says whether a request for a URL need not wait for robots.txt.
    """

    def __init__(
        self, context: CrawlContext, crawler: Crawler, is_open: Callable[[str], bool]
    ) -> None:
        self._context = context
        self._crawler = crawler
        self._is_open = is_open
        self._rests: dict[Fingerprint, _Rest] = {}
        self._first_urls: dict[Fingerprint, str] = {}
        self._tries: dict[Fingerprint, int] = {}

    def begin_again(self, urls: Mapping[Fingerprint, str]) -> None:
        """Begin visits of these links at the URLs where redirects led in an earlier run."""
        self._first_urls.update(urls)

    def retry(self, fetch: Fetch, request: Request) -> None:
        """Open the link of a failed visit again; `request` is the second try."""
        self._crawler.stats.inc_value("evocrawl/retries")
        self._put_off(fetch, request)

    def may_go_on(self, fetch: Fetch, request: Request) -> bool:
        """Return whether `request`, with which a visit goes on, may be sent at once. O(1)."""
        if not request.meta.get("dont_obey_robotstxt") and not self._is_open(request.url):
            return False
        hosts = self._context.population.environment.hosts
        return hosts.is_free_for(fetch.host, slot_of(request), self._context.now_s())

    def go_on(self, fetch: Fetch, request: Request) -> bool:
        """Let a visit go on with `request`, whose address it has taken, or put it off.

        Return whether it goes on.
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

    def take(self, fetch: Fetch) -> Request:
        """Return the request that the visit begins with."""
        lead = fetch.visit.lead
        rest = self._rests.pop(lead.fingerprint, None)
        first = self._first_urls.pop(lead.fingerprint, "")
        if rest is not None:
            fetch.follow(rest.fetch)
            return rest.request
        fetch.url = fetch.origin = first or lead.url
        own = lead.payload if isinstance(lead.payload, Request) else None
        request = own or Request(without_credentials(fetch.url))
        tries = self._tries.pop(lead.fingerprint, 0)
        if tries:
            request.meta["retry_times"] = tries
        return request

    def _put_off(self, fetch: Fetch, request: Request) -> None:
        request.meta.pop(VISIT, None)
        is_shared = self._context.cluster is not None
        if is_shared and fetch.hops:
            # Redis keeps the link at its own host: after a redirect its visit begins anew.
            self._tries[fetch.visit.lead.fingerprint] = request.meta.get("retry_times", 0)
            self._context.fetches.put_off(fetch)
            return
        self._rests[fetch.visit.lead.fingerprint] = _Rest(request, fetch)
        self._context.fetches.put_off(fetch, fetch.url if fetch.hops else "")
