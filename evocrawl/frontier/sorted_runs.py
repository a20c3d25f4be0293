"""A priority queue on disk that takes little memory: sorted runs that are merged as they are added.

The idea is that of log-structured merge trees (O'Neil, Cheng, Gawlick & O'Neil 1996): each added
run is sorted, and runs of similar length are merged, so that an entry moves O(log n) times and the
number of runs stays small. The longest runs are not merged, so that no step takes long. Only the
beginning of a long run is in memory. Entries that are added some at a time are in memory until
there are many: see `new_entries`.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable, Sequence
from heapq import merge
from itertools import islice
from typing import Self, TypeAlias

import numpy as np
import numpy.typing as npt

from evocrawl.core.containers.spill_file import SpillFile
from evocrawl.frontier.new_entries import ENTRY, Entries, Entry, NewEntries, in_order

_LONGEST = 1 << 17
_LONG = 1 << 6
_FRONT = 16
"""Number of entries of a long run to read at once."""
_BEGIN = 4
"""Entries in memory of a long run that was not read yet; most runs are never read."""
_AT_ONCE = 1 << 13
"""Most entries to read at once of those to leave out."""
_MOST_NEW = 1 << 12
"""Most entries that were added lately in memory."""

AreOutdated: TypeAlias = Callable[[Entries], npt.NDArray[np.bool_]]
"""Returns which entries are not needed any more."""
Mark: TypeAlias = tuple[float, int]
"""The sort key of an entry: its rank, then its number, which is unique."""
State: TypeAlias = tuple[bytes, int, int, int]
"""Of a run: its first entries, and number, address and entries taken of the rest on disk."""


class Run:
    """Sorted entries; the first are in `front`, which is empty only if no entry is left."""

    __slots__ = ("_rest", "_rest_at", "_spill", "_taken", "front")

    def __init__(self, entries: Entries, spill: SpillFile, *, is_whole: bool = True) -> None:
        self.front = entries
        self._spill = spill
        self._rest = 0
        self._rest_at = 0
        self._taken = 0
        if is_whole and len(entries) >= _LONG:
            self.front = entries[:_BEGIN].copy()
            self._rest = len(entries) - _BEGIN
            self._rest_at = spill.put(entries[_BEGIN:].tobytes())

    def __len__(self) -> int:
        return len(self.front) + self._rest

    @property
    def state(self) -> State:
        """The first entries as bytes, and where the rest is."""
        return self.front.tobytes(), self._rest, self._rest_at, self._taken

    @classmethod
    def of_state(cls, state: State, spill: SpillFile) -> Self:
        """Return a run of the same state; `spill` has the same records."""
        run = cls(np.frombuffer(state[0], ENTRY), spill, is_whole=False)
        _, run._rest, run._rest_at, run._taken = state
        return run

    def entries(self) -> Entries:
        """Return all entries. O(them)."""
        return np.concatenate((self.front, self._read(self._rest))) if self._rest else self.front

    def at_least(self, count: int) -> Entries:
        """Return at least the first `count` entries, or all if there are fewer."""
        if len(self.front) < count and self._rest:
            more = self._read(min(self._rest, max(_FRONT, count)))
            self._rest -= len(more)
            self._taken += len(more)
            self.front = np.concatenate((self.front, more))
        return self.front

    def drop(self, count: int) -> None:
        """Remove the first `count` entries, which `at_least` has brought into memory."""
        self.front = self.front[count:].copy()  # a copy, to free the memory of the dropped entries
        self.at_least(1)

    def leave_out(self, are_outdated: AreOutdated) -> None:
        """Remove outdated entries up to the first that is not. O(them), about 40 ns each."""
        count = _FRONT
        while len(self):
            front = self.at_least(count)
            self.front = front[~are_outdated(front)]
            if len(self.front):
                return
            count = min(4 * count, _AT_ONCE)

    def _read(self, count: int) -> Entries:
        """Read the next `count` entries from disk."""
        size = ENTRY.itemsize
        part = self._spill.part(self._rest_at, self._taken * size, count * size)
        return np.frombuffer(part, ENTRY)


class Runs:
    """A queue of entries in the order of their marks.

    >>> runs = Runs(SpillFile())
    >>> runs.put([(0.1, 3, 70), (0.4, 1, 80)])
    >>> runs.put([(0.2, 2, 90)])
    >>> runs.first, runs.take(2), len(runs)
    ((0.1, 3), [(0.1, 3, 70), (0.2, 2, 90)], 1)
    """

    __slots__ = ("_first_of_runs", "_new", "_runs", "_spill", "first")

    def __init__(self, spill: SpillFile) -> None:
        self._spill = spill
        self._runs: list[Run] = []
        self._new = NewEntries()
        self._first_of_runs: Mark | None = None
        self.first: Mark | None = None  # the mark of the first entry, None without entries

    def __len__(self) -> int:
        return sum(map(len, self._runs)) + len(self._new)

    def state(self) -> list[State]:
        """Return the state of the runs; the latest entries are the beginning of one more."""
        runs = list(self._runs)
        if self._new:
            runs.append(Run(self._new.sorted(), self._spill, is_whole=False))
        return [run.state for run in runs]

    @classmethod
    def of_state(cls, states: Iterable[State], spill: SpillFile) -> Self:
        """Return a queue of the same state; `spill` has the same records."""
        runs = cls(spill)
        runs._runs = [Run.of_state(each, spill) for each in states]
        runs._set_first()
        return runs

    def put(
        self, entries: Sequence[Entry] | Entries, are_outdated: AreOutdated | None = None
    ) -> None:
        """Add sorted entries. O(log n) an entry, amortised.

        Of them, and of those that are merged with them, only those stay that are not outdated.
        """
        new: Entries = np.array(entries, ENTRY)
        merged = [new]
        count = len(new)
        while self._runs and len(self._runs[-1]) < 2 * count:
            if count + len(self._runs[-1]) > _LONGEST:
                break
            merged.append(self._runs.pop().entries())
            count += len(merged[-1])
        whole = in_order(merged) if len(merged) > 1 else new
        if are_outdated is not None:
            whole = whole[~are_outdated(whole)]
        if len(whole):
            self._runs.append(Run(whole, self._spill))
        self._set_first()

    def add(self, entries: Entries, are_outdated: AreOutdated | None = None) -> None:
        """Add entries in any order. O(log n) an entry, amortised. See `put` for outdated ones."""
        self._new.add(entries)
        if len(self._new) > _MOST_NEW:
            new, self._new = self._new, NewEntries()
            self.put(new.sorted(), are_outdated)
            return
        self._set_first_of_all()

    def take(self, most: int) -> list[Entry]:
        """Remove and return the first `most` entries, or all. O(most · runs)."""
        new, of_runs = self._new.take(most), self._first_of_runs
        if of_runs is None or (len(new) == most and new[-1][:2] < of_runs):
            self._set_first_of_all()
            return new
        fronts: list[list[Entry]] = [run.at_least(most)[:most].tolist() for run in self._runs]
        taken = [*islice(merge(*fronts, new), most)]
        for run, front in zip(self._runs, fronts, strict=True):
            count = bisect_right(front, taken[-1])
            if count:
                run.drop(count)
        self._new.give_back(new[bisect_right(new, taken[-1]) :])
        self._set_first()
        return taken

    def leave_out(self, are_outdated: AreOutdated) -> None:
        """Remove outdated entries from the beginning of each run, and from the latest. O(them)."""
        for run in self._runs:
            run.leave_out(are_outdated)
        new = self._new.sorted()
        self._new.replace(new[~are_outdated(new)])
        self._set_first()

    def _set_first(self) -> None:
        self._runs = [run for run in self._runs if len(run)]
        first = min([run.front[0].item() for run in self._runs], default=None)
        self._first_of_runs = None if first is None else first[:2]
        self._set_first_of_all()

    def _set_first_of_all(self) -> None:
        new, self.first = self._new.first, self._first_of_runs
        if new is not None and (self.first is None or new[:2] < self.first):
            self.first = new[:2]
