"""The links in memory of a queue, by host."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from heapq import heapify, heappop, heappush

from evocrawl.frontier.latest_entries import LatestEntries, QueuedLead

_SHARE = 16
"""If more than one entry in so many was outdated one after the other, all such are removed."""


class MemoryQueues:
    """One heap of entries for each host that has any."""

    def __init__(self) -> None:
        self._heaps: dict[str, list[QueuedLead]] = {}
        self.held = 0
        """The number of entries."""

    def by_host(self) -> list[tuple[str, Sequence[QueuedLead]]]:
        """Return the hosts that have entries, with them."""
        return [*self._heaps.items()]

    def first(self, host: str) -> QueuedLead | None:
        """Return the best entry of a host, None without one. O(1)."""
        heap = self._heaps.get(host)
        return heap[0] if heap else None

    def put(self, entry: QueuedLead) -> bool:
        """Add an entry; return whether it is the best of its host. O(log n)."""
        heap = self._heaps.setdefault(entry[2].host, [])
        heappush(heap, entry)
        self.held += 1
        return heap[0] is entry

    def add(self, entries: Iterable[QueuedLead]) -> list[str]:
        """Add entries; return the hosts that have another best entry now. O(log n) an entry."""
        heaps, changed = self._heaps, dict[str, None]()
        for entry in entries:
            self.held += 1
            host = entry[2].host
            heap = heaps.get(host)
            if heap is None:
                heaps[host] = [entry]
                changed[host] = None
                continue
            heappush(heap, entry)
            if heap[0] is entry:
                changed[host] = None
        return [*changed]

    def drop_first(self, host: str, latest: LatestEntries) -> None:
        """Remove the best entry of a host, and outdated entries that follow it.

        If many follow, those of the whole heap are removed at once. O(log n) each, amortised.
        """
        heap = self._heaps[host]
        before, removed = len(heap), 1
        heappop(heap)
        while heap and not latest.has(heap[0]):
            if removed * _SHARE > len(heap):
                heap[:] = latest.filtered(heap)
                heapify(heap)
                break
            heappop(heap)
            removed += 1
        self.held -= before - len(heap)
        if not heap:
            del self._heaps[host]

    def replace(self, entries: Sequence[QueuedLead]) -> None:
        """Replace all entries by these, which are sorted within a host. O(entries)."""
        self._heaps.clear()
        for entry in entries:
            self._heaps.setdefault(entry[2].host, []).append(entry)  # sorted, so it is a heap
        self.held = len(entries)
