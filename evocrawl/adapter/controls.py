"""What the dashboard can ask a running crawl to do."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from evocrawl.adapter.scrapy_internals import (
    ask_scheduler_soon,
    close_spider_soon,
    has_spider_open,
    is_closing,
)
from evocrawl.core.model import VisitId
from evocrawl.monitor.dashboard.source import ControlError, Row
from evocrawl.monitor.record import CrawlRecord

if TYPE_CHECKING:
    from scrapy.core.engine import ExecutionEngine
    from scrapy.crawler import Crawler

    from evocrawl.adapter.context import CrawlContext

logger = logging.getLogger(__name__)

STOPPED = "stopped_by_user"
"""Stop reason of a crawl that was ended on the dashboard."""


class CrawlControls:
    """Controls of the crawl of `crawler`; see `evocrawl.monitor.dashboard.source.Controls`."""

    def __init__(self, crawler: Crawler, context: CrawlContext, record: CrawlRecord) -> None:
        self._crawler = crawler
        self._context = context
        self._record = record

    @property
    def state(self) -> str:
        """ "running", "paused", "stopping" or "finished"."""
        engine = self._crawler.engine
        if engine is None or not has_spider_open(engine):
            return "finished"
        if is_closing(engine):
            return "stopping"
        return "paused" if engine.paused else "running"

    def stop(self) -> None:
        """End the crawl: requests under way are finished, and the store is closed."""
        engine = self._running()
        engine.unpause()
        logger.info("dashboard: the crawl is stopped")
        close_spider_soon(engine, STOPPED)

    def pause(self) -> None:
        """Send no further request; those under way are finished."""
        self._running().pause()
        logger.info("dashboard: the crawl is paused")

    def resume(self) -> None:
        """Go on after `pause`."""
        engine = self._running()
        engine.unpause()
        ask_scheduler_soon(engine)
        logger.info("dashboard: the crawl goes on")

    def parameters(self) -> Row:
        """Return no parameters."""
        return {}

    def exclusions(self) -> list[str]:
        """Return no exclusions."""
        return []

    def change(self, values: Mapping[str, Any]) -> Row:  # noqa: ARG002
        """Raise ControlError."""
        raise ControlError("this crawl has no parameters to change")

    def exclude(self, pattern: str) -> None:  # noqa: ARG002
        """Raise ControlError."""
        raise ControlError("this crawl excludes nothing")

    def mark(self, visit: VisitId, *, relevant: bool) -> Row:  # noqa: ARG002
        """Raise ControlError."""
        raise ControlError("this crawl takes no marks")

    def _running(self) -> ExecutionEngine:
        engine = self._crawler.engine
        if engine is None or self.state not in ("running", "paused"):
            raise ControlError(f"the crawl is {self.state}")
        return engine
