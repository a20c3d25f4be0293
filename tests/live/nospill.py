"""An extension that leaves no room on disk for the spill file."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from scrapy import signals

from evocrawl.adapter.context import CrawlContext


class NoSpill:
    @classmethod
    def from_crawler(cls, crawler: Any) -> NoSpill:
        self = cls()
        self.crawler = crawler
        crawler.signals.connect(self._fill, signals.spider_opened)
        return self

    def _fill(self) -> None:
        spill = CrawlContext.of(self.crawler).base.spill
        spill.directory, spill._write_at = Path("/proc/none"), 0
