"""Stores the priority of each waiting link, and the number of its latest entry in the queue."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Sequence
from itertools import repeat
from math import nan
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from evocrawl.core.containers.keymap import KeyMap
from evocrawl.core.model import Fingerprint, Lead
from evocrawl.core.numbering import Numbering

FORM = "<dI"
"""Format of priority and number in a `KeyMap`."""
Rows: TypeAlias = npt.NDArray[np.intp]
Priorities: TypeAlias = npt.NDArray[np.float64]
Mask: TypeAlias = npt.NDArray[np.bool_]
RowOf: TypeAlias = Callable[[Fingerprint], int | None]
"""Returns the row of a target, from 0 without gaps, or None if it has no row."""


class PrioritiesByRow:
    """Stores priorities in columns by the row of their target, which another index knows.

    This takes 12 bytes a row. A key takes more memory than its value, so a crawl whose link model
    has numbered all targets does not store the keys twice. A target without a row, such as a seed,
    is stored by its fingerprint, until `put` is called again when it has a row.

    >>> priorities = PrioritiesByRow({b"twelve bytes": 1}.get)
    >>> priorities.put(b"twelve bytes", 0.5, 7); priorities.put(b"no row", 0.25, 8)
    >>> priorities.get(b"twelve bytes"), priorities.get(b"no row"), len(priorities)
    ((0.5, 7), (0.25, 8), 2)
    """

    def __init__(self, row_of: RowOf) -> None:
        self._row_of: RowOf = row_of
        self._row_of_lead: Callable[[Lead], int | None] = lambda lead: row_of(lead.fingerprint)
        if isinstance(row_of, Numbering):
            self._row_of, self._row_of_lead = row_of.number, row_of.of_lead
            self._targets = row_of.leads.targets
        self._priorities = array("d")  # NaN: absent
        self._numbers = array("I")
        self._in_rows = 0
        self._others = KeyMap(FORM)
        self._last: tuple[Fingerprint, int | None] = (b"", None)
        """The target of the last `get`, and its row: `put` often follows for the same target."""

    def __len__(self) -> int:
        return self._in_rows + len(self._others)

    def get(self, key: Fingerprint) -> tuple[float, int] | None:
        """Return priority and number of a target, None where it is not in. O(1)."""
        row = self._row_of(key)
        self._last = (key, row)
        if row is not None and row < len(self._priorities):
            priority = self._priorities[row]
            if priority == priority:  # only NaN differs from itself
                return priority, self._numbers[row]
        return self._others.get(key) if self._others else None

    def number(self, lead: Lead) -> int:
        """Return the number of a link's target, −1 where it is not in. O(1)."""
        row = self._row_of_lead(lead)
        if row is not None and row < len(self._priorities):
            priority = self._priorities[row]
            if priority == priority:
                return self._numbers[row]
        # A seed has no row with it, though its target may have one.
        known = self.get(lead.fingerprint)
        return -1 if known is None else known[1]

    def latest(self, leads: Sequence[Lead]) -> list[int]:
        """Return the number of each link's target, −1 where it is not in. O(links)."""
        priorities, numbers = self._priorities, self._numbers
        count, found = len(priorities), list[int]()
        for lead, row in zip(leads, map(self._row_of_lead, leads), strict=True):
            if row is not None and row < count and priorities[row] == priorities[row]:
                found.append(numbers[row])
            else:
                found.append(self.number(lead))
        return found

    def are_outdated(self, rows: Rows, numbers: npt.NDArray[np.uint64]) -> Mask:
        """Return which entries are not the latest, by rows and low bits of numbers. O(entries).

        False for an entry whose target is stored without its row, or may be; such a target may have
        the row −1.
        """
        found = np.zeros(len(rows), np.bool_)
        is_stored = (rows >= 0) & (rows < len(self._numbers))
        rows = rows[is_stored]
        if len(rows):
            is_other = np.frombuffer(self._numbers, "I")[rows] != numbers[is_stored]
            is_absent = np.isnan(np.frombuffer(self._priorities)[rows])
            found[is_stored] = is_other & ~is_absent if self._others else is_other | is_absent
        return found

    def is_outdated(self, row: int, number: int) -> bool:
        """Return what `are_outdated` does for one entry. O(1)."""
        if not 0 <= row < len(self._numbers):
            return False
        is_absent = self._priorities[row] != self._priorities[row]
        is_other = self._numbers[row] != number
        return is_other and not is_absent if self._others else is_other or is_absent

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
            self._make_room(row + 1)
        if priorities[row] != priorities[row]:
            self._in_rows += 1
            if self._others:
                self._others.discard(key)
        priorities[row], self._numbers[row] = priority, number

    def put_each(self, rows: Rows, priorities: Priorities, numbers: Rows) -> int:
        """Set priorities and numbers of different targets by their rows. O(targets).

        Return how many of them were in. A `Numbering` must have the links of the rows.
        """
        if not len(rows):
            return 0
        self._make_room(int(rows.max()) + 1)
        # Views would keep the columns from growing, so they do not outlive this call.
        of_rows, numbers_of_rows = (
            np.frombuffer(self._priorities),
            np.frombuffer(self._numbers, "I"),
        )
        are_new = np.isnan(of_rows[rows])
        of_rows[rows], numbers_of_rows[rows] = priorities, numbers
        new = int(np.count_nonzero(are_new))
        self._in_rows += new
        moved = 0
        if self._others:
            for key in self._targets(rows[are_new].tolist()):
                if key is not None and key in self._others:
                    self._others.discard(key)
                    moved += 1
        return len(rows) - new + moved

    def _make_room(self, rows: int) -> None:
        more = rows - len(self._priorities)
        if more > 0:
            self._priorities.extend(repeat(nan, more))
            self._numbers.extend(repeat(0, more))

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
