"""Which of the entries of a link in a queue is the latest; the others are outdated."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from evocrawl.core.containers.keymap import KeyMap
from evocrawl.core.model import Fingerprint, Lead
from evocrawl.frontier.candidate_file import NOWHERE
from evocrawl.frontier.new_entries import ENTRY, Entries
from evocrawl.frontier.priorities import FORM, Mask, Priorities, PrioritiesByRow, RowOf, Rows

QueuedLead: TypeAlias = tuple[float, int, Lead, int]
"""Negative priority, number, link, and its address in the spill file or NOWHERE."""

_NUMBERS = (1 << 32) - 1
"""The low bits of an entry's number that are stored with its target. Two entries of one link with
the same low bits would be confused; it takes years to make 2³² entries between them.
"""


class LatestEntries:
    """Makes entries of links, and stores priority and number of the latest entry of each link.

    An outdated entry never becomes the latest again. With `row_of`, links are stored by row; else
    the first `small` ones are in a dict.
    """

    def __init__(self, small: int, row_of: RowOf | None) -> None:
        self._stored = KeyMap(FORM, small) if row_of is None else PrioritiesByRow(row_of)
        self._made = 0
        self.outdated = 0
        """How many entries have become outdated, for the user to set back."""

    def __len__(self) -> int:
        """Return the number of links that have a latest entry."""
        return len(self._stored)

    def priority(self, target: Fingerprint) -> float | None:
        """Return the priority of the latest entry of a link, None without one. O(1)."""
        known = self._stored.get(target)
        return None if known is None else known[0]

    def make(self, lead: Lead, priority: float, *, replaces: bool) -> QueuedLead:
        """Return a new entry, the latest of its link; `replaces`: the link has one. O(1)."""
        self._made += 1
        self.outdated += replaces
        self._stored.put(lead.fingerprint, priority, self._made & _NUMBERS)
        return -priority, self._made, lead, NOWHERE

    def make_each(self, rows: Rows, priorities: Priorities) -> Entries:
        """Return new entries of links of different rows, with one or not. O(links).

        Their addresses are the rows. The index of links must be a `Numbering`.
        """
        assert isinstance(self._stored, PrioritiesByRow)
        entries = np.empty(len(rows), ENTRY)
        numbers = np.arange(self._made + 1, self._made + 1 + len(rows))
        entries["rank"], entries["number"], entries["address"] = -priorities, numbers, rows
        self._made += len(rows)
        self.outdated += self._stored.put_each(rows, priorities, numbers & _NUMBERS)
        return entries

    def discard(self, target: Fingerprint) -> None:
        """Let a link have no latest entry. O(1)."""
        self._stored.discard(target)

    def has(self, entry: QueuedLead) -> bool:
        """Return whether an entry is the latest of its link. O(1)."""
        if isinstance(self._stored, PrioritiesByRow):
            return self._stored.number(entry[2]) == entry[1] & _NUMBERS
        known = self._stored.get(entry[2].fingerprint)
        return known is not None and known[1] == entry[1] & _NUMBERS

    def is_outdated(self, row: int, number: int) -> bool:
        """Return what `are_outdated` does for one entry. O(1)."""
        stored = self._stored
        return isinstance(stored, PrioritiesByRow) and stored.is_outdated(row, number & _NUMBERS)

    def are_outdated(self, rows: Rows, numbers: npt.NDArray[np.uint64]) -> Mask:
        """Return which entries are known to be outdated, by the rows of their links.

        O(entries), without a look at the links. A link without a row has the row −1.
        """
        if isinstance(self._stored, PrioritiesByRow):
            return self._stored.are_outdated(rows, numbers & np.uint64(_NUMBERS))
        return np.zeros(len(rows), np.bool_)

    def filtered(self, entries: Sequence[QueuedLead]) -> list[QueuedLead]:
        """Return those of the entries that are the latest of their links. O(entries)."""
        return [
            entry
            for entry, number in zip(entries, self.those_of(entries), strict=True)
            if number == entry[1] & _NUMBERS
        ]

    def those_of(self, entries: Sequence[QueuedLead]) -> list[int]:
        """Return the low bits of the number of each link's latest entry, −1 without one."""
        if isinstance(self._stored, PrioritiesByRow):
            return self._stored.latest([lead for _, _, lead, _ in entries])
        known = self._stored.get_each([lead.fingerprint for _, _, lead, _ in entries])
        return [-1 if has is None else has[1] for has in known]
