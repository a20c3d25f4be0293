"""Yes or no from a relevance, for species that need to be told which pages are relevant."""

from __future__ import annotations

from dataclasses import dataclass

from evocrawl.species.base import Ranks


@dataclass(frozen=True, slots=True)
class Bar:
    """A page is relevant from `relevant_at` on, or when it is among the best `share` seen so far.

    A fixed bar alone would be one that hardly a page of one topic reaches, and every page of
    another, for a relevance is no probability; species that learn from yes and no would learn
    nothing. A page of relevance 0 never is relevant.
    """

    ranks: Ranks
    relevant_at: float
    share: float

    def passes(self, relevance: float) -> bool:
        """Return True when a page of this relevance counts as relevant now. O(log n)."""
        if relevance <= 0 or not len(self.ranks):
            return relevance > 0
        return relevance >= min(self.relevant_at, self.ranks.at_share(1 - self.share))
