"""Gives out places for pages in the browser, separate from those of other requests."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

from evocrawl.adapter.scrapy_internals import allow_more_requests, ask_scheduler_soon

if TYPE_CHECKING:
    from scrapy.crawler import Crawler

    from evocrawl.adapter.fetches import FetchTracker
    from evocrawl.core.fetch import Fetch
    from evocrawl.population.population import Population

MOST_WAITING = 64
"""Pages that wait for the browser without a place; more of them keep the places they have."""
BROWSER_SLOT = "browser:"
"""Host slot of the visits whose pages are in the browser or wait for it; no host has that name."""


class BrowserPlaces:
    """Keeps slow pages out of the places of fast ones.

    At most `pages` pages are open at once and `MOST_WAITING` wait. Their visits are aside: they do
    not count as requests of the downloader, as visits under way or for their host. The downloader's
    slots delay the requests of a page as they delay all others.  A crawl that makes one visit at a
    time puts no visit aside: its order must not depend on speed.
    """

    def __init__(self, crawler: Crawler, population: Population, *, pages: int) -> None:
        self._crawler = crawler
        self._most = population.max_unsettled
        self._open = asyncio.Semaphore(pages)
        self._room = pages + MOST_WAITING if pages and self._most > 1 else 0
        self._aside = 0
        population.max_unsettled += self._room

    def is_full(self, unsettled: int) -> bool:
        """Return True if the visits that are not aside have all places; `unsettled` counts all."""
        return bool(self._room) and unsettled - self._aside >= self._most

    @asynccontextmanager
    async def take(self, fetch: Fetch, fetches: FetchTracker) -> AsyncIterator[None]:
        """Put the visit of `fetch` aside, and wait until its page may be opened."""
        is_aside = self._aside < self._room
        if is_aside:
            fetches.leave_host(fetch, BROWSER_SLOT)
            self._set_aside(+1)
        try:
            async with self._open:
                yield
        finally:
            if is_aside:
                self._set_aside(-1)

    def _set_aside(self, change: int) -> None:
        assert self._crawler.engine is not None
        self._aside += change
        allow_more_requests(self._crawler.engine.downloader, change)
        ask_scheduler_soon(self._crawler.engine)
