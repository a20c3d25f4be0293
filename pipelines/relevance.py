"""Scores each page for the query."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from evocrawl.core.model import Content
from evocrawl.pipelines.base import PageContext, PagePipeline

if TYPE_CHECKING:
    from evocrawl.core.items import PageItem


logger = logging.getLogger(__name__)


class RelevancePipeline(PagePipeline):
    """Scores each page for the query."""

    def process_page(self, page: PageItem) -> None:
        """Set the page's relevance."""
        score(self.context, page)


def score(context: PageContext, item: PageItem) -> None:
    """Set the item's relevance by the page as it was read."""
    seen = context.as_read(item)
    if seen.relevance is None:
        seen.relevance = context.relevance.page(content_of(seen))
        warning = context.languages.add(seen.language) if context.languages else ""
        if warning:
            logger.warning("RelevancePipeline: %s", warning)
    item.relevance = seen.relevance


def content_of(item: PageItem) -> Content:
    """Return the content of the page of an item."""
    return Content(item.title, item.text, item.language, item.formats, item.age_s)
