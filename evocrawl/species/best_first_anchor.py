"""Best-first by the page a link stands on and by the link's own words.

::

    score(l) = (1 − β) · relevance(page of l) + β · relevance(anchor and context of l)    in [0, 1]

A mix of the parent's and the link context's similarity to the query, as in topical crawlers that
use link contexts (Pant & Srinivasan 2006, Link contexts in classifier-guided topical crawlers).
The link's own words are scored by the relevance model, whose "tfidf" gives the anchor 0.8 and the
context 0.2. A link found several times keeps the best of its scores. β is 0.5, where neither side
outweighs the other; it was not tuned.
"""

from __future__ import annotations

from dataclasses import dataclass

from evocrawl.model import Link, Page
from evocrawl.species.base import Species
from evocrawl.species.energy import LinkRelevance
from evocrawl.species.parts import Best, Queue, WholeFrontier, lone


@dataclass(frozen=True, slots=True)
class ByParentAndWords(Best):
    """A link is worth a mix of its page and its words; a seed is worth more than any link."""

    relevance: LinkRelevance
    beta: float

    def score(self, link: Link, page: Page | None) -> float:
        """Return the mix in [0, 1], 2 for a seed."""
        if page is None:
            return 2.0
        words = self.relevance.link(link.anchor, link.context)
        return (1 - self.beta) * page.relevance + self.beta * words


def best_first_anchor(frontier: Queue, relevance: LinkRelevance, *, beta: float = 0.5) -> Species:
    """Make the species on a frontier of its own; `beta` lies in [0, 1]."""
    return lone("best_first_anchor", WholeFrontier(frontier), ByParentAndWords(relevance, beta))
