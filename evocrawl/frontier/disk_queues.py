"""Queues of links in a spill file, sorted by priority."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from evocrawl.core.containers.spill_file import SpillFile
from evocrawl.frontier.candidate_file import NOWHERE, NUMBERED, LeadPlaces
from evocrawl.frontier.latest_entries import LatestEntries, QueuedLead
from evocrawl.frontier.new_entries import Entries, Entry
from evocrawl.frontier.priorities import Mask
from evocrawl.frontier.runs_by_name import RunsByName
from evocrawl.frontier.sorted_runs import Mark

_TAKEN, _TAKEN_FIRST = 16, 4
"""Links to read at once: first a few, then more if the next links of the queue are better than
those of all other queues.
"""


class DiskQueues:
    """Sorted queues of links by name in `spill`, with their links in `file`.

    Entries of numbered links that are outdated by `latest` are left out
    without a look at the links: when runs are merged, and by the thousand when they come first.
    """

    def __init__(self, spill: SpillFile, file: LeadPlaces, latest: LatestEntries) -> None:
        self.runs = RunsByName(spill)
        self._file = file
        self._latest = latest

    def put(self, name: str, entries: Iterable[QueuedLead]) -> None:
        """Add sorted entries to a queue, which is made if there is none."""
        put = self._file.put
        self.runs.changing(name).put(
            [
                (rank, number, put(lead) if kept_at == NOWHERE else kept_at)
                for rank, number, lead, kept_at in entries
            ],
            self._are_outdated,
        )
        self.runs.changed(name)

    def add(self, name: str, entries: Entries) -> None:
        """Add entries of links that are held by number to a queue. O(log n) a link.

        Their addresses are the numbers, of another type. They are sorted and written to disk when
        there are many.
        """
        entries["address"] += NUMBERED
        self.runs.changing(name).add(entries, self._are_outdated)
        self.runs.changed(name)

    def take(self, name: str, most: int, other: Mark | None) -> list[QueuedLead]:
        """Remove and return the best links of a queue, a few or `most`.

        `other` is the best entry of all other queues, None if they are empty.
        """
        runs = self.runs.changing(name)
        most = min(_TAKEN, most)
        first = min(_TAKEN_FIRST, most)
        entries = runs.take(first)
        if most > first and runs.first and (other is None or runs.first < other):
            entries += runs.take(most - first)
        outdated = [self._is_outdated(entry) for entry in entries]
        if all(outdated):
            runs.leave_out(self._are_outdated)
        self.runs.changed(name)
        taken = [
            (rank, number, *self._file.take(at))
            for (rank, number, at), is_outdated in zip(entries, outdated, strict=True)
            if not is_outdated
        ]
        # A link that is not held any more was claimed.
        return [(rank, number, lead, at) for rank, number, lead, at in taken if lead is not None]

    def _is_outdated(self, entry: Entry) -> bool:
        _, number, address = entry
        row = self._file.number(address)
        return row is not None and self._latest.is_outdated(row, number)

    def _are_outdated(self, entries: Entries) -> Mask:
        rows = self._file.numbers(entries["address"])
        if rows is None:
            return np.zeros(len(entries), np.bool_)
        return self._latest.are_outdated(rows, entries["number"])
