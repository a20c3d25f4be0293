"""Scores each page for the query."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

from evocrawl.ecosystem import Ecosystem
from evocrawl.items import PageItem

if TYPE_CHECKING:
    from scrapy.crawler import Crawler


class RelevancePipeline:
    """Scores each page for the query."""

    def __init__(self, ecosystem: Ecosystem) -> None:
        self._ecosystem = ecosystem

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Build on the crawler's ecosystem."""
        return cls(Ecosystem.of(crawler))

    def process_item(self, item: Any) -> Any:
        """Set the relevance of a PageItem; other items pass."""
        if isinstance(item, PageItem):
            self._ecosystem.score(item)
        return item
