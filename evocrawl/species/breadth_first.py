"""Breadth-first: follow links in the order in which they were found.

The floor of every comparison.
"""

from __future__ import annotations

from evocrawl.model import Link, Page
from evocrawl.species.base import Species
from evocrawl.species.parts import Best, Immortal, Queue, WholeFrontier


class AllAlike(Best):
    """Every link is worth the same, so that the first found comes first."""

    def score(self, link: Link, page: Page | None) -> float:  # noqa: ARG002 - protocol
        """Return 0."""
        return 0.0


def breadth_first(frontier: Queue) -> Species:
    """Make the species on a frontier of its own."""
    return Species(
        "breadth_first",
        WholeFrontier(frontier),
        AllAlike(),
        Immortal(),
        single_flight=False,
        founders=1,
    )
