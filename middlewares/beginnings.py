"""Cuts big pages to the beginning that evospider reads, to save memory."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

from scrapy.http import TextResponse

from evocrawl.adapter.context import CrawlContext
from evocrawl.adapter.extractor import latin1
from evocrawl.adapter.scrapy_internals import given_encoding
from evocrawl.extraction import beginning

if TYPE_CHECKING:
    from scrapy import Request
    from scrapy.crawler import Crawler
    from scrapy.http import Response


class BeginningsMiddleware:
    """Downloader middleware next to decompression.

    A response stays in memory until its page has been read, and a few bytes on the wire can be many
    after decompression. If the spider reads pages as evospider does
    (`CrawlContext.reads_beginnings`), only the beginning of a big page is read. Responses of a
    project's own spider stay whole.
    """

    def __init__(self, context: CrawlContext) -> None:
        self._context = context

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Build on the crawler's context."""
        return cls(CrawlContext.of(crawler))

    def process_response(self, request: Request, response: Response) -> Response:
        """Return the response; cut its body if only the beginning is read."""
        if not self._context.reads_beginnings or request.callback is not None:
            return response
        fetch = self._context.fetches.of(request)
        if fetch is None:
            return response
        kind = latin1(response.headers.get(b"Content-Type"))
        body = beginning(response.body, kind, fetch.last_bytes)
        if len(body) == len(response.body):
            return response
        # Otherwise Scrapy would decode the whole body to find its encoding.
        kept: dict[str, Any] = {}
        if isinstance(response, TextResponse):
            kept["encoding"] = given_encoding(response)
        cut: Response = response.replace(body=body, **kept)
        return cut
