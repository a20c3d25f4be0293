"""A slow pipeline, and an extension that counts the visits under way."""

from __future__ import annotations

import asyncio
from typing import Any

from scrapy import signals

from evocrawl.adapter.context import CrawlContext


class SlowPipeline:
    async def process_item(self, item: Any) -> Any:
        await asyncio.sleep(0.2)
        return item


class Watch:
    @classmethod
    def from_crawler(cls, crawler: Any) -> Watch:
        self = cls()
        self.crawler = crawler
        crawler.signals.connect(self._look, signals.request_reached_downloader)
        return self

    def _look(self) -> None:
        under_way = len(CrawlContext.of(self.crawler).population.unsettled)
        self.crawler.stats.max_value("most_under_way", under_way)
