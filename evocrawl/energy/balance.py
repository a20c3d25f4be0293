"""The balance threshold R: the relevance above which a page pays.

R is chosen so that the expected energy change of a visit is zero whatever the topic. With the
step approximation g of the energy function, E(Δe) = −C·P(r ≤ R) + G·P(r > R) = 0 gives

    n* = n / (C/G + 1),   R = the relevance at rank n* of all n pages seen, ascending

(Mouton & Marteau 2008, section III.A. The text's intermediate P(r > R)/P(r ≤ R) = G/|C| is
upside down; its final n* follows from C/G.) The paper takes "the rank of the page whose
relevance is the closest", so n* is rounded to the nearest whole rank and kept within 1..n.
With C = 0.5 and G = 10 one page in about twenty lies above R.
"""

from __future__ import annotations

from collections.abc import Iterable

from sortedcontainers import SortedList


class RelevanceRanks:
    """The relevances of all pages seen, in order. Exact; 8 bytes a page beside the float.

    >>> ranks = RelevanceRanks([0.1, 0.2, 0.3])
    >>> ranks.at_share(0.5)
    0.2
    """

    def __init__(self, relevances: Iterable[float] = ()) -> None:
        self._sorted: SortedList[float] = SortedList(relevances)

    def __len__(self) -> int:
        return len(self._sorted)

    def add(self, relevance: float) -> None:
        """Count one more page. Runtime complexity: O(log n)."""
        self._sorted.add(relevance)

    def at_share(self, share: float, also: float | None = None) -> float:
        """Return the relevance at rank `share`·n, 0 < share ≤ 1, counting `also` as a page too.

        Raises IndexError when there is no page at all. Runtime complexity: O(log n).
        """
        count = len(self._sorted) + (also is not None)
        return self._at(min(max(round(share * count), 1), count) - 1, also)

    def bounds(self, also: float | None = None) -> tuple[float, float]:
        """Return the smallest and greatest relevance (r_m, r_M), counting `also` as a page too."""
        count = len(self._sorted) + (also is not None)
        return self._at(0, also), self._at(count - 1, also)

    def _at(self, index: int, also: float | None) -> float:
        """The value at `index` of the sorted list into which `also` had been put."""
        if also is None:
            return self._sorted[index]
        place = self._sorted.bisect_left(also)
        if index == place:
            return also
        return self._sorted[index if index < place else index - 1]


def balance_share(gain: float, cost: float) -> float:
    """Return n*/n = 1 / (C/G + 1), the share of pages that are not rewarded, in (0, 1]."""
    return gain / (gain + cost)
