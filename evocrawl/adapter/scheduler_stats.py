"""Scrapy's own stats of a scheduler, which dashboards and monitors read."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from scrapy.crawler import Crawler


class SchedulerStats:
    """Counts requests under the names of `scrapy.core.scheduler.Scheduler`.

    A request is enqueued when it is accepted, and dequeued when it is sent to the downloader. A
    link that was read off a page is not a request of a spider; it counts as both when it is
    followed. `kept` is where requests wait: ``"disk"`` with a store, else ``"memory"``.
    """

    def __init__(self, crawler: Crawler, kept: str) -> None:
        self._crawler = crawler
        self._kept = kept
        self.waiting = 0
        """Requests of this run that are enqueued and not dequeued."""

    def enqueued(self) -> None:
        """Count a request that was accepted."""
        self.waiting += 1
        self._count("enqueued")

    def dequeued(self, *, was_enqueued: bool = True) -> None:
        """Count a request that is sent to the downloader."""
        if not was_enqueued:
            self.enqueued()
        if self.waiting:  # else accepted by an earlier run, which has counted it
            self.waiting -= 1
        self._count("dequeued")

    def unserializable(self) -> None:
        """Count a request that cannot be stored."""
        self._increase("unserializable")

    def _count(self, what: str) -> None:
        self._increase(f"{what}/{self._kept}")
        self._increase(what)

    def _increase(self, name: str) -> None:
        assert self._crawler.stats is not None
        self._crawler.stats.inc_value(f"scheduler/{name}")
