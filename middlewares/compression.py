"""Decompresses bodies; notes on the visit if a body does not match its Content-Encoding."""

from __future__ import annotations

from typing import TYPE_CHECKING, Self

from scrapy.downloadermiddlewares.httpcompression import HttpCompressionMiddleware
from scrapy.exceptions import IgnoreRequest

from evocrawl.adapter.context import CrawlContext
from evocrawl.adapter.robots.fetcher import is_for_robots

if TYPE_CHECKING:
    from scrapy import Request
    from scrapy.crawler import Crawler
    from scrapy.http import Response

NOT_AS_SAID = "the body is not what Content-Encoding says"
TOO_LARGE = "larger than DOWNLOAD_MAXSIZE when decompressed"

_HEADER = "Content-Encoding"
_NO_CODINGS = (b"identity", b"")
_CONTROLS = bytes((*range(9), *range(0x0E, 0x20), 0x7F))
_EMPTY_BYTES = 64
"""More bytes than any coding needs for an empty body."""


class DecompressionMiddleware(HttpCompressionMiddleware):
    """Scrapy's middleware for compressed bodies; it also notes on the visit why there is no page.

    ``identity`` is no coding, at any position. A body that was cut is read as far as it goes.
    A robots.txt that is plain text is read as such even if its header names a coding.
    """

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Build on the crawler's context; raises NotConfigured if COMPRESSION_ENABLED is false."""
        middleware = super().from_crawler(crawler)
        middleware._context = CrawlContext.of(crawler)
        return middleware

    _context: CrawlContext

    def process_response(self, request: Request, response: Response) -> Request | Response:  # type: ignore[override]
        """Decompress the body; raise Scrapy's exception if that fails."""
        codings = response.headers.getlist(_HEADER)
        if not codings or request.method == "HEAD":
            return response
        response = _with_codings(response, codings)
        try:
            answer = super().process_response(request, response)
        except IgnoreRequest:
            self._note(request, TOO_LARGE)
            raise
        except Exception:
            if is_for_robots(request) and _is_text(response.body):
                return _with_codings(response, [])
            self._note(request, NOT_AS_SAID)
            raise
        if len(response.body) > _EMPTY_BYTES and not answer.body:
            answer.flags.append("dataloss")
        return answer

    def _note(self, request: Request, failure: str) -> None:
        fetch = self._context.fetches.of(request)
        if fetch is not None:
            fetch.failure = failure


def _with_codings(response: Response, codings: list[bytes]) -> Response:
    """Return the response with its codings in separate header lines, without ``identity``."""
    named = [each.strip() for line in codings for each in line.split(b",")]
    kept = [each for each in named if each.lower() not in _NO_CODINGS]
    if kept:
        response.headers[_HEADER] = kept
    else:
        del response.headers[_HEADER]
    return response


def _is_text(body: bytes) -> bool:
    try:
        body.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return len(body.translate(None, _CONTROLS)) == len(body)
