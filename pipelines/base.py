"""What the three pipelines share: they treat pages and let every other item pass."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any, Self

from evocrawl.adapter.context import CrawlContext
from evocrawl.core.items import PageItem

if TYPE_CHECKING:
    from scrapy.crawler import Crawler


class PagePipeline(ABC):
    """An item pipeline for `PageItem` alone."""

    def __init__(self, context: CrawlContext) -> None:
        self.context = context

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Build on the crawler's context."""
        return cls(CrawlContext.of(crawler))

    def process_item(self, item: Any) -> Any:
        """Treat a page; return the item."""
        if isinstance(item, PageItem):
            self.process_page(item)
        return item

    @abstractmethod
    def process_page(self, page: PageItem) -> None:
        """Treat one page."""
