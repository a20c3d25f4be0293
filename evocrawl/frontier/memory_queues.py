"""The links in memory of a queue, by host."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from heapq import heappop, heappush

from evocrawl.frontier.latest_entries import QueuedLead


class MemoryQueues:
    """One heap of entries for each host that has any; `len` is the number of entries."""

    def __init__(self) -> None:
        self._heaps: dict[str, list[QueuedLead]] = {}
        self._held = 0

    def __len__(self) -> int:
        return self._held

    def __iter__(self) -> Iterator[QueuedLead]:
        for heap in self._heaps.values():
            yield from heap

    @property
    def hosts(self) -> list[str]:
        """The hosts that have entries."""
        return [*self._heaps]

    def first(self, host: str) -> QueuedLead | None:
        """Return the best entry of a host, None without one. O(1)."""
        heap = self._heaps.get(host)
        return heap[0] if heap else None

    def add(self, entries: Iterable[QueuedLead]) -> list[str]:
        """Add entries; return the hosts that have another best entry now. O(log n) an entry."""
        heaps, changed = self._heaps, dict[str, None]()
        for entry in entries:
            self._held += 1
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

    def drop_first(self, host: str, is_latest: Callable[[QueuedLead], bool]) -> None:
        """Remove the best entry of a host, and outdated entries that follow it."""
        heap = self._heaps[host]
        heappop(heap)
        self._held -= 1
        while heap and not is_latest(heap[0]):
            heappop(heap)
            self._held -= 1
        if not heap:
            del self._heaps[host]

    def replace(self, entries: Sequence[QueuedLead]) -> None:
        """Replace all entries by these, which are sorted within a host. O(entries)."""
        self._heaps.clear()
        for entry in entries:
            self._heaps.setdefault(entry[2].host, []).append(entry)  # sorted, so it is a heap
        self._held = len(entries)
