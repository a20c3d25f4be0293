"""Counts every HTTP request against the budget, and notes its cost on its visit."""

from __future__ import annotations

from functools import partial
from http.client import responses
from typing import TYPE_CHECKING, Self

from scrapy.exceptions import IgnoreRequest

from evocrawl.adapter.context import CrawlContext
from evocrawl.adapter.exceptions import AddressRefused, HostGivenUp, OverBudget, RobotsUnreachable
from evocrawl.adapter.meta import OPENER, REFUSED, VISIT
from evocrawl.core.fetch import ADDRESS, GIVEN_UP, OVER_BUDGET, RawResponse, has_page
from evocrawl.core.model import SERVER_ERROR
from evocrawl.core.sanitize import one_line
from evocrawl.middlewares.browser_requests import watch_browsers

if TYPE_CHECKING:
    from scrapy import Request
    from scrapy.crawler import Crawler
    from scrapy.http import Response
    from scrapy.statscollectors import StatsCollector


class MeterMiddleware:
    """Downloader middleware next to the downloader: each request that it sees is sent.

    It is nearer to the downloader than the HTTP cache, so an answer from the cache is not counted.
    It is also nearer than redirects and retries, so each hop and each try is counted.
    """

    def __init__(self, context: CrawlContext, stats: StatsCollector) -> None:
        self._context = context
        self._stats = stats

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Build on the crawler's context."""
        context = CrawlContext.of(crawler)
        context.on_open.append(partial(watch_browsers, crawler))
        assert crawler.stats is not None
        return cls(context, crawler.stats)

    def process_request(self, request: Request) -> None:
        """Count the request; raises OverBudget when it may not be sent."""
        fetch = self._context.fetches.sending(request)
        if not self._context.journaled.spend(request.meta.get(VISIT)):
            if fetch is not None:
                fetch.failure = OVER_BUDGET
            raise OverBudget(f"the budget of {self._context.budget.limit} requests is used up")
        self._count_for_opener(request)
        # Redirects and retries copy it from the previous request.
        request.meta.pop("download_latency", None)
        if fetch is not None:
            fetch.sent(self._context.now_s())

    def _count_for_opener(self, request: Request) -> None:
        """Count a request of a page in the browser for the visit of that page."""
        opener = self._context.fetches.under_way.get(request.meta.get(OPENER, 0))
        if opener is not None:
            opener.requests += 1
            opener.browser_requests += 1
            self._stats.inc_value("evocrawl/browser/requests")

    def process_response(self, request: Request, response: Response) -> Response:
        """Note time, bytes and status."""
        fetch = self._context.fetches.of(request)
        if fetch is not None:
            headers_s = request.meta.get("download_latency") or 0.0
            fetch.returned(self._context.now_s(), headers_s, len(response.body))
            fetch.failure = "" if has_page(response.status) else f"status {response.status}"
            if self._context.config.store_bodies:
                fetch.answer = as_it_came(response)
        return response

    def process_exception(self, request: Request, exception: Exception) -> None:
        """Note time and the kind of failure."""
        fetch = self._context.fetches.of(request)
        if fetch is None:
            return
        if not isinstance(exception, IgnoreRequest):
            fetch.returned(self._context.now_s())
            fetch.failure = type(exception).__name__
        elif request.meta.get(REFUSED):
            fetch.refused, fetch.failure = True, _cause_of(exception)
        elif isinstance(exception, AddressRefused):
            fetch.failure = ADDRESS
        elif isinstance(exception, HostGivenUp):
            fetch.failure = GIVEN_UP
        else:
            fetch.failure = fetch.failure or one_line(str(exception))


def _cause_of(exception: IgnoreRequest) -> str:
    """Return why robots.txt cannot be fetched, "" where it disallows the page."""
    if not isinstance(exception, RobotsUnreachable):
        return ""
    return type(exception.__cause__).__name__ if exception.__cause__ else SERVER_ERROR


def as_it_came(response: Response) -> RawResponse:
    """Return a response as received, for archives.

    Scrapy drops the reason phrase: the standard one takes its place.
    """
    protocol = (response.protocol or "HTTP/1.1").upper()
    status_line = f"{protocol} {response.status} {responses.get(response.status, '')}".rstrip()
    headers = tuple(
        (name.decode("latin-1"), value.decode("latin-1"))
        for name, values in response.headers.items()
        for value in values
    )
    return RawResponse(status_line, headers, response.body)
