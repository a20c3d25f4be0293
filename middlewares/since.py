"""Answers requests for pages that have not changed since an earlier crawl from its store."""

from __future__ import annotations

from time import time
from typing import TYPE_CHECKING, Self

from scrapy import signals
from scrapy.exceptions import NotConfigured
from scrapy.http import Headers
from scrapy.responsetypes import responsetypes

from evocrawl.adapter.context import CrawlContext

if TYPE_CHECKING:
    from scrapy import Request
    from scrapy.crawler import Crawler
    from scrapy.http import Response

    from evocrawl.adapter.earlier_pages import EarlierPages

UNCHANGED = "unchanged"
"""Flag of responses that come from the earlier crawl."""


class SinceMiddleware:
    """Downloader middleware next to the HTTP cache; it answers as the cache does.

    It answers the plain requests of visits, except those with ``meta={"dont_cache": True}``.
    """

    def __init__(self, crawler: Crawler, context: CrawlContext, earlier: EarlierPages) -> None:
        self._crawler = crawler
        self._context = context
        self._earlier = earlier
        crawler.signals.connect(earlier.close, signals.engine_stopped)

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Build on the crawler's context; raises NotConfigured without the option `since`."""
        context = CrawlContext.of(crawler)
        if context.earlier is None:
            raise NotConfigured
        return cls(crawler, context, context.earlier)

    def process_request(self, request: Request) -> Response | None:
        """Return the earlier response of a page that has not changed since."""
        is_plain = request.method == "GET" and not request.body
        if not is_plain or {"dont_cache", "playwright"} & request.meta.keys():
            return None
        if self._context.fetches.of(request) is None:
            return None
        answer = self._earlier.unchanged(request.url, time())
        if answer is None:
            return None
        headers = Headers()
        for name, value in answer.headers:
            headers.appendlist(name, value)
        kind = responsetypes.from_args(headers=headers, url=request.url, body=answer.body)
        assert self._crawler.stats is not None
        self._crawler.stats.inc_value("evocrawl/pages/unchanged")
        return kind(
            url=request.url,
            status=int(answer.status_line.split(" ", 2)[1]),
            headers=headers,
            body=answer.body,
            flags=[UNCHANGED],
        )
