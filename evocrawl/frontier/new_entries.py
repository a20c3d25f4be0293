"""Entries of a queue that were added lately, in memory: a heap of the best, arrays of the others.

Most new entries are worse than the best of those that wait, and are written to disk before they
come first. So only those that come soon are Python objects.
"""

from __future__ import annotations

from heapq import heappop, heappush
from math import inf
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

ENTRY = np.dtype([("rank", "f8"), ("number", "u8"), ("address", "u8")])
Entries: TypeAlias = npt.NDArray[np.void]
Entry: TypeAlias = tuple[float, int, int]
"""Rank, number and address. Entries come by rank, then by number, which is unique."""

_SOON = 64
"""Number of entries in the heap after others have moved."""
_MOST_SOON = 256


class NewEntries:
    """Entries in any order; those in the heap come before all others."""

    __slots__ = ("_bound", "_count_later", "_later", "_soon")

    def __init__(self) -> None:
        self._soon: list[Entry] = []
        """A heap, empty only if there are no entries."""
        self._later: list[Entries] = []
        self._count_later = 0
        self._bound = inf
        """The least rank in `_later`."""

    def __len__(self) -> int:
        return len(self._soon) + self._count_later

    @property
    def first(self) -> Entry | None:
        """The best entry, None without one."""
        return self._soon[0] if self._soon else None

    def add(self, entries: Entries) -> None:
        """Add entries. O(entries) amortised, and O(log n) for each that comes soon."""
        if self._later:
            is_later = entries["rank"] >= self._bound
            self._add_later(entries[is_later])
            entries = entries[~is_later]
        for entry in entries.tolist():
            heappush(self._soon, entry)
        if len(self._soon) > _MOST_SOON:
            soon = np.array(sorted(self._soon), ENTRY)
            self._soon = soon[:_SOON].tolist()
            self._add_later(soon[_SOON:])
            self._bound = float(soon["rank"][_SOON])

    def take(self, most: int) -> list[Entry]:
        """Remove and return the first `most` entries, or all."""
        if len(self._soon) <= most and self._later:
            self._divide(self.sorted(), most + _SOON)
        return [heappop(self._soon) for _ in range(min(most, len(self._soon)))]

    def give_back(self, entries: list[Entry]) -> None:
        """Add entries again that `take` has just removed."""
        for entry in entries:
            heappush(self._soon, entry)

    def sorted(self) -> Entries:
        """Return all entries in order, shape (n,). O(n log n)."""
        return in_order([np.array(self._soon, ENTRY), *self._later])

    def replace(self, entries: Entries) -> None:
        """Replace all entries by others, which are in order."""
        self._divide(entries, _SOON)

    def _divide(self, entries: Entries, soon: int) -> None:
        """Put the first of all entries, which are in order, into the heap."""
        rest = entries[soon:]
        self._soon = entries[:soon].tolist()  # in order, so it is a heap
        self._later.clear()
        self._count_later = 0
        self._add_later(rest)
        self._bound = float(rest["rank"][0]) if len(rest) else inf

    def _add_later(self, entries: Entries) -> None:
        if len(entries):
            self._later.append(entries)
            self._count_later += len(entries)


def in_order(parts: list[Entries]) -> Entries:
    """Return the entries of several arrays in one, by rank and number."""
    whole = np.concatenate(parts)
    order = np.lexsort((whole["number"], whole["rank"]))
    return whole[order]
