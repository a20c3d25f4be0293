"""Gives each page to the visit that fetched it; settling that visit rewards the population."""

from __future__ import annotations

from typing import TYPE_CHECKING

from evocrawl.core.fetch import FetchDetails
from evocrawl.core.model import Page
from evocrawl.pipelines.base import PageContext, PagePipeline
from evocrawl.pipelines.energy import finite, price, relevance_of
from evocrawl.pipelines.relevance import content_of

if TYPE_CHECKING:
    from evocrawl.core.items import PageItem


class RewardPipeline(PagePipeline):
    """Gives each page to its visit; the scheduler settles the visit when its request is over."""

    def __init__(self, context: PageContext) -> None:
        super().__init__(context)
        context.rewards_pages = True

    def process_page(self, page: PageItem) -> None:
        """Give the page to its visit."""
        reward(self.context, page)


def reward(context: PageContext, item: PageItem) -> None:
    """Give the page as it was read to its visit, with the item's relevance and energy.

    Pipelines of the project may have changed these two: a value that is not a number counts as 0.
    An item is ignored if its visit is already settled.
    """
    fetch = context.fetches.get(item.visit)
    if fetch is None:
        return
    if item.energy is None:
        price(context, item)
    seen = context.as_read(item)
    fetch.page = Page(
        seen.url,
        fetch.identity_of(seen.url),
        relevance_of(item),
        finite(item.energy),
        fetch.links,
        bytes.fromhex(seen.content_fingerprint),
        content_of(seen),
    )
    context.details[fetch.visit.id] = FetchDetails(
        agent=seen.agent,
        lead=fetch.visit.lead,
        status=seen.status,
        fetched_at=seen.fetched_at,
        parent=seen.parent,
        answer=fetch.answer,
        duplicate_of=seen.duplicate_of,
        truncated=seen.truncated,
        published_at=seen.published_at,
        changed_at=seen.changed_at,
    )


def take(context: PageContext, item: PageItem) -> None:
    """Score, price and reward a page that does not go through the pipelines."""
    price(context, item)
    reward(context, item)
