"""Best-first: always follow the open link whose page of origin is the most relevant.

The crawler that MySpiders offers beside its agents: "selects links from a priority queue where
it keeps outlinks from visited pages sorted by similarity of these pages to the query" (Pant &
Menczer 2002, note 4). A link found on several pages counts by the best of them. It lives on the
population's seam as one immortal agent with any number of visits under way.
"""

from __future__ import annotations

from evocrawl.model import Link, Page
from evocrawl.species.base import Species
from evocrawl.species.parts import Best, Immortal, Queue, WholeFrontier


class ByParent(Best):
    """A link is worth what the page it stands on is; a seed is worth more than any link."""

    def score(self, link: Link, page: Page | None) -> float:  # noqa: ARG002 - protocol
        """Return the parent's relevance in [0, 1], 2 for a seed."""
        return 2.0 if page is None else page.relevance


def best_first(frontier: Queue) -> Species:
    """Make the species on a frontier of its own."""
    return Species(
        "best_first",
        WholeFrontier(frontier),
        ByParent(),
        Immortal(),
        single_flight=False,
        founders=1,
    )
