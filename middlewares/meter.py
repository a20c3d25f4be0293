"""The meter: every HTTP request is counted against the budget, and its cost noted on its visit."""

from __future__ import annotations

from http.client import responses
from typing import TYPE_CHECKING, Self

from scrapy.exceptions import IgnoreRequest

from evocrawl.adapter.context import CrawlContext
from evocrawl.adapter.exceptions import AddressRefused, HostGivenUp, OverBudget
from evocrawl.adapter.meta import REFUSED, VISIT
from evocrawl.core.fetch import ADDRESS, GIVEN_UP, OVER_BUDGET, RawResponse, has_page
from evocrawl.core.sanitize import one_line
from evocrawl.middlewares.browser_requests import watch_browsers

if TYPE_CHECKING:
    from scrapy import Request
    from scrapy.crawler import Crawler
    from scrapy.http import Response


class MeterMiddleware:
    """Downloader middleware next to the downloader: what passes here goes onto the wire.

    It sits inside the HTTP cache, so that an answer from the cache is no request, and inside
    redirects and retries, so that each hop and each try is one.
    """

    def __init__(self, ecosystem: CrawlContext) -> None:
        self._ecosystem = ecosystem

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Build on the crawler's ecosystem."""
        context = CrawlContext.of(crawler)
        context.on_open.append(lambda: watch_browsers(crawler))
        return cls(context)

    def process_request(self, request: Request) -> None:
        """Count the request; raises OverBudget when it may not be sent."""
        flight = self._ecosystem.sending(request)
        if not self._ecosystem.chronicle.spend(request.meta.get(VISIT)):
            if flight is not None:
                flight.failure = OVER_BUDGET
            raise OverBudget(f"the budget of {self._ecosystem.budget.limit} requests is used up")
        # Redirects and retries copy it from the answer before.
        request.meta.pop("download_latency", None)
        if flight is not None:
            flight.sent(self._ecosystem.now_s())

    def process_response(self, request: Request, response: Response) -> Response:
        """Note time, bytes and status."""
        flight = self._ecosystem.flight(request)
        if flight is not None:
            headers_s = request.meta.get("download_latency") or 0.0
            flight.returned(self._ecosystem.now_s(), headers_s, len(response.body))
            flight.failure = "" if has_page(response.status) else f"status {response.status}"
            if self._ecosystem.config.store_bodies:
                flight.answer = _as_it_came(response)
        return response

    def process_exception(self, request: Request, exception: Exception) -> None:
        """Note time and the kind of failure."""
        flight = self._ecosystem.flight(request)
        if flight is None:
            return
        if not isinstance(exception, IgnoreRequest):
            flight.returned(self._ecosystem.now_s())
            flight.failure = type(exception).__name__
        elif request.meta.get(REFUSED):
            flight.refused = True
        elif isinstance(exception, AddressRefused):
            flight.failure = ADDRESS
        elif isinstance(exception, HostGivenUp):
            flight.failure = GIVEN_UP
        else:
            flight.failure = flight.failure or one_line(str(exception))


def _as_it_came(response: Response) -> RawResponse:
    """The reason phrase is not known any more: it is the standard's."""
    protocol = (response.protocol or "HTTP/1.1").upper()
    status_line = f"{protocol} {response.status} {responses.get(response.status, '')}".rstrip()
    headers = tuple(
        (name.decode("latin-1"), value.decode("latin-1"))
        for name, values in response.headers.items()
        for value in values
    )
    return RawResponse(status_line, headers, response.body)
