"""Says what energy each page holds."""

from __future__ import annotations

from evocrawl.core.items import PageItem
from evocrawl.pipelines.base import PagePipeline


class EnergyPipeline(PagePipeline):
    """Says what energy each page holds."""

    def process_page(self, page: PageItem) -> None:
        """Set the page's energy."""
        self.context.price(page)
