"""Writes the population's numbers to the stats, and stats and learnt weights to files."""

from __future__ import annotations

import json
import logging
import os
from pathlib import Path
from typing import TYPE_CHECKING, Self

from scrapy import signals

from evocrawl.adapter.context import CrawlContext
from evocrawl.adapter.exit_codes import refusing
from evocrawl.core.errors import SettingError
from evocrawl.core.stats import report
from evocrawl.estimation.outlook import numbers

if TYPE_CHECKING:
    from scrapy import Spider
    from scrapy.crawler import Crawler

logger = logging.getLogger(__name__)


class StatsReport:
    """Extension. `evocrawl.core.stats.STATS` lists them."""

    def __init__(self, crawler: Crawler, context: CrawlContext) -> None:
        self._crawler = crawler
        self._context = context
        crawler.signals.connect(self._spider_closed, signals.spider_closed)
        crawler.signals.connect(self._engine_stopped, signals.engine_stopped)

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Build on the crawler's context.

        Raises SettingError if the stats cannot be written, and not only at the end of the crawl.
        """
        context = CrawlContext.of(crawler)
        path = context.config.stats_file
        folder = os.path.dirname(os.path.abspath(path))
        if path and (os.path.isdir(path) or not os.path.isdir(folder)):
            with refusing(crawler):
                raise SettingError("stats_file", path, "a file in a folder that exists")
        return cls(crawler, context)

    def _spider_closed(self, spider: Spider, reason: str) -> None:  # noqa: ARG002 - signal's form
        stats = self._crawler.stats
        assert stats is not None
        context = self._context
        values = report(context.ledger, context.budget, twice=context.fetches.settled_twice)
        for name, value in values.items():
            stats.set_value(name, value)
        if context.state_path is not None:
            stats.set_value("evocrawl/store/unstorable", context.unstorable)
        outlook = context.summary.outlook
        if outlook is not None:
            for name, estimate in numbers(outlook).items():
                stats.set_value(f"evocrawl/left/{name}", round(estimate, 4))
        stats.set_value("evocrawl/stop_reason", context.stop_reason(reason))
        if context.cluster is None:
            self._count_left(context.scheduler_stats.waiting)
        try:
            context.save_learnt()
        except OSError as error:
            logger.error("learn_to: what was learnt could not be written: %s", error)

    def _count_left(self, left: int) -> None:
        assert self._crawler.stats is not None
        self._crawler.stats.set_value("evocrawl/links/left", left)
        if left:
            reason = self._crawler.stats.get_value("evocrawl/stop_reason")
            logger.warning("scheduler: %d requests of the spider were not sent: %s", left, reason)

    def _engine_stopped(self) -> None:
        path = self._context.config.stats_file
        if path:
            assert self._crawler.stats is not None
            text = json.dumps(self._crawler.stats.get_stats(), default=str, indent=2)
            try:
                Path(path).write_text(text + "\n", encoding="utf-8")
            except OSError as error:
                logger.error("stats_file: the stats could not be written: %s", error)
