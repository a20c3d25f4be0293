"""Makes Scrapy's engine ask the scheduler again when something can be sent or settled."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from scrapy.utils.asyncio import call_later

from evocrawl.adapter.scrapy_internals import ask_scheduler_soon

if TYPE_CHECKING:
    from scrapy.crawler import Crawler

    from evocrawl.adapter.context import CrawlContext

_RECONCILE_S = 1.0
"""Seconds after which the scheduler checks for requests that ended without a signal."""
_SOON_S = 0.1
"""Seconds between two checks of visits whose output is complete and whose pages are in
pipelines."""


class EngineWakes:
    """Keeps two timers: one for the next delay that ends, one for pages that are in pipelines.

    Both stop when the crawl closes.
    """

    def __init__(self, crawler: Crawler, context: CrawlContext) -> None:
        self._crawler = crawler
        self._context = context
        self._delay_timer: Any = None
        self._pages_timer: Any = None
        self.is_closed = False

    def wake(self) -> None:
        """Make the engine ask the scheduler, unless the crawl is not open."""
        engine = self._crawler.engine
        assert engine is not None
        if engine.scraper.slot is not None and not self.is_closed:
            ask_scheduler_soon(engine)

    def wake_later(self, times_s: Iterable[float | None], *, is_busy: bool) -> None:
        """Wake the engine at the first of `times_s`; after a second at the latest if `is_busy`.

        The crawl `is_busy` if requests wait or are under way: one of them may end without a signal.
        """
        if self._delay_timer is not None or self.is_closed:
            return
        delays = [_RECONCILE_S] if is_busy else []
        for time_s in times_s:
            if time_s is not None:
                delays.append(max(time_s - self._context.now_s(), 0.0))
        if delays:
            self._delay_timer = call_later(min(delays), self._delay_over)

    def _delay_over(self) -> None:
        self._delay_timer = None
        self.wake()

    def look_soon(self) -> None:
        """Wake the engine soon, and again, while pages of complete visits are in pipelines.

        A paused engine settles no visit, so it is woken once a second.
        """
        if self._pages_timer is None and not self.is_closed:
            engine = self._crawler.engine
            is_paused = engine is not None and engine.paused
            self._pages_timer = call_later(_RECONCILE_S if is_paused else _SOON_S, self._look)

    def _look(self) -> None:
        self._pages_timer = None
        under_way = self._context.fetches.under_way.values()
        if any(fetch.known_at_s is not None for fetch in under_way):
            self.look_soon()
            self.wake()

    def close(self) -> None:
        """Stop the timers."""
        self.is_closed = True
        for timer in (self._delay_timer, self._pages_timer):
            if timer is not None:
                timer.cancel()
        self._delay_timer = self._pages_timer = None
