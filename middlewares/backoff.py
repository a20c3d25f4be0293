"""Stops requests to hosts that fail or that ask the crawl to wait (429, Retry-After)."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Self
from weakref import WeakKeyDictionary

from scrapy.exceptions import (
    CannotResolveHostError,
    DownloadConnectionRefusedError,
    DownloadFailedError,
    DownloadTimeoutError,
    ResponseDataLossError,
)
from scrapy.spidermiddlewares.httperror import HttpError

from evocrawl.adapter.context import CrawlContext
from evocrawl.adapter.download_slots import slot_of
from evocrawl.adapter.exceptions import HostGivenUp
from evocrawl.adapter.failures import bare, because
from evocrawl.core.fetch import GIVEN_UP
from evocrawl.politeness.backoff import MAX_HOSTS
from evocrawl.politeness.robots.rules import retry_after

if TYPE_CHECKING:
    from scrapy import Request
    from scrapy.crawler import Crawler
    from scrapy.http import Response

TROUBLE = frozenset({408, 429, 500, 502, 503, 504, 520, 521, 522, 523, 524, 529})
"""Statuses that are about the server and not about the page."""

_FAILURES = (
    CannotResolveHostError,
    DownloadConnectionRefusedError,
    DownloadFailedError,
    DownloadTimeoutError,
    ResponseDataLossError,
    OSError,
)


_KEPT_BYTES = 4096


class BackoffMiddleware:
    """Downloader middleware between caches and the guard: it sees every answer from the network.

    It passes each failure to `evocrawl.politeness.backoff`; the population then chooses no links of
    the host while the back-off lasts. Scrapy's RetryMiddleware decides whether a request is made
    again, and the scheduler decides when.
    """

    def __init__(self, crawler: Crawler, context: CrawlContext) -> None:
        assert crawler.stats is not None
        self._stats = crawler.stats
        self._crawler = crawler
        self._settings = crawler.settings
        self._context = context
        self._backoff = context.backoff
        self._sent_at_s: WeakKeyDictionary[Request, float] = WeakKeyDictionary()
        self._last = context.last_failures

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Build on the crawler's context."""
        return cls(crawler, CrawlContext.of(crawler))

    def process_request(self, request: Request) -> None:
        """Let `request` pass, or raise HostGivenUp."""
        now_s, host = self._context.now_s(), slot_of(request)
        if self._backoff.is_given_up(host, now_s):
            self._stats.inc_value("evocrawl/hosts/given_up")
            raise because(HostGivenUp(GIVEN_UP), self._last.get(host))
        self._sent_at_s[request] = now_s
        if self._takes_half_pages(request) and self._is_last_try(request):
            request.meta.setdefault("download_fail_on_dataloss", False)

    def process_response(self, request: Request, response: Response) -> Response:
        """Report the status and Retry-After to the back-off."""
        if request not in self._sent_at_s:  # from a cache or another middleware
            return response
        if response.status in TROUBLE:
            asked = (response.headers.get(b"Retry-After") or b"").decode("latin-1")
            answer = response.replace(body=response.body[:_KEPT_BYTES])
            self._failed(request, HttpError(answer), retry_after(asked, time.time()))
        else:
            self._succeeded(slot_of(request), self._sent_at_s[request])
        return response

    def process_exception(self, request: Request, exception: Exception) -> None:
        """Report a failed request to the back-off."""
        if isinstance(exception, _FAILURES) and request in self._sent_at_s:
            self._failed(request, bare(exception), 0.0)

    def _takes_half_pages(self, request: Request) -> bool:
        is_visit = self._context.fetches.of(request) is not None
        return is_visit and getattr(self._crawler.spider, "takes_half_pages", False)

    def _is_last_try(self, request: Request) -> bool:
        """Return whether this is the last try, at which the spider takes an incomplete page."""
        settings = self._settings
        if settings.getpriority("DOWNLOAD_FAIL_ON_DATALOSS"):
            return False  # the project has set it
        if not settings.getbool("RETRY_ENABLED") or request.meta.get("dont_retry"):
            return True
        most = request.meta.get("max_retry_times", settings.getint("RETRY_TIMES"))
        return bool(request.meta.get("retry_times", 0) >= most)

    def _failed(self, request: Request, failure: Exception, asked_s: float) -> None:
        host, now_s = slot_of(request), self._context.now_s()
        self._stats.inc_value("evocrawl/hosts/failures")
        self._last[host] = failure
        self._last.move_to_end(host)
        if len(self._last) > MAX_HOSTS:
            self._last.popitem(last=False)
        until_s = self._backoff.failed(host, self._sent_at_s[request], now_s, asked_s)
        if until_s > now_s:
            self._context.journaled.hold(host, until_s)

    def _succeeded(self, host: str, sent_at_s: float) -> None:
        self._backoff.succeeded(host, sent_at_s)
        if not self._backoff.is_troubled(host):
            self._last.pop(host, None)
