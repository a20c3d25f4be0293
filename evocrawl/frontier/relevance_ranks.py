"""The sorted relevances of all pages seen, from which the balance threshold R is read."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Sequence
from itertools import accumulate

from sortedcontainers import SortedList

RANGES = 1024
"""Number of ranges of relevance, (n − 1)/RANGES to n/RANGES, in which others' pages are counted."""


class OthersRanks:
    """Pages of other populations: the number with relevance 0, then that in each range.

    >>> OthersRanks([1, 0, 2] + (RANGES - 2) * [0]).at(1) * RANGES
    1.5
    """

    def __init__(self, counts: Sequence[int]) -> None:
        self._up_to = [*accumulate(counts)]

    def __len__(self) -> int:
        return self._up_to[-1]

    def at(self, index: int) -> float:
        """Return the middle of the range of the page at `index` of the ascending order."""
        number = bisect_left(self._up_to, index + 1)
        return max(number - 0.5, 0.0) / RANGES


class RelevanceRanks:
    """The sorted relevances of all pages seen. Exact; 8 bytes a page beside the float.

    With `others`, the pages of other populations of the crawl are ranked, too: see
    `evocrawl.frontier.shared_ranks`. The length is that of the own pages.

    >>> ranks = RelevanceRanks([0.1, 0.2, 0.3])
    >>> ranks.at_share(0.5)
    0.2
    """

    def __init__(self, relevances: Iterable[float] = ()) -> None:
        self._sorted: SortedList[float] = SortedList(relevances)
        self.others: OthersRanks | None = None

    def __len__(self) -> int:
        return len(self._sorted)

    def add(self, relevance: float) -> None:
        """Add the relevance of a page. Runtime complexity: O(log n)."""
        self._sorted.add(relevance)

    def discard(self, relevance: float) -> None:
        """Remove one page of exactly this relevance. Runtime complexity: O(log n)."""
        self._sorted.discard(relevance)

    def counts_between(self, edges: Sequence[float]) -> list[int]:
        """Return how many own pages lie between ascending `edges`, the upper one included.

        The first number counts those up to the first edge, the last one those above the last edge.
        O(log n) for each number above 0.
        """
        counts, counted = [0] * (len(edges) + 1), 0
        while counted < len(self._sorted):
            edge, before = bisect_left(edges, self._sorted[counted]), counted
            is_last = edge == len(edges)
            counted = len(self._sorted) if is_last else self._sorted.bisect_right(edges[edge])
            counts[edge] = counted - before
        return counts

    def at_share(self, share: float, also: float | None = None) -> float:
        """Return the relevance at rank `share`·n, 0 < share ≤ 1, counting `also` as a page too.

        Raises IndexError without any page. Runtime complexity: O(log n), with others O(log² n).
        """
        others = self.others
        own = len(self._sorted) + (also is not None)
        count = own + (0 if others is None else len(others))
        index = min(max(round(share * count), 1), count) - 1
        return self._at(index, also) if others is None else self._among(index, own, also, others)

    def bounds(self, also: float | None = None) -> tuple[float, float]:
        """Return the smallest and greatest relevance (r_m, r_M), counting `also` as a page too."""
        count = len(self._sorted) + (also is not None)
        lowest, highest = self._at(0, also), self._at(count - 1, also)
        if self.others is None:
            return lowest, highest
        last = len(self.others) - 1
        return min(lowest, self.others.at(0)), max(highest, self.others.at(last))

    def _among(self, index: int, own: int, also: float | None, others: OthersRanks) -> float:
        """Return the value at `index` of own relevances and those of others, in one order.

        Bisects for the number of own pages among the first index + 1 of all.
        """
        low, high = max(index + 1 - len(others), 0), min(own, index + 1)
        while low < high:
            mine = (low + high) // 2
            if self._at(mine, also) < others.at(index - mine):
                low = mine + 1
            else:
                high = mine
        last = [self._at(low - 1, also)] if low else []
        if low <= index:
            last.append(others.at(index - low))
        return max(last)

    def _at(self, index: int, also: float | None) -> float:
        """Return the value at `index` of the sorted list as if it contained `also`."""
        if also is None:
            return self._sorted[index]
        place = self._sorted.bisect_left(also)
        if index == place:
            return also
        return self._sorted[index if index < place else index - 1]
