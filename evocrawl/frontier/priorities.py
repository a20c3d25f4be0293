"""How a frontier values each waiting link: its priority, and the number of its latest entry."""

from __future__ import annotations

from array import array
from collections.abc import Callable
from itertools import repeat
from math import nan
from typing import Protocol, TypeAlias

from evocrawl.core.containers.keymap import KeyMap
from evocrawl.core.model import Fingerprint

FORM = "<dI"
"""Priority and number, as a `KeyMap` keeps them."""
RowOf: TypeAlias = Callable[[Fingerprint], int | None]
"""The number that somebody else has given to a target, from 0 without gaps; None for none."""


class PriorityIndex(Protocol):
    """What a frontier needs of an index; `KeyMap` is one."""

    def __len__(self) -> int:
        """Return how many targets are in."""

    def get(self, key: Fingerprint) -> tuple[float, int] | None:
        """Return priority and number of a target, None where it is not in."""

    def put(self, key: Fingerprint, priority: float, number: int) -> None:
        """Set priority and number, in [0, 2³²), of a target."""

    def discard(self, key: Fingerprint) -> None:
        """Remove a target if it is in."""


class StandingsByRow:
    """Standings in columns, where another index tells the row of a target: 12 bytes a row.

    A key and a place to keep it take more than what it stands for, so that a crawl whose link model
    has numbered all targets does not keep them twice. Targets without a row, such as seeds, are
    kept by their fingerprints, also when they have a row later, until they are put again.

    >>> standings = StandingsByRow({b"twelve bytes": 1}.get)
    >>> standings.put(b"twelve bytes", 0.5, 7); standings.put(b"no row", 0.25, 8)
    >>> standings.get(b"twelve bytes"), standings.get(b"no row"), len(standings)
    ((0.5, 7), (0.25, 8), 2)
    """

    def __init__(self, row_of: RowOf) -> None:
        self._row_of = row_of
        self._priorities = array("d")  # NaN: not in
        self._numbers = array("I")
        self._in_rows = 0
        self._others = KeyMap(FORM)
        self._last: tuple[Fingerprint, int | None] = (b"", None)
        """The target asked for last and its row then: it is put next, more often than not."""

    def __len__(self) -> int:
        return self._in_rows + len(self._others)

    def get(self, key: Fingerprint) -> tuple[float, int] | None:
        """Return priority and number of a target, None where it is not in. O(1)."""
        row = self._row_of(key)
        self._last = (key, row)
        if row is not None and row < len(self._priorities):
            priority = self._priorities[row]
            if priority == priority:  # NaN alone differs from itself
                return priority, self._numbers[row]
        return self._others.get(key) if self._others else None

    def put(self, key: Fingerprint, priority: float, number: int) -> None:
        """Set priority and number of a target. O(1) amortised."""
        last, row = self._last
        if last is not key:
            row = self._row_of(key)
        if row is None:
            self._others.put(key, priority, number)
            return
        priorities = self._priorities
        if row >= len(priorities):
            more = row + 1 - len(priorities)
            priorities.extend(repeat(nan, more))
            self._numbers.extend(repeat(0, more))
        if priorities[row] != priorities[row]:
            self._in_rows += 1
            if self._others:
                self._others.discard(key)
        priorities[row], self._numbers[row] = priority, number

    def discard(self, key: Fingerprint) -> None:
        """Remove a target if it is in. O(1)."""
        row = self._row_of(key)
        if row is not None and row < len(self._priorities):
            priority = self._priorities[row]
            if priority == priority:
                self._priorities[row] = nan
                self._in_rows -= 1
                return
        self._others.discard(key)
