"""Shows the progress of the crawl on stderr: a table on a terminal, regular lines elsewhere."""

from __future__ import annotations

import atexit
import sys
from typing import TYPE_CHECKING, Any, Self

from scrapy import signals
from scrapy.exceptions import NotConfigured
from scrapy.utils.asyncio import create_looping_call

from evocrawl.adapter.context import CrawlContext
from evocrawl.adapter.crawl_troubles import CrawlTroubles
from evocrawl.adapter.scrapy_internals import has_spider_open, is_closing
from evocrawl.monitor.plain import plain_line
from evocrawl.monitor.snapshot import Snapshot
from evocrawl.monitor.writer import PatientWriter

if TYPE_CHECKING:
    from scrapy.crawler import Crawler

    from evocrawl.monitor.terminal import TerminalView

_TERMINAL_S = 1.0
_PLAIN_S = 10.0
"""Seconds between lines where each line stays, as in a file."""


class Progress:
    """Extension: takes a snapshot of the crawl every few seconds and shows it.

    Other threads write, so that a blocked terminal or pipe does not delay the crawl.
    """

    def __init__(self, crawler: Crawler, context: CrawlContext) -> None:
        self._crawler = crawler
        self._context = context
        self._troubles = CrawlTroubles(crawler, context)
        self._stream = sys.stderr
        self._is_terminal = self._stream.isatty()
        period_s = context.config.progress_s
        self._period_s = period_s or (_TERMINAL_S if self._is_terminal else _PLAIN_S)
        self._terminal: TerminalView | None = None
        self._plain: PatientWriter | None = None
        self._began_s = self._last_s = 0.0
        self._begun_with = self._requests = self._pages = 0
        self._task: Any = None
        crawler.signals.connect(self._opened, signals.spider_opened)
        crawler.signals.connect(self._closed, signals.spider_closed)

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Build on the crawler's context; not configured where progress_s is 0."""
        context = CrawlContext.of(crawler)
        if context.config.progress_s == 0:
            raise NotConfigured
        return cls(crawler, context)

    def snapshot(self) -> Snapshot:
        """Return the state of the crawl, with what has changed since the last snapshot."""
        context, now_s = self._context, self._context.now_s()
        ledger, budget = context.ledger, context.budget
        bounds = context.population.lifecycle.bounds
        new_pages, new_requests = ledger.pages - self._pages, budget.spent - self._requests
        since_s = now_s - self._last_s
        self._last_s, self._pages, self._requests = now_s, ledger.pages, budget.spent
        engine = self._crawler.engine
        assert engine is not None
        is_open = has_spider_open(engine)
        return Snapshot(
            context.summary,
            seconds=now_s - self._began_s,
            since_s=since_s,
            new_pages=new_pages,
            new_requests=new_requests,
            begun_with=self._begun_with,
            lower=bounds.lower,
            upper=bounds.upper,
            waits=[] if new_requests else self._troubles.waits(),
            under_way=len(context.fetches.under_way),
            is_closing=is_open and is_closing(engine),
        )

    def _opened(self) -> None:
        # A continued crawl has the pages, requests and clock of its earlier runs.
        self._began_s = self._last_s = self._context.now_s()
        self._pages = self._context.ledger.pages
        self._begun_with = self._requests = self._context.budget.spent
        if self._is_terminal:
            from evocrawl.monitor.terminal import TerminalView

            self._terminal = TerminalView(self._stream, 1 / self._period_s)
            self._terminal.start()
            # A second Ctrl-C ends the process without a signal of Scrapy's.
            atexit.register(self._end)
        else:
            self._plain = PatientWriter(self._stream)
        self._task = create_looping_call(self._show)
        self._task.start(self._period_s, now=False)

    def _show(self) -> None:
        if self._terminal is not None:
            self._terminal.show(self.snapshot())
        elif self._plain is not None:
            self._plain.write(plain_line(self.snapshot()))

    def _closed(self) -> None:
        if self._task is not None and self._task.running:
            self._task.stop()
        self._end()

    def _end(self) -> None:
        if self._terminal is not None:
            self._terminal.stop()
            self._terminal = None
            atexit.unregister(self._end)
        if self._plain is not None:
            self._plain.close()
            self._plain = None
