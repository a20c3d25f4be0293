"""Species: how agents see, choose, learn and breed. One species a file."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from evocrawl.species.base import PageBase, Species
from evocrawl.species.best_first import best_first
from evocrawl.species.breadth_first import breadth_first
from evocrawl.species.energy import LinkRelevance, energy
from evocrawl.species.parts import Queue

__all__ = ["SPECIES", "Ingredients", "Species"]


@dataclass(frozen=True, slots=True)
class Ingredients:
    """What species are made of: each takes what it needs. `frontier` makes an empty queue."""

    base: PageBase
    relevance: LinkRelevance
    frontier: Callable[[], Queue]
    wander_share: float
    boldness: float
    contest: int


SPECIES: dict[str, Callable[[Ingredients], Species]] = {
    "energy": lambda have: energy(
        have.base,
        have.relevance,
        wander_share=have.wander_share,
        boldness=have.boldness,
        contest=have.contest,
    ),
    "best_first": lambda have: best_first(have.frontier()),
    "breadth_first": lambda have: breadth_first(have.frontier()),
}
"""Name in the settings to maker."""
