"""Warns of seeds that bring no page, with the cause of each and when it is tried again."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any, Self

from scrapy import signals
from scrapy.exceptions import NotConfigured
from scrapy.utils.asyncio import create_looping_call

from evocrawl.adapter.context import CrawlContext
from evocrawl.adapter.crawl_run import SEEDS_FAILED
from evocrawl.adapter.crawl_troubles import CrawlTroubles
from evocrawl.adapter.meta import PLAIN
from evocrawl.monitor.seeds import SeedWatch

if TYPE_CHECKING:
    from scrapy import Request
    from scrapy.crawler import Crawler

logger = logging.getLogger(__name__)

_PATIENCE_S = 5.0
"""Seconds without a page after which the seeds are named."""

_PERIOD_S = 1.0
_SHOWN = 10


class SeedWarnings:
    """Extension: logs a WARNING for each seed after five seconds without a page.

    It logs another WARNING if the cause of a seed changes. If no seed has brought a page at the
    end, an ERROR names the cause of each.
    """

    def __init__(self, crawler: Crawler, context: CrawlContext) -> None:
        self._crawler = crawler
        self._context = context
        troubles = CrawlTroubles(crawler, context)
        self._seeds = SeedWatch(troubles.waiting_for, troubles.refused_by, troubles.last_failure)
        self._warned: dict[str, tuple[str, bool]] = {}
        self._began_s = 0.0
        self._task: Any = None
        context.population.on_outcome.append(self._seeds.note_outcome)
        crawler.signals.connect(self._scheduled, signals.request_scheduled)
        crawler.signals.connect(self._opened, signals.spider_opened)
        crawler.signals.connect(self._closed, signals.spider_closed)

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Build on the crawler's context.

        Not configured for a worker of a cluster, which does not know what others have fetched.
        """
        context = CrawlContext.of(crawler)
        if context.cluster is not None:
            raise NotConfigured
        return cls(crawler, context)

    def look(self) -> None:
        """Warn of the seeds if there is no page yet; stop once there is one.

        While sources of seeds are asked no seed is requested; the log names the sources.
        """
        if self._context.ledger.pages:
            self._stop()
        elif self._context.is_seeding:
            self._began_s = self._context.now_s()
        elif self._context.now_s() - self._began_s >= _PATIENCE_S:
            self._warn()

    def _warn(self) -> None:
        needs_pages = getattr(self._crawler.spider, "needs_pages", False)
        for url, trouble in self._seeds.troubles():
            is_over = trouble.again_s is None
            state = trouble.cause, is_over
            # A project's own spider may need no page: it gets each failure itself.
            if self._warned.get(url) == state or (is_over and not needs_pages):
                continue
            if url in self._warned or len(self._warned) < _SHOWN:
                self._warned[url] = state
                logger.warning("seed %s: no page yet: %s", url, trouble)

    def _scheduled(self, request: Request) -> None:
        if request.meta.get("is_start_request") and request.meta.get(PLAIN) is not False:
            self._seeds.add(request.url)

    def _opened(self) -> None:
        self._began_s = self._context.now_s()
        self._task = create_looping_call(self.look)
        self._task.start(_PERIOD_S, now=False)

    def _closed(self, reason: str) -> None:
        self._stop()
        if reason != SEEDS_FAILED:
            return
        for index, (url, trouble) in enumerate(self._seeds.troubles()):
            if index == _SHOWN:
                logger.error("seeds: %d more have brought no page", len(self._seeds) - _SHOWN)
                break
            logger.error("seed %s: no page: %s", url, trouble.cause)

    def _stop(self) -> None:
        self._crawler.signals.disconnect(self._scheduled, signals.request_scheduled)
        if self._task is not None and self._task.running:
            self._task.stop()
