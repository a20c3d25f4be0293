"""Reads responses: ordinary ones at once, costly ones in a process that can be killed.

No page blocks the event loop for longer than an ordinary page takes. `evocrawl.extraction.document`
finds the costly pages by their bytes. These wait for one process outside the loop, and reading ends
after `read_timeout_s`. The result, or the failure to read a page, is plain data that reaches the
population with the visit's outcome.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from scrapy import signals
from scrapy.http import HtmlResponse, TextResponse
from scrapy.utils.asyncio import run_in_thread
from scrapy.utils.defer import maybe_deferred_to_future
from twisted.internet.defer import DeferredLock

from evocrawl.adapter.response_encoding import chosen_encoding
from evocrawl.adapter.scrapy_internals import body_not_counted
from evocrawl.extraction import Document, ParsedPage, ReadingProcess, beginning, is_costly, read
from evocrawl.extraction.decoding import is_web_encoding

if TYPE_CHECKING:
    from scrapy.crawler import Crawler
    from scrapy.http import Response


CUT_OFF = "cut_off"
"""Kind of truncation: the connection ended before the page did."""
UNKNOWN_CODING = "its Content-Encoding is not known"


class ResponseExtractor:
    """Reads the pages of one crawler.

    `data` asks for RDF, too. Stats say how many pages were read in part, aside, or not at all.
    """

    def __init__(self, crawler: Crawler, limit_s: float, *, data: bool) -> None:
        self._crawler = crawler
        self._data = data
        self._process = ReadingProcess(limit_s)
        self._turn = DeferredLock()
        crawler.signals.connect(self._close, signals.spider_closed)

    async def read(self, response: Response, wire_bytes: int, *, any_text: bool) -> ParsedPage:
        """Return what can be read from a response of `wire_bytes` on the wire, 0 if unknown.

        With `any_text` every text is a page, such as the JSON-like answers of an API. Never
        raises.
        """
        document = self._document(response, wire_bytes, any_text=any_text)
        if is_costly(document):
            reading = await self._read_aside(document, response)
        else:
            reading = read(document)
        if not (reading.is_markup or reading.unread) and b"Content-Encoding" in response.headers:
            reading = ParsedPage.nothing(UNKNOWN_CODING)
        if "dataloss" in response.flags:
            if not response.body:
                return ParsedPage.nothing("nothing of it came")
            reading = replace(reading, truncated=(*reading.truncated, CUT_OFF))
        if reading.truncated:
            self._count("truncated")
        if reading.unread:
            self._count("unreadable")
        return reading

    async def _read_aside(self, document: Document, response: Response) -> ParsedPage:
        self._count("read_aside")
        assert self._crawler.engine is not None
        # Requests to other hosts go on; how many pages wait here is bounded by the visits under
        # way. One at a time: pages that wait must not hold threads, in which names are looked up.
        with body_not_counted(self._crawler.engine, response):
            await maybe_deferred_to_future(self._turn.acquire())
            try:
                return await run_in_thread(self._process.read, document)
            finally:
                self._turn.release()

    def _document(self, response: Response, wire_bytes: int, *, any_text: bool) -> Document:
        headers = response.headers
        body, encoding = _body_and_encoding(response)
        content_type = latin1(headers.get(b"Content-Type"))
        return Document(
            body if self._data else beginning(body, content_type, wire_bytes),
            response.url,
            encoding=encoding,
            content_type=content_type,
            content_language=latin1(headers.get(b"Content-Language")),
            robots_tags=tuple(latin1(value) for value in headers.getlist(b"X-Robots-Tag")),
            wire_bytes=wire_bytes,
            is_html=isinstance(response, HtmlResponse),
            is_text=isinstance(response, TextResponse),
            any_text=any_text,
            data=self._data,
        )

    def _count(self, what: str) -> None:
        if self._crawler.stats is not None:
            self._crawler.stats.inc_value(f"evocrawl/pages/{what}")

    def _close(self) -> None:
        self._process.close()


def _body_and_encoding(response: Response) -> tuple[bytes, str]:
    """Return the body, and the encoding that the project has set, "" for none.

    If no page can be in that encoding, Scrapy decodes the body.
    """
    encoding = chosen_encoding(response)
    if encoding is None or not isinstance(response, TextResponse):
        return response.body, ""
    if is_web_encoding(encoding, response.body):
        return response.body, encoding
    return response.text.encode("utf-8", "replace"), "utf-8"


def latin1(header: bytes | None) -> str:
    """Return the text of a header, "" without the header."""
    return (header or b"").decode("latin-1")
