"""Logs why an idle crawl waits, and shortens its waits for robots.txt."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from evocrawl.adapter.robots.directory import RobotsDirectory
from evocrawl.adapter.scrapy_internals import (
    has_spider_open,
    has_start_requests,
    requests_in_engine,
)
from evocrawl.core.sanitize import one_line

if TYPE_CHECKING:
    from scrapy.crawler import Crawler

    from evocrawl.adapter.context import CrawlContext

logger = logging.getLogger(__name__)

SHORT_S = 5.0
"""Waits of up to so many seconds are normal between two requests and not logged."""

_MOST_SHOWN = 5


class Lull:
    """Finds out why a crawl waits when nothing can be sent and nothing is under way.

    Each robots.txt that could not be fetched is then requested again within seconds. Hosts in
    back-off keep their delay. The log names each host once.
    """

    def __init__(self, crawler: Crawler, context: CrawlContext) -> None:
        self._crawler = crawler
        self._context = context
        self._named: set[str] = set()

    def look(self) -> None:
        """Shorten the waits for robots.txt. O(hosts waited for), O(1) while requests are sent."""
        if self._is_busy():
            return
        now_s = self._context.now_s()
        wakes_at_s = self._context.population.wakes_at()
        if wakes_at_s is not None and wakes_at_s <= now_s + SHORT_S:
            return
        directory = RobotsDirectory.of(self._crawler)
        if directory is not None:
            waits = directory.hasten()
            self._name("robots.txt of %s could not be fetched and is requested again", waits)
        self._name("%s is in back-off after failures and is requested again", self._held(now_s))

    def _is_busy(self) -> bool:
        engine = self._crawler.engine
        assert engine is not None
        if not has_spider_open(engine) or self._context.population.ended is not None:
            return True
        return bool(requests_in_engine(engine)) or has_start_requests(engine)

    def _held(self, now_s: float) -> Mapping[str, float]:
        waits = self._context.backoff.waits(now_s)
        return {host: wait_s for host, wait_s in waits.items() if wait_s > SHORT_S}

    def _name(self, what: str, waits: Mapping[str, float]) -> None:
        fresh = [name for name in waits if name not in self._named]
        if not fresh:
            return
        self._named.update(fresh)
        in_s = min(waits[name] for name in fresh)
        logger.info(
            f"scheduler: nothing else is left to do; {what} in %.0f s", _listed(fresh), in_s
        )


def _listed(names: Iterable[str]) -> str:
    first, *others = [one_line(name) for name in names]
    listed = ", ".join([first, *others[: _MOST_SHOWN - 1]])
    more = len(others) - _MOST_SHOWN + 1
    return f"{listed} and {more} more" if more > 0 else listed
