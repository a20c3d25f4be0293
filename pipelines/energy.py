"""Sets the energy of each page: the energy that a first visit leaves on it."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from evocrawl.pipelines.base import PageContext, PagePipeline
from evocrawl.pipelines.relevance import content_of, score
from evocrawl.relevance.base import bounded

if TYPE_CHECKING:
    from evocrawl.core.items import PageItem


class EnergyPipeline(PagePipeline):
    """Sets the energy of each page."""

    def process_page(self, page: PageItem) -> None:
        """Set the page's energy."""
        price(self.context, page)


def price(context: PageContext, item: PageItem) -> None:
    """Set the item's energy by its relevance; a page that repeats another has energy 0."""
    if item.relevance is None:
        score(context, item)
    seen = context.as_read(item)
    item.relevance = relevance_of(item)
    item.energy = context.population.price(item.relevance)
    verdict = context.novelty(seen.url, context.identity_of(seen), content_of(seen))
    if verdict.is_new is False:
        item.energy = 0.0
        twin = None if verdict.twin is None else context.base.get(verdict.twin)
        seen.duplicate_of = item.duplicate_of = "" if twin is None else twin.url


def relevance_of(item: PageItem) -> float:
    """Return the item's relevance in [0, 1]; 0 if a pipeline has set it to no number."""
    return bounded(finite(item.relevance))


def finite(value: object) -> float:
    """Return `value` as a float; 0 if it is not a finite number."""
    try:
        number = float(value)  # type: ignore[arg-type] # a project's pipeline may set anything
    except (TypeError, ValueError, OverflowError):
        return 0.0
    return number if math.isfinite(number) else 0.0
