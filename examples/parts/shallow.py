"""A species of your own: links near the root of their site first, then those whose words fit.

    scrapy crawl evospider -a query="coral bleaching" -a species=examples/parts/shallow.py:shallow
    evocrawl sim WORLD … --species examples/parts/shallow.py:shallow,best_first

A package offers it by name as an entry point of the group `evocrawl.species`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar
from urllib.parse import urlsplit

from evocrawl.core.model import Link, Page
from evocrawl.species import Species, SpeciesContext
from evocrawl.species.energy import LinkRelevance
from evocrawl.species.parts import Best, WholeFrontier, lone


@dataclass(frozen=True, slots=True)
class NearTheRoot(Best):
    """Scores a link by 1 / (1 + segments of its path), and by its words."""

    relevance: LinkRelevance
    meaning: ClassVar[str] = "The score falls with each segment of the path, and rises with words."

    def score(self, link: Link, page: Page | None) -> float:
        """Return the score in [0, 2]; 3 for a seed."""
        if page is None:
            return 3.0
        segments = urlsplit(link.url).path.strip("/").count("/")
        return 1 / (1 + segments) + self.relevance.link(link.anchor, link.context)


def shallow(have: SpeciesContext) -> Species:
    """Make the species: one immortal agent that sees the whole frontier, as the baselines do.

    A population that clones and dies has a breeding part too: see `evocrawl/species/energy.py`.
    """
    return lone("shallow", WholeFrontier(have.frontier()), NearTheRoot(have.relevance))
