"""Which hosts may be fetched from now: concurrency and delay per host, and doors still closed.

The population asks here before it gives a visit out, so that links of a saturated host are passed
over instead of holding a place in the downloader. In a crawl the limits are those of the
downloader; a simulator gives its own.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from heapq import heappop, heappush
from typing import TypeAlias

HostLimit: TypeAlias = Callable[[str], tuple[int, float]]
"""Maps a host to (visits at once ≥ 1, seconds between the starts of two visits ≥ 0)."""


@dataclass(slots=True)
class _State:
    in_flight: int = 0
    next_start_s: float = 0.0
    closed: bool = False


class Hosts:
    """Tracks the hosts that have visits in flight, a delay running or a closed door; no others."""

    def __init__(self, limit: HostLimit) -> None:
        self._limit = limit
        self._busy: dict[str, _State] = {}
        self._delays: list[tuple[float, str]] = []
        self.on_free: list[Callable[[str], None]] = []
        """Called with a host that may have become free."""

    def is_free(self, host: str, now_s: float) -> bool:
        """Return True when a visit to `host` may start now. Runtime complexity: O(1)."""
        state = self._busy.get(host)
        if state is None:
            return True
        if state.closed or state.next_start_s > now_s:
            return False
        return state.in_flight < max(self._limit(host)[0], 1)

    def start(self, host: str, now_s: float) -> None:
        """A visit to `host` goes out now."""
        state = self._busy.setdefault(host, _State())
        state.in_flight += 1
        delay_s = self._limit(host)[1]
        if delay_s > 0:
            self.hold(host, now_s + delay_s)

    def finish(self, host: str) -> None:
        """A visit to `host` is over."""
        self._busy[host].in_flight -= 1
        self._freed(host)

    def hold(self, host: str, until_s: float) -> None:
        """Start nothing at `host` before `until_s`. Runtime complexity: O(log hosts)."""
        state = self._busy.setdefault(host, _State())
        state.next_start_s = max(state.next_start_s, until_s)
        heappush(self._delays, (state.next_start_s, host))

    def close(self, host: str) -> None:
        """Nothing may start at `host` until `reopen`."""
        self._busy.setdefault(host, _State()).closed = True

    def reopen(self, host: str) -> None:
        """Undo `close`."""
        self._busy[host].closed = False
        self._freed(host)

    def advance(self, now_s: float) -> None:
        """Let go of delays that are over."""
        while self._delays and self._delays[0][0] <= now_s:
            _, host = heappop(self._delays)
            state = self._busy.get(host)
            if state is not None and state.next_start_s <= now_s:
                state.next_start_s = 0.0
                self._freed(host)

    def wakes_at(self) -> float | None:
        """Return the time at which the next delay ends, None when no delay runs."""
        return self._delays[0][0] if self._delays else None

    def _freed(self, host: str) -> None:
        state = self._busy[host]
        if not state.in_flight and not state.closed and not state.next_start_s:
            del self._busy[host]
        for listener in self.on_free:
            listener(host)
