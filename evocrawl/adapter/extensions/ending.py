"""Reports the end of a crawl in some 15 lines, and the stats that a user can act on."""

from __future__ import annotations

import atexit
import logging
import sys
from pprint import pformat
from typing import TYPE_CHECKING, Self

from scrapy import signals

from evocrawl.adapter.context import CrawlContext
from evocrawl.adapter.scrapy_internals import running_command
from evocrawl.core.stats import shown_stats
from evocrawl.monitor.final import Ending, final_report, how_to_go_on
from evocrawl.monitor.writer import PatientWriter

if TYPE_CHECKING:
    from scrapy.crawler import Crawler

logger = logging.getLogger(__name__)


class EndReport:
    """Extension: writes the report to stderr, or to the log where progress_s is 0.

    Where Scrapy does not log the stats (STATS_DUMP is false), this logs those that a user can act
    on, and all of them at DEBUG.
    """

    def __init__(self, crawler: Crawler, context: CrawlContext) -> None:
        self._crawler = crawler
        self._context = context
        self._began_s = context.now_s()
        self._reason = ""
        self._command: tuple[str, ...] = ()
        crawler.signals.connect(self._opened, signals.spider_opened)
        crawler.signals.connect(self._closed, signals.spider_closed)
        crawler.signals.connect(self._stopped, signals.engine_stopped)

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Build on the crawler's context."""
        return cls(crawler, CrawlContext.of(crawler))

    def _opened(self) -> None:
        self._began_s = self._context.now_s()
        self._command = _command()
        # A second Ctrl-C ends the process without a signal of Scrapy's.
        atexit.register(self._stopped_at_once)

    def _closed(self, reason: str) -> None:
        self._reason = self._context.stop_reason(reason)

    def _stopped(self) -> None:
        atexit.unregister(self._stopped_at_once)
        if not self._reason:  # the crawl has not begun
            return
        if not self._crawler.settings.getbool("STATS_DUMP"):
            assert self._crawler.stats is not None
            stats = self._crawler.stats.get_stats()
            logger.info("stats:\n%s", pformat(shown_stats(stats)))
            logger.debug("all stats:\n%s", pformat(stats))
        report = "\n".join(final_report(self._context.summary, self._ending()))
        if self._context.config.progress_s == 0:
            logger.info("%s", report)
        else:
            PatientWriter(sys.stderr).close(report)

    def _ending(self) -> Ending:
        config = self._context.config
        seconds = self._context.now_s() - self._began_s
        store = config.store or str(self._context.state_path or "")
        return Ending(self._reason, seconds, config.query, store, self._command)

    def _stopped_at_once(self) -> None:
        how = how_to_go_on(self._ending())
        text = f"The crawl was stopped at once.\n  go on     {how}"
        PatientWriter.write_last(sys.stderr, text)


def _command() -> tuple[str, ...]:
    """Return the words of the command line; empty in a script.

    Scrapy has removed the command's name from the arguments; the command's module has the same
    name.
    """
    command = running_command()
    if command is None:
        return ()
    return "scrapy", type(command).__module__.rpartition(".")[2], *sys.argv[1:]
