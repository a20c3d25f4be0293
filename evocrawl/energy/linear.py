"""The linear energy model of the original endogenous fitness crawler.

    Δe = ρ·r − C

Mouton & Marteau 2008, section III.A, after Menczer, Belew & Willuhn 1995. ρ must fit the size of
the relevance scores: too small and the population dies out, too large and it explodes (figure 2).
"""

from __future__ import annotations

from dataclasses import dataclass

from evocrawl.energy.threshold import Ranks


@dataclass(frozen=True, slots=True)
class Linear:
    """`gain` is ρ > 0, the energy for a relevance of 1; `cost` is C ≥ 0, the cost of a visit."""

    gain: float
    cost: float

    def price(self, relevance: float, ranks: Ranks) -> float:  # noqa: ARG002 - the protocol's form
        """Return Δe = ρ·r − C; other pages have no effect.

        >>> from evocrawl.frontier import RelevanceRanks
        >>> Linear(gain=4.0, cost=0.5).price(0.25, RelevanceRanks())
        0.5
        """
        return self.gain * relevance - self.cost
