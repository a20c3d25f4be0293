"""Fetches what a page in the browser requests, through the crawl's own downloader.

All middlewares see these requests: robots.txt, the address guard, the budget, cookies, redirects,
proxies, time and size limits hold, and the downloader's slots space them.
"""

from __future__ import annotations

import asyncio
import logging
from collections import OrderedDict
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from scrapy import Request
from scrapy.exceptions import IgnoreRequest
from scrapy.http.request import NO_CALLBACK

from evocrawl.adapter.meta import OPENER
from evocrawl.adapter.scrapy_internals import allow_more_requests
from evocrawl.core.sanitize import one_line

if TYPE_CHECKING:
    from scrapy.crawler import Crawler
    from scrapy.http import Response

    from evocrawl.core.model import VisitId

logger = logging.getLogger(__name__)

_SHARED_KINDS = ("script", "stylesheet")
_SHARED_BYTES = 32_000_000
_ENTRY_BYTES = 1_000
"""Bytes of a shared part in addition to its body, headers and address."""
_OWN_HEADERS = frozenset(
    ("accept-encoding", "connection", "content-length", "cookie", "host", "user-agent")
)
"""Headers that the crawl sets itself."""
_INHERITED = ("bindaddress", "cookiejar", "dont_obey_robotstxt", "dont_merge_cookies")
_DECODED = (b"Content-Encoding", b"Content-Length", b"Transfer-Encoding")


@dataclass(frozen=True, slots=True)
class Part:
    """The response to a request of a page, as the browser gets it."""

    status: int
    headers: dict[str, str]
    body: bytes

    @classmethod
    def of(cls, response: Response) -> Part:
        """Return a response of the crawl as a part; its body is decoded."""
        headers = {
            name.decode("latin-1"): (b"\n" if name == b"Set-Cookie" else b", ")
            .join(values)
            .decode("latin-1")
            for name, values in response.headers.items()
            if name not in _DECODED
        }
        return cls(response.status, headers, response.body)


@dataclass(frozen=True, slots=True)
class Asked:
    """A request of a page. `kind` is Playwright's resource type, such as "script" or "fetch"."""

    url: str
    method: str
    kind: str
    headers: dict[str, str]
    body: bytes | None


class PageParts:
    """Fetches parts of pages; a script or style sheet of several pages is requested once."""

    def __init__(self, crawler: Crawler) -> None:
        assert crawler.stats is not None
        self._crawler = crawler
        self._stats = crawler.stats
        self._shared: OrderedDict[str, asyncio.Future[Part | None]] = OrderedDict()
        self._shared_bytes = 0

    async def get(self, asked: Asked, opener: Request, visit: VisitId) -> Part | None:
        """Return a part for the page of `opener`, the request of `visit`; None if it failed."""
        if asked.method != "GET" or asked.kind not in _SHARED_KINDS:
            return await self._request(asked, opener, visit)
        known = self._shared.get(asked.url)
        if known is not None:
            self._stats.inc_value("evocrawl/browser/shared")
            self._shared.move_to_end(asked.url)
            return await asyncio.shield(known)
        coming = self._shared[asked.url] = asyncio.get_running_loop().create_future()
        part = None
        try:
            part = await self._request(asked, opener, visit)
        finally:
            coming.set_result(part)
            self._keep(asked.url, part)
        return part

    def _keep(self, url: str, part: Part | None) -> None:
        """Keep a part for other pages, unless it failed or its server forbids caching."""
        size = 0 if part is None else _size_bytes(url, part)
        if part is None or part.status != 200 or size > _SHARED_BYTES or _is_private(part):
            del self._shared[url]
            return
        self._shared_bytes += size
        while self._shared_bytes > _SHARED_BYTES:
            name, oldest = next(each for each in self._shared.items() if each[1].done())
            del self._shared[name]
            gone = oldest.result()
            self._shared_bytes -= _size_bytes(name, gone) if gone else 0

    async def _request(self, asked: Asked, opener: Request, visit: VisitId) -> Part | None:
        engine = self._crawler.engine
        assert engine is not None
        try:
            request = _request(asked, opener, visit)
            allow_more_requests(engine.downloader, +1)
            try:
                return Part.of(await engine.download_async(request))
            finally:
                allow_more_requests(engine.downloader, -1)
        except (IgnoreRequest, ValueError) as refusal:
            self._stats.inc_value("evocrawl/browser/refused")
            logger.debug("browser: a request of the page %s is refused: %r", opener.url, refusal)
        except Exception as failure:
            logger.debug(
                "browser: %s of the page %s failed: %r", one_line(asked.url), opener.url, failure
            )
        return None


def _request(asked: Asked, opener: Request, visit: VisitId) -> Request:
    """Return the request; raises ValueError for an invalid address."""
    headers: dict[str, Any] = {
        name: value for name, value in asked.headers.items() if name.lower() not in _OWN_HEADERS
    }
    meta = {name: opener.meta[name] for name in _INHERITED if name in opener.meta}
    if opener.meta.get("proxy") and urlsplit(opener.url).scheme == urlsplit(asked.url).scheme:
        meta["proxy"] = opener.meta["proxy"]
        if b"Proxy-Authorization" in opener.headers:
            headers["Proxy-Authorization"] = opener.headers[b"Proxy-Authorization"]
    return Request(
        asked.url,
        method=asked.method,
        headers=headers,
        body=asked.body or b"",
        meta={**meta, OPENER: visit, "dont_retry": True, "allow_offsite": True},
        callback=NO_CALLBACK,
        dont_filter=True,
    )


def _size_bytes(url: str, part: Part) -> int:
    headers = sum(len(name) + len(value) for name, value in part.headers.items())
    return _ENTRY_BYTES + len(url) + headers + len(part.body)


def _is_private(part: Part) -> bool:
    control = part.headers.get("Cache-Control", "").lower()
    return "no-store" in control or "private" in control
