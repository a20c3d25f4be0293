"""Scores each page for the query."""

from __future__ import annotations

from evocrawl.core.items import PageItem
from evocrawl.pipelines.base import PagePipeline


class RelevancePipeline(PagePipeline):
    """Scores each page for the query."""

    def process_page(self, page: PageItem) -> None:
        """Set the page's relevance."""
        self.context.score(page)
