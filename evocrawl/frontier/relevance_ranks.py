"""The sorted relevances of all pages seen, from which the balance threshold R is read."""

from __future__ import annotations

from collections.abc import Iterable

from sortedcontainers import SortedList


class RelevanceRanks:
    """The sorted relevances of all pages seen. Exact; 8 bytes a page beside the float.

    >>> ranks = RelevanceRanks([0.1, 0.2, 0.3])
    >>> ranks.at_share(0.5)
    0.2
    """

    def __init__(self, relevances: Iterable[float] = ()) -> None:
        self._sorted: SortedList[float] = SortedList(relevances)

    def __len__(self) -> int:
        return len(self._sorted)

    def add(self, relevance: float) -> None:
        """Add the relevance of a page. Runtime complexity: O(log n)."""
        self._sorted.add(relevance)

    def discard(self, relevance: float) -> None:
        """Remove one page of exactly this relevance. Runtime complexity: O(log n)."""
        self._sorted.discard(relevance)

    def at_share(self, share: float, also: float | None = None) -> float:
        """Return the relevance at rank `share`·n, 0 < share ≤ 1, counting `also` as a page too.

        Raises IndexError without any page. Runtime complexity: O(log n).
        """
        count = len(self._sorted) + (also is not None)
        return self._at(min(max(round(share * count), 1), count) - 1, also)

    def bounds(self, also: float | None = None) -> tuple[float, float]:
        """Return the smallest and greatest relevance (r_m, r_M), counting `also` as a page too."""
        count = len(self._sorted) + (also is not None)
        return self._at(0, also), self._at(count - 1, also)

    def _at(self, index: int, also: float | None) -> float:
        """Return the value at `index` of the sorted list as if it contained `also`."""
        if also is None:
            return self._sorted[index]
        place = self._sorted.bisect_left(also)
        if index == place:
            return also
        return self._sorted[index if index < place else index - 1]
