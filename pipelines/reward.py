"""Hands each page to the population."""

from __future__ import annotations

from evocrawl.adapter.context import CrawlContext
from evocrawl.core.items import PageItem
from evocrawl.pipelines.base import PagePipeline


class RewardPipeline(PagePipeline):
    """Hands each page to the population."""

    def __init__(self, context: CrawlContext) -> None:
        super().__init__(context)
        context.rewards_pages = True

    def process_page(self, page: PageItem) -> None:
        """Note the page on its visit, which is settled when its request is over."""
        self.context.reward(page)
