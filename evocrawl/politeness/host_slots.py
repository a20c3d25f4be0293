"""Concurrency, delays and closed hosts: decides which hosts may be fetched from now.

Hosts at the same IP address also share one limit, so that a server with a thousand names does not
get requests from a thousand agents at once.

The population checks a host before it opens a visit: it skips the links of a busy host instead of
filling the downloader's queue with them. A crawl uses the downloader's limits, a simulation its
own.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from heapq import heappop, heappush
from typing import TypeAlias

_MAX_LOCATED = 10_000
_SHORT_S = 1.0
SOON_S = 5.0
"""A busy host that is not free within so many seconds is not waited for."""

HostLimit: TypeAlias = Callable[[str], tuple[int, float]]
"""Maps a host to (visits at once ≥ 1, seconds between the starts of two visits ≥ 0)."""


@dataclass(slots=True)
class _State:
    in_flight: int = 0
    next_start_s: float = 0.0
    late_s: float = 0.0
    """When the latest visit is late: `SOON_S` after its start."""
    is_watched: bool = False
    """True if `_delays` has an entry for `late_s`."""
    closed: bool = False
    addresses: list[str] = field(default_factory=list)
    """IP addresses of the visits under way."""


@dataclass(slots=True)
class _Address:
    most: int
    hosts: int = 0
    in_flight: int = 0
    kept_out: dict[str, None] = field(default_factory=dict)
    """Hosts that are busy only because of the address, in order."""


class HostSlots:
    """Tracks the hosts that have visits under way or a delay, or that are closed."""

    def __init__(self, limit: HostLimit) -> None:
        self._limit = limit
        self._busy: dict[str, _State] = {}
        self._delays: list[tuple[float, str]] = []
        self._address_of: dict[str, str] = {}
        self._addresses: dict[str, _Address] = {}
        self._sharers = 1
        self._now_s = 0.0
        self.on_free: list[Callable[[str], None]] = []
        """Callbacks; each gets a host that may have become free."""

    def is_free(self, host: str, now_s: float) -> bool:
        """Return True when a visit to `host` may start now. Runtime complexity: O(1)."""
        state = self._busy.get(host)
        if state is not None and (state.closed or state.next_start_s > now_s):
            return False
        if state is not None and state.in_flight >= max(self._limit(host)[0], 1):
            return False
        return self._has_room(host)

    def is_free_now(self, host: str) -> bool:
        """Return the same for the time of the last `advance`. O(1)."""
        return self.is_free(host, self._now_s)

    def is_soon_free(self, host: str) -> bool:
        """Return True if a busy host is to be waited for: if it is free in `SOON_S`, by all signs.

        Its delay ends within that time, and its latest visit has not taken as long yet. `on_free`
        names the host at the latest when that visit has. O(log hosts).
        """
        state = self._busy.get(host)
        if state is None or state.closed or state.next_start_s > self._now_s + SOON_S:
            return False
        if not state.in_flight:
            return True
        if not state.is_watched:
            state.is_watched = True
            heappush(self._delays, (state.late_s, host))
        return state.late_s > self._now_s

    def is_free_for(self, visit_to: str, host: str, now_s: float) -> bool:
        """Return True when a visit to `visit_to` may continue at `host` now. O(1).

        The visit then frees its slot at `visit_to`. A delay that ends within a second is ignored.
        """
        state = self._busy.get(host)
        if state is not None:
            there = state.in_flight - (visit_to == host)
            is_full = there >= max(self._limit(host)[0], 1)
            if state.closed or is_full or state.next_start_s > now_s + _SHORT_S:
                return False
        name = self._address_of.get(host, "")
        address = self._addresses.get(name)
        if address is None or name == self._address_of.get(visit_to):
            return True
        return address.in_flight < max(address.most // self._sharers, 1)

    def start(self, host: str, now_s: float) -> None:
        """Count a visit to `host` that starts now, and begin the host's delay."""
        state = self._busy.setdefault(host, _State())
        state.in_flight += 1
        state.late_s, state.is_watched = now_s + SOON_S, False
        self._go(host, state)
        delay_s = self._limit(host)[1]
        if delay_s > 0:
            self.hold(host, now_s + delay_s)

    def finish(self, host: str) -> None:
        """Free the slot of a visit to `host`."""
        state = self._busy[host]
        state.in_flight -= 1
        address = state.addresses.pop()
        self._freed(host)
        self._leave(address)

    def hold(self, host: str, until_s: float) -> None:
        """Delay the next visit to `host` until `until_s`. Runtime complexity: O(log hosts)."""
        state = self._busy.setdefault(host, _State())
        state.next_start_s = max(state.next_start_s, until_s)
        heappush(self._delays, (state.next_start_s, host))

    def end_hold(self, host: str) -> None:
        """End the delay of `host` now, if one runs."""
        state = self._busy.get(host)
        if state is not None and state.next_start_s:
            state.next_start_s = 0.0
            self._freed(host)

    def locate(self, host: str, address: str, most: int) -> None:
        """Set the IP address of `host`, which allows at most `most` concurrent visits. O(1).

        The last 10 000 hosts are kept. Visits under way still count at their old address.
        """
        self._forget(host)
        self._address_of[host] = address
        known = self._addresses.setdefault(address, _Address(most))
        known.hosts += 1
        known.most = max(most, 1)
        self._let_in(address)
        if len(self._address_of) > _MAX_LOCATED:
            self._forget(next(iter(self._address_of)))

    def share(self, sharers: int) -> None:
        """Divide the limit of each address among `sharers` crawls, this one included.

        Each crawl has at least one slot. Runtime complexity: O(addresses).
        """
        self._sharers = max(sharers, 1)
        for address in list(self._addresses):
            self._let_in(address)

    def is_closed(self, host: str) -> bool:
        """Return True from `close` to `reopen`. O(1)."""
        state = self._busy.get(host)
        return state is not None and state.closed

    def close(self, host: str) -> None:
        """Start no visit at `host` until `reopen`."""
        self._busy.setdefault(host, _State()).closed = True

    def reopen(self, host: str) -> None:
        """Undo `close`."""
        self._busy[host].closed = False
        self._freed(host)

    def advance(self, now_s: float) -> None:
        """Remove the delays that have ended by `now_s`."""
        self._now_s = now_s
        while self._delays and self._delays[0][0] <= now_s:
            _, host = heappop(self._delays)
            state = self._busy.get(host)
            if state is not None and state.next_start_s <= now_s:
                state.next_start_s = 0.0
                self._freed(host)

    def free_at_s(self, host: str) -> float:
        """Return when the delay or back-off of `host` ends, 0.0 if none runs. O(1)."""
        state = self._busy.get(host)
        return 0.0 if state is None else state.next_start_s

    def wakes_at(self) -> float | None:
        """Return the time at which the next delay ends, None when no delay runs."""
        return self._delays[0][0] if self._delays else None

    def _has_room(self, host: str) -> bool:
        address = self._addresses.get(self._address_of.get(host, ""))
        if address is None or address.in_flight < max(address.most // self._sharers, 1):
            return True
        address.kept_out[host] = None
        return False

    def _go(self, host: str, state: _State) -> None:
        address = self._address_of.get(host, "")
        state.addresses.append(address)
        if address:
            self._addresses[address].in_flight += 1

    def _leave(self, name: str) -> None:
        if name:
            self._addresses[name].in_flight -= 1
            self._let_in(name)

    def _forget(self, host: str) -> None:
        name = self._address_of.pop(host, "")
        if name:
            self._addresses[name].hosts -= 1
            self._let_in(name)

    def _let_in(self, name: str) -> None:
        """Announce the hosts that only the address kept busy as free. O(such hosts)."""
        address = self._addresses[name]
        kept_out, address.kept_out = address.kept_out, {}
        if not address.hosts and not address.in_flight:
            del self._addresses[name]
        for host in kept_out:
            for listener in self.on_free:
                listener(host)

    def _freed(self, host: str) -> None:
        state = self._busy[host]
        if not state.in_flight and not state.closed and not state.next_start_s:
            del self._busy[host]
        for listener in self.on_free:
            listener(host)
