"""Opens pages of the crawl in a browser, and reads what the browser then shows."""

from __future__ import annotations

import asyncio
import logging
from contextlib import nullcontext
from time import monotonic
from typing import TYPE_CHECKING

from scrapy.http import HtmlResponse

from evocrawl.adapter.browser.browsers import Browsers, PageNotOpenedError
from evocrawl.adapter.browser.page_cookies import PageCookies
from evocrawl.adapter.browser.page_load import PageLoad
from evocrawl.adapter.browser.parts import PageParts
from evocrawl.adapter.exceptions import PageTooLarge
from evocrawl.core.sanitize import mask_secrets, one_line

if TYPE_CHECKING:
    from scrapy import Request
    from scrapy.crawler import Crawler
    from scrapy.http import Response

    from evocrawl.adapter.browser.handler import BrowserHandler
    from evocrawl.adapter.context import CrawlContext
    from evocrawl.core.fetch import Fetch

logger = logging.getLogger(__name__)

_HUNG_S = 20.0
"""Seconds in which a page must close after its time-out."""
_TRIES = 3
"""Times that a page is opened whose browser hangs or dies."""


class Renderer:
    """Opens pages of the crawl; pages whose browser hangs or dies are opened in a new one."""

    def __init__(self, crawler: Crawler, context: CrawlContext) -> None:
        assert crawler.stats is not None
        self._crawler = crawler
        self._stats = crawler.stats
        self._context = context
        self._config = context.config
        self._parts = PageParts(crawler)
        self.browsers = Browsers(crawler, context.config.browser_lifetime_pages)
        self._again = asyncio.Lock()
        self._cut_off: set[asyncio.Future[Response]] = set()
        self._most_chars = crawler.settings.getint("DOWNLOAD_MAXSIZE")

    async def open(
        self, request: Request, response: Response, fetch: Fetch
    ) -> tuple[Response, str]:
        """Return a page as the browser shows it, and the address that its scripts lead to, or "".

        A page that the browser cannot open is returned unchanged.
        """
        async with self._context.browser_places.take(fetch, self._context.fetches):
            self._stats.inc_value("evocrawl/browser/pages")
            began_s = monotonic()
            try:
                return await self._open(request, response, fetch)
            finally:
                fetch.seconds += monotonic() - began_s
                fetch.browser_requests = max(fetch.browser_requests, 1)

    async def close(self) -> None:
        """End the browsers."""
        await self.browsers.close()
        if self._cut_off:
            await asyncio.wait(self._cut_off, timeout=_HUNG_S)

    async def _open(
        self, request: Request, response: Response, fetch: Fetch
    ) -> tuple[Response, str]:
        for attempt in range(_TRIES):
            # One of the pages that were open may be the cause: they are opened one by one.
            turn = self._again if attempt else nullcontext()
            try:
                async with turn, self.browsers.take() as handler:
                    load = self._load(request, response, fetch, handler)
                    opened = await self._within_time(handler, load)
            except (PageTooLarge, PageNotOpenedError) as error:
                _log_failure(response, error)
                break
            except Exception as error:
                _log_failure(response, error)
                continue
            return _as_read(response, opened), load.target
        self._stats.inc_value("evocrawl/browser/failed")
        return response, ""

    def _load(
        self, request: Request, response: Response, fetch: Fetch, handler: BrowserHandler
    ) -> PageLoad:
        is_limited = self._config.browser == "auto"
        return PageLoad(
            request,
            response,
            fetch.visit.id,
            self._parts,
            self._config.browser_timeout_s,
            self.has_share if is_limited else lambda: True,
            most_chars=self._most_chars,
            is_chromium=handler.is_chromium,
            cookies=PageCookies(self._crawler, request),
        )

    def has_share(self) -> bool:
        """Return True if the share of the budget allows one more request."""
        under_way = self._context.fetches.under_way.values()
        return self._context.rendering.has_share(sum(each.browser_requests for each in under_way))

    async def _within_time(self, handler: BrowserHandler, load: PageLoad) -> Response:
        """Open a page; raises TimeoutError if it does not end when its time is over."""
        timeout_s = self._config.browser_timeout_s
        opening = asyncio.ensure_future(handler.open(load, timeout_s))
        done, _ = await asyncio.wait((opening,), timeout=timeout_s + _HUNG_S)
        if not done:
            opening.cancel()  # not awaited: a browser that hangs does not close the page either
            self._cut_off.add(opening)
            opening.add_done_callback(self._cut_off.discard)
            raise TimeoutError(f"the page does not end after {timeout_s} seconds")
        return opening.result()


def _log_failure(response: Response, error: Exception) -> None:
    url = one_line(mask_secrets(response.url))
    logger.debug("browser: %s is not opened: %r", url, error)


def _as_read(response: Response, opened: Response) -> Response:
    """Return the crawl's response with the page as it is in the browser."""
    headers = response.headers.copy()
    headers[b"Content-Type"] = b"text/html; charset=utf-8"
    text = opened.text if isinstance(opened, HtmlResponse) else ""
    if not text:
        return response
    return response.replace(
        body=text.encode("utf-8", "replace"),
        encoding="utf-8",
        headers=headers,
        flags=[*response.flags, "browser"],
    )
