"""Opens pages in a browser; starts a new browser when the old one hangs or has died."""

from __future__ import annotations

import asyncio
import logging
from contextlib import suppress
from time import monotonic
from typing import TYPE_CHECKING

from scrapy.http import HtmlResponse

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
"""Seconds in which a page must close after its time-out, and in which a browser must answer."""
_START_S = 120.0
"""Seconds in which Playwright, and then the browser, must have started."""
_TRIES = 2


class Renderer:
    """Opens pages of the crawl in a browser, which starts with the first page."""

    def __init__(self, crawler: Crawler, context: CrawlContext) -> None:
        assert crawler.stats is not None
        self._crawler = crawler
        self._stats = crawler.stats
        self._context = context
        self._config = context.config
        self._parts = PageParts(crawler)
        self._handler: BrowserHandler | None = None
        self._starting = asyncio.Lock()
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
        """Close the browser."""
        if self._handler is not None:
            await self._give_up(self._handler)
        if self._cut_off:
            await asyncio.wait(self._cut_off, timeout=_HUNG_S)

    async def _open(
        self, request: Request, response: Response, fetch: Fetch
    ) -> tuple[Response, str]:
        for _ in range(_TRIES):
            handler = None
            try:
                handler = await self._started()
                await asyncio.wait_for(handler.start_browser(), _START_S)
                load = self._load(request, response, fetch, handler)
                opened = await self._within_time(handler, load)
            except PageTooLarge as error:
                logger.debug("browser: %s", error)
                break
            except Exception as error:
                logger.debug(
                    "browser: %s is not opened: %r", one_line(mask_secrets(response.url)), error
                )
                if handler is not None and await self._answers(handler):
                    break  # the page is the cause
                await self._restart(handler)
                continue
            return _as_read(response, opened), load.target
        self._stats.inc_value("evocrawl/browser/failed")
        return response, ""

    def _load(
        self, request: Request, response: Response, fetch: Fetch, handler: BrowserHandler
    ) -> PageLoad:
        is_limited = self._config.browser == "auto"
        most_chars = self._most_chars if handler.is_chromium else 0
        return PageLoad(
            request,
            response,
            fetch.visit.id,
            self._parts,
            self._config.browser_timeout_s,
            self.has_share if is_limited else lambda: True,
            most_chars,
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

    async def _started(self) -> BrowserHandler:
        async with self._starting:
            if self._handler is None:
                from evocrawl.adapter.browser.handler import BrowserHandler

                handler = BrowserHandler(self._crawler)
                await asyncio.wait_for(handler.launch(), _START_S)
                self._handler = handler
            return self._handler

    async def _answers(self, handler: BrowserHandler) -> bool:
        """Return whether the browser still works: it opens and closes an empty context."""
        if handler is not self._handler:
            return False

        async def look() -> None:
            context = await handler.browser.new_context()
            await context.close()

        try:
            await asyncio.wait_for(look(), _HUNG_S)
        except Exception:
            return False
        return True

    async def _restart(self, handler: BrowserHandler | None) -> None:
        """Give the browser up; the next page starts a new one."""
        if handler is None or handler is not self._handler:
            return  # the code for another page has given it up
        self._handler = None
        self._stats.inc_value("evocrawl/browser/restarts")
        logger.warning("browser: Chromium hangs or has died; a new one is started")
        handler.kill_browser()
        await self._give_up(handler)

    async def _give_up(self, handler: BrowserHandler) -> None:
        with suppress(Exception):
            await asyncio.wait_for(handler.close(), _HUNG_S)
        handler.kill()


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
