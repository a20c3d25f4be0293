"""Warns of callbacks and item pipelines that do not end."""

from __future__ import annotations

import logging
from collections.abc import Callable
from time import monotonic
from typing import TYPE_CHECKING, Any, Self

from scrapy import signals
from scrapy.utils.asyncio import create_looping_call

from evocrawl.core.sanitize import mask_secrets, one_line

if TYPE_CHECKING:
    from scrapy import Request
    from scrapy.crawler import Crawler

logger = logging.getLogger(__name__)

PATIENCE_S = 120.0
"""Seconds that large pages may wait until other pages are read."""

_PERIOD_S = 30.0


class Stalled:
    """Extension: warns once of each response that is processed for `PATIENCE_S` seconds.

    Scrapy waits for callbacks and pipelines without a message. A request without a response ends by
    its time-out, but a callback that never returns delays the crawl's end.
    """

    def __init__(self, crawler: Crawler, clock: Callable[[], float] = monotonic) -> None:
        self._crawler = crawler
        self._clock = clock
        self._since_s: dict[Request, float] = {}
        self._warned: set[Request] = set()
        self._task: Any = None
        crawler.signals.connect(self._opened, signals.spider_opened)
        crawler.signals.connect(self._stopped, signals.engine_stopped)

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Watch the crawler's scraper."""
        return cls(crawler)

    def look(self) -> None:
        """Warn of responses that have been processed for too long. O(responses being processed)."""
        assert self._crawler.engine is not None
        scraper = self._crawler.engine.scraper
        if scraper.slot is None:
            return
        now_s = self._clock()
        active = scraper.slot.active
        self._since_s = {each: self._since_s.get(each, now_s) for each in active}
        self._warned &= active
        for request, since_s in self._since_s.items():
            if now_s - since_s >= PATIENCE_S and request not in self._warned:
                self._warned.add(request)
                logger.warning(
                    "scheduler: the crawl waits for the callback of %s, which has not ended "
                    "for %.0f s%s",
                    one_line(mask_secrets(request.url)),
                    now_s - since_s,
                    _or_pipelines(scraper) if scraper.slot.itemproc_size else "",
                )

    def _opened(self) -> None:
        self._task = create_looping_call(self.look)
        self._task.start(_PERIOD_S, now=False)

    def _stopped(self) -> None:
        if self._task is not None and self._task.running:
            self._task.stop()


def _or_pipelines(scraper: Any) -> str:
    names = ", ".join(
        type(each).__name__
        for each in scraper.itemproc.middlewares
        if not type(each).__module__.startswith("evocrawl.")
    )
    return f", or for an item pipeline ({names})" if names else ""
