"""Hands each page to the population."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

from evocrawl.ecosystem import Ecosystem
from evocrawl.items import PageItem

if TYPE_CHECKING:
    from scrapy.crawler import Crawler


class RewardPipeline:
    """Hands each page to the population."""

    def __init__(self, ecosystem: Ecosystem) -> None:
        self._ecosystem = ecosystem

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Build on the crawler's ecosystem."""
        return cls(Ecosystem.of(crawler))

    def process_item(self, item: Any) -> Any:
        """Note a PageItem on its visit, settled when its request is over; other items pass."""
        if isinstance(item, PageItem):
            self._ecosystem.reward(item)
        return item
