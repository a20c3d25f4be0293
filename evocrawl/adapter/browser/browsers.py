"""Starts and ends browsers: one opens the pages until it hangs, dies, or has opened enough."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from typing import TYPE_CHECKING

from evocrawl.adapter.exceptions import PageTooLarge

if TYPE_CHECKING:
    from scrapy.crawler import Crawler

    from evocrawl.adapter.browser.handler import BrowserHandler

logger = logging.getLogger(__name__)

_START_S = 120.0
"""Seconds in which Playwright, and then the browser, must have started."""
_ANSWER_S = 20.0
"""Seconds in which a browser must answer."""


class PageNotOpenedError(Exception):
    """A page cannot be opened, in a browser that works."""


class Browsers:
    """The browser of a crawl, which starts with the first page.

    After `most_pages` pages (0: never) a new browser opens the next ones; the old one ends with the
    last page that is open in it, and with what it and its driver keep of closed pages.
    """

    def __init__(self, crawler: Crawler, most_pages: int) -> None:
        assert crawler.stats is not None
        self._crawler = crawler
        self._stats = crawler.stats
        self._most_pages = most_pages
        self.current: BrowserHandler | None = None
        self._starting = asyncio.Lock()
        self._ending: set[asyncio.Task[None]] = set()

    @asynccontextmanager
    async def take(self) -> AsyncIterator[BrowserHandler]:
        """Give the browser for one page; after an exception it is restarted unless it answers.

        Raises PageNotOpenedError if it answers: the page is the cause.
        """
        handler = await self._for_one_page()
        try:
            await asyncio.wait_for(handler.start_browser(), _START_S)
            yield handler
        except PageTooLarge:
            raise
        except Exception as error:
            if await self._answers(handler):
                raise PageNotOpenedError(repr(error)) from error
            self._restart(handler)
            raise
        finally:
            handler.pages_open -= 1
            if handler is not self.current and not handler.pages_open:
                self._end(handler)

    async def close(self) -> None:
        """End all browsers."""
        if self.current is not None:
            self._end(self.current)
            self.current = None
        if self._ending:
            await asyncio.wait(self._ending)

    async def _for_one_page(self) -> BrowserHandler:
        async with self._starting:
            handler = self.current
            if handler is not None and 0 < self._most_pages <= handler.pages:
                self._retire(handler)
                handler = None
            if handler is None:
                handler = self.current = await self._started()
            handler.pages += 1
            handler.pages_open += 1
            return handler

    async def _started(self) -> BrowserHandler:
        from evocrawl.adapter.browser.handler import BrowserHandler

        handler = BrowserHandler(self._crawler)
        await asyncio.wait_for(handler.launch(), _START_S)
        return handler

    async def _answers(self, handler: BrowserHandler) -> bool:
        """Return whether a browser still works: it opens and closes an empty context."""
        if handler.is_ended:
            return False
        try:
            await asyncio.wait_for(handler.try_browser(), _ANSWER_S)
        except Exception:
            return False
        return True

    def _restart(self, handler: BrowserHandler) -> None:
        """Give a browser up, unless the code for another page has; the next page starts one."""
        if handler.is_ended:
            return
        if handler is self.current:
            self.current = None
        self._stats.inc_value("evocrawl/browser/restarts")
        logger.warning("browser: Chromium hangs or has died; a new one is started")
        handler.kill_browser()
        self._end(handler)

    def _retire(self, handler: BrowserHandler) -> None:
        """Let the browser end with the last page that is open in it."""
        self.current = None
        self._stats.inc_value("evocrawl/browser/replaced")
        if not handler.pages_open:
            self._end(handler)

    def _end(self, handler: BrowserHandler) -> None:
        """End a browser in the background, once."""
        if handler.is_ended:
            return
        handler.is_ended = True
        task = asyncio.ensure_future(_end(handler))
        self._ending.add(task)
        task.add_done_callback(self._ending.discard)


async def _end(handler: BrowserHandler) -> None:
    with suppress(Exception):
        await asyncio.wait_for(handler.close(), _ANSWER_S)
    handler.kill()
