"""Requests that no choice of the population stands behind, on their way through the scheduler."""

from __future__ import annotations

from collections import Counter
from heapq import heappop, heappush

from scrapy import Request

from evocrawl.meta import VISIT


class Transit:
    """A queue by Scrapy's priority, first come, first served among equals.

    A request may have to wait for a time, since its host wants to be left alone. Every method is
    O(log n).
    """

    def __init__(self) -> None:
        self._ready: list[tuple[int, int, Request]] = []
        self._late: list[tuple[float, int, Request]] = []
        self._visits: Counter[int] = Counter()
        self._pushed = 0

    def __len__(self) -> int:
        return len(self._ready) + len(self._late)

    def push(self, request: Request, from_s: float = 0.0) -> None:
        """Put a request in, that is not to be sent before `from_s`."""
        self._pushed += 1
        heappush(self._late, (from_s, self._pushed, request))
        self._visits[request.meta.get(VISIT, 0)] += 1

    def pop(self, now_s: float) -> Request | None:
        """Take out the request to be sent next, None where none may be sent now."""
        while self._late and self._late[0][0] <= now_s:
            _, number, request = heappop(self._late)
            heappush(self._ready, (-request.priority, number, request))
        if not self._ready:
            return None
        request = heappop(self._ready)[2]
        visit = request.meta.get(VISIT, 0)
        self._visits[visit] -= 1
        if not self._visits[visit]:
            del self._visits[visit]
        return request

    def holds(self, visit: int) -> bool:
        """Return True while a request of that visit waits here."""
        return visit in self._visits

    def wakes_at(self) -> float | None:
        """Return when the next request may be sent, None where none waits for a time."""
        return self._late[0][0] if self._late else None

    def clear(self) -> None:
        """Forget all requests."""
        self._ready.clear()
        self._late.clear()
        self._visits.clear()
