"""The balance threshold R: the relevance above which a page pays.

R is chosen so that the expected energy change of a visit is zero for any topic. With the
step approximation g of the energy function, E(Δe) = −C·P(r ≤ R) + G·P(r > R) = 0 gives

    n* = n / (C/G + 1),   R = the relevance at rank n* of all n pages seen, ascending

(Mouton & Marteau 2008, section III.A. The text's intermediate P(r > R)/P(r ≤ R) = G/abs(C) is
upside down; its final n* follows from C/G.) The paper takes "the rank of the page whose
relevance is the closest", so n* is rounded to the nearest whole rank and kept within 1..n.
With C = 0.5 and G = 10 one page in about twenty lies above R.
"""

from __future__ import annotations

from typing import Protocol


class Ranks(Protocol):
    """The sorted relevances of the pages seen."""

    def at_share(self, share: float, also: float | None = None) -> float:
        """Return the relevance at rank `share`·n, counting `also` as a page too."""

    def bounds(self, also: float | None = None) -> tuple[float, float]:
        """Return the smallest and greatest relevance, counting `also` as a page too."""


def balance_share(gain: float, cost: float) -> float:
    """Return n*/n = 1 / (C/G + 1), the share of pages that are not rewarded, in (0, 1]."""
    return gain / (gain + cost)
