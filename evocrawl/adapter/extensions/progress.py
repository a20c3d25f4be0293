"""A line on stderr that says how the crawl goes."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any, Self

from scrapy import signals
from scrapy.exceptions import NotConfigured
from scrapy.utils.asyncio import create_looping_call

from evocrawl.adapter.context import CrawlContext

if TYPE_CHECKING:
    from scrapy.crawler import Crawler

_SLOW_S = 10.0
"""Least seconds between lines where stderr is a file: there each line stays."""


class Progress:
    """Extension: requests of the budget, harvest rate, population and pages a second."""

    def __init__(self, crawler: Crawler, context: CrawlContext) -> None:
        self._context = context
        self._terminal = sys.stderr.isatty()
        period_s = context.config.progress_s
        self._period_s = period_s if self._terminal else max(period_s, _SLOW_S)
        self._pages = 0
        self._since_s = context.now_s()
        self._task: Any = None
        crawler.signals.connect(self._opened, signals.spider_opened)
        crawler.signals.connect(self._closed, signals.spider_closed)

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Build on the crawler's context; not configured where progress_s is 0."""
        context = CrawlContext.of(crawler)
        if not context.config.progress_s:
            raise NotConfigured
        return cls(crawler, context)

    def line(self) -> str:
        """Return the line for the time since the last one."""
        ledger, budget = self._context.ledger, self._context.budget
        now_s = self._context.now_s()
        rate = (ledger.pages - self._pages) / max(now_s - self._since_s, 1e-3)
        self._pages, self._since_s = ledger.pages, now_s
        harvest = ledger.relevant_pages / budget.spent if budget.spent else 0.0
        of = f"/{budget.limit}" if budget.limit is not None else ""
        return (
            f"{budget.spent}{of} requests, "
            f"{ledger.relevant_pages} of {ledger.pages} pages relevant "
            f"(harvest rate {harvest:.0%}), {ledger.population} agents, {rate:.1f} pages/s"
        )

    def _opened(self) -> None:
        # A crawl that goes on has the pages, and the clock, of the runs before.
        self._pages, self._since_s = self._context.ledger.pages, self._context.now_s()
        self._task = create_looping_call(self._print)
        self._task.start(self._period_s, now=False)

    def _closed(self) -> None:
        if self._task is not None:
            self._task.stop()
            self._print()
            if self._terminal:
                print(file=sys.stderr)

    def _print(self) -> None:
        if self._terminal:
            print(f"\r\x1b[K{self.line()}", end="", file=sys.stderr, flush=True)
        else:
            print(self.line(), file=sys.stderr, flush=True)
