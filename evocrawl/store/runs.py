"""A queue of many numbers in little memory: sorted runs that are merged as they come.

The idea is that of log-structured merge trees (O'Neil, Cheng, Gawlick & O'Neil 1996): what comes
is sorted already, and runs of like length are merged into one, so that an entry is moved O(log n)
times and there are never many runs. The longest are not merged: no step takes long.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

_FORM = np.dtype([("rank", "f8"), ("number", "u8"), ("address", "u8")])
_LONGEST = 1 << 17

Run: TypeAlias = npt.NDArray[np.void]
Mark: TypeAlias = tuple[float, int]
"""What entries are ordered by: their rank, then their number; no two have the same number."""
Entry: TypeAlias = tuple[float, int, int]
"""Rank, number and address."""


class Runs:
    """Entries in order, 24 bytes each.

    >>> runs = Runs()
    >>> runs.put([(0.1, 3, 70), (0.4, 1, 80)])
    >>> runs.put([(0.2, 2, 90)])
    >>> runs.first, runs.take(2), len(runs)
    ((0.1, 3), [(0.1, 3, 70), (0.2, 2, 90)], 1)
    """

    def __init__(self) -> None:
        self._runs: list[Run] = []
        self.first: Mark | None = None
        """The mark of the first entry, None where there is none."""

    def __len__(self) -> int:
        return sum(map(len, self._runs))

    def put(self, entries: Iterable[Entry]) -> None:
        """Add entries that are in order, one or more. O(log n) an entry, amortised."""
        new: Run = np.array(list(entries), _FORM)
        while self._runs and len(self._runs[-1]) < 2 * len(new):
            if len(new) + len(self._runs[-1]) > _LONGEST:
                break
            new = _merged([self._runs.pop(), new])
        self._runs.append(new)
        self._set_first()

    def take(self, most: int) -> list[Entry]:
        """Take out the first `most` entries, or all. O(most · runs)."""
        fronts = [run[:most] for run in self._runs]
        taken = _merged(fronts)[:most]
        last = taken[-1]
        for number, front in enumerate(fronts):
            self._runs[number] = self._runs[number][_count_up_to(front, last) :]
        self._runs = [_trimmed(run) for run in self._runs if len(run)]
        self._set_first()
        entries: list[Entry] = taken.tolist()
        return entries

    def _set_first(self) -> None:
        marks = [(float(run[0]["rank"]), int(run[0]["number"])) for run in self._runs]
        self.first = min(marks, default=None)


def _merged(runs: list[Run]) -> Run:
    whole = np.concatenate(runs)
    order = np.lexsort((whole["number"], whole["rank"]))
    return whole[order]


def _count_up_to(run: Run, last: np.void) -> int:
    """Return how many entries of a run come up to `last`."""
    ranks, numbers = run["rank"], run["number"]
    is_taken = (ranks < last["rank"]) | ((ranks == last["rank"]) & (numbers <= last["number"]))
    return int(np.count_nonzero(is_taken))


def _trimmed(run: Run) -> Run:
    """Let go of the memory of what was taken, once that is half of it."""
    return run.copy() if run.base is not None and len(run) * 2 < len(run.base) else run
