"""An extension that prevents further writes to the store of a crawl, like a full disk."""

from __future__ import annotations

from typing import Any

from scrapy import signals

from evocrawl.adapter.context import CrawlContext


class FullDisk:
    @classmethod
    def from_crawler(cls, crawler: Any) -> FullDisk:
        self = cls()
        self.crawler = crawler
        crawler.signals.connect(self._fill, signals.response_received)
        return self

    def _fill(self) -> None:
        journal: Any = CrawlContext.of(self.crawler)._journal
        journal._database.execute("PRAGMA max_page_count = 1")
