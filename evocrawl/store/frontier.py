"""A best-first queue of links that passes over busy hosts."""

from __future__ import annotations

from collections.abc import Callable
from heapq import heappop, heappush
from typing import TypeAlias

from evocrawl.model import Fingerprint, Lead

_Entry: TypeAlias = tuple[float, int, Lead]


class Frontier:
    """Open links by priority; ties go to the link found first.

    A link is kept once per target, with the best priority it was ever found at: a better one is
    pushed beside the old, which is skipped when it comes up. One heap a host and one heap of
    hosts, so that the best link *of a free host* is found without looking at the links of busy
    ones. Memory in proportion to the links waiting.
    """

    def __init__(self, is_claimed: Callable[[Fingerprint], bool]) -> None:
        self._is_claimed = is_claimed
        self._best: dict[Fingerprint, float] = {}
        self._queues: dict[str, list[_Entry]] = {}
        self._hosts: list[tuple[float, int, str]] = []
        self._listed: dict[str, tuple[float, int]] = {}
        self._parked: dict[str, None] = {}
        self._pushed = 0

    def __len__(self) -> int:
        """Return how many distinct targets wait (claimed ones not yet skipped included)."""
        return len(self._best)

    @property
    def has_parked(self) -> bool:
        """True when links wait for a host that was busy when it came up."""
        return bool(self._parked)

    def push(self, lead: Lead, priority: float) -> None:
        """Add a link. Runtime complexity: O(log n)."""
        target = lead.fingerprint
        known = self._best.get(target)
        if (known is not None and known >= priority) or self._is_claimed(target):
            return
        self._insert(lead, priority)

    def rerank(self, lead: Lead, priority: float) -> None:
        """Give a waiting link another priority, be it better or worse; others are left out.

        Runtime complexity: O(log n).
        """
        if self._best.get(lead.fingerprint, priority) != priority:
            self._insert(lead, priority)

    def _insert(self, lead: Lead, priority: float) -> None:
        self._best[lead.fingerprint] = priority
        self._pushed += 1
        entry = (-priority, self._pushed, lead)
        queue = self._queues.setdefault(lead.host, [])
        heappush(queue, entry)
        if queue[0] is entry and lead.host not in self._parked:
            self._list(lead.host, entry)

    def peek(self, is_free: Callable[[str], bool]) -> Lead | None:
        """Return the best link whose host is free; it stays until it is claimed.

        Hosts found busy are parked until `free` names them. Runtime complexity: O(log n)
        amortised.
        """
        while self._hosts:
            priority, number, host = self._hosts[0]
            key = (priority, number)
            if self._listed.get(host) != key:
                heappop(self._hosts)
                continue
            head = self._head(host)
            if head is not None and head[:2] == key and is_free(host):
                return head[2]
            heappop(self._hosts)
            del self._listed[host]
            if head is not None and head[:2] == key:
                self._parked[host] = None
            elif head is not None:
                self._list(host, head)
        return None

    def free(self, host: str) -> None:
        """The host's links count again. Runtime complexity: O(log hosts)."""
        if host in self._parked:
            del self._parked[host]
            head = self._head(host)
            if head is not None:
                self._list(host, head)

    def _list(self, host: str, head: _Entry) -> None:
        """Put a host among the hosts by its best link; an older entry of it counts no more."""
        self._listed[host] = head[:2]
        heappush(self._hosts, (*head[:2], host))

    def _head(self, host: str) -> _Entry | None:
        """The host's best open link, after skipping claimed and outdated ones."""
        queue = self._queues.get(host)
        while queue:
            priority, _, lead = queue[0]
            target = lead.fingerprint
            if self._is_claimed(target):
                self._best.pop(target, None)
            elif self._best[target] == -priority:
                return queue[0]
            heappop(queue)
        self._queues.pop(host, None)
        return None
