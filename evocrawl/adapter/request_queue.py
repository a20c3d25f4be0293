"""The queue of requests that the population does not choose: plain requests and redirects."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from heapq import heappop, heappush
from itertools import islice
from math import inf

from scrapy import Request

from evocrawl.adapter.meta import VISIT

_LOOKED_AT = 16
"""Number of downloader slots with an unknown waiting time that each call checks again."""


class DirectRequestQueue:
    """A queue by Scrapy's priority; among equal priorities, first in, first out.

    A request that continues a visit may be sent at once. Every other request waits in the line of
    its downloader slot, which `key_of` returns, until it may be sent. `wait_of` returns in how many
    seconds that is, infinity if unknown. Lines do not delay each other. Every method is O(log n).
    """

    def __init__(
        self,
        key_of: Callable[[Request], str] = lambda _: "",
        wait_of: Callable[[Request], float] = lambda _: 0.0,
    ) -> None:
        self._key_of = key_of
        self._wait_of = wait_of
        self._lines: dict[str | None, list[tuple[int, int, Request]]] = {}
        self._heads: list[tuple[int, int, str | None]] = []
        self._due: list[tuple[float, str]] = []
        self._blocked: dict[str, None] = {}
        self._resting: set[str | None] = set()
        self._visits: Counter[int] = Counter()
        self._pushed = 0
        self._waiting = 0

    def __len__(self) -> int:
        return self._waiting

    def push(self, request: Request) -> None:
        """Add a request."""
        self._pushed += 1
        self._waiting += 1
        visit = request.meta.get(VISIT, 0)
        self._visits[visit] += 1
        key = None if visit else self._key_of(request)
        line = self._lines.setdefault(key, [])
        heappush(line, (-request.priority, self._pushed, request))
        if key not in self._resting and line[0][2] is request:
            self._show(key)

    def pop(self, now_s: float) -> Request | None:
        """Remove and return the next request to send; None if none may be sent now."""
        while self._due and self._due[0][0] <= now_s:
            self._rise(heappop(self._due)[1])
        for blocked in list(islice(self._blocked, _LOOKED_AT)):
            del self._blocked[blocked]
            self._rise(blocked)
        while self._heads:
            priority, number, key = heappop(self._heads)
            line = self._lines.get(key)
            if not line or line[0][:2] != (priority, number) or key in self._resting:
                continue
            wait_s = 0.0 if key is None else self._wait_of(line[0][2])
            if wait_s <= 0:
                return self._take(key, line)
            self._rest(key or "", wait_s, now_s)
        return None

    def holds(self, visit: int) -> bool:
        """Return True while a request of that visit waits here."""
        return visit in self._visits

    def going_on(self) -> list[Request]:
        """Return the requests that wait here and continue a visit."""
        return [request for *_, request in self._lines.get(None, ())]

    def wakes_at(self) -> float | None:
        """Return when the next request may be sent, None if that is not known."""
        return self._due[0][0] if self._due else None

    def clear(self) -> None:
        """Remove all requests."""
        for each in (self._lines, self._heads, self._due, self._blocked, self._resting):
            each.clear()
        self._visits.clear()
        self._waiting = 0

    def _show(self, key: str | None) -> None:
        priority, number, _ = self._lines[key][0]
        heappush(self._heads, (priority, number, key))

    def _rise(self, key: str) -> None:
        self._resting.discard(key)
        self._show(key)

    def _rest(self, key: str, wait_s: float, now_s: float) -> None:
        self._resting.add(key)
        if wait_s < inf:
            heappush(self._due, (now_s + wait_s, key))
        else:
            self._blocked[key] = None

    def _take(self, key: str | None, line: list[tuple[int, int, Request]]) -> Request:
        request = heappop(line)[2]
        if line:
            self._show(key)
        else:
            del self._lines[key]
        self._waiting -= 1
        visit = request.meta.get(VISIT, 0)
        self._visits[visit] -= 1
        if not self._visits[visit]:
            del self._visits[visit]
        return request
