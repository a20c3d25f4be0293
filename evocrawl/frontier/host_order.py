"""The hosts of a queue in the order of their best links; busy hosts are parked."""

from __future__ import annotations

from heapq import heapify, heappop, heappush

from evocrawl.frontier.sorted_runs import Mark


class HostOrder:
    """A heap of hosts by the mark of their best link; a mark is (−priority, number)."""

    def __init__(self) -> None:
        self._heap: list[tuple[float, int, str]] = []
        self._listed: dict[str, Mark] = {}
        self.parked: dict[str, None] = {}

    def first(self) -> tuple[float, int, str] | None:
        """Return the best mark and its host; None without one. O(log hosts) amortised."""
        heap, listed = self._heap, self._listed
        while heap:
            rank, number, host = heap[0]
            if listed.get(host) == (rank, number):
                return heap[0]
            heappop(heap)
        return None

    def second(self) -> Mark | None:
        """Return a mark that no other host but the first comes before, current or not."""
        after = min(self._heap[1:3], default=None)
        return None if after is None else after[:2]

    def place(self, host: str, mark: Mark | None) -> None:
        """Place a host that is not parked by its best link; None removes it."""
        if mark is None:
            self._listed.pop(host, None)
        elif self._listed.get(host) != mark:
            self._listed[host] = mark
            heappush(self._heap, (*mark, host))
            if len(self._heap) > 2 * len(self._listed) + 1000:
                self._heap = [(*mark, host) for host, mark in self._listed.items()]
                heapify(self._heap)

    def park_first(self, host: str) -> None:
        """Park `host`, which is the first one."""
        heappop(self._heap)
        del self._listed[host]
        self.parked[host] = None
