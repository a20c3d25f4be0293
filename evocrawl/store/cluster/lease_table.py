"""Table of the hosts that a worker leases, those that others lease, and the links waiting."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from evocrawl.core.model import Fingerprint
from evocrawl.store.cluster.redis.keys import shard_of

_MARGIN = 0.5
"""Share of a lease after which the worker sends no request before it has renewed the lease.

Requests under way have the rest of the lease to finish before another worker may begin.
"""

_RENEWED_AFTER, _RENEWED_BEFORE_S = 1 / 4, 0.5
"""A heartbeat renews a lease when this share of it is over, less some time, since the next
heartbeat may be a second later: most workers have hosts in most shards, each with its own lease.
"""
_RENEWED_AFTER_LEAST = 1 / 8


def clock_s() -> float:
    """Return monotonic seconds that include the time in which the machine is suspended."""
    boottime = getattr(time, "CLOCK_BOOTTIME", time.CLOCK_MONOTONIC)
    return time.clock_gettime(boottime)


@dataclass(slots=True)
class LeaseTable:
    """The hosts that this worker knows.

    `leases` maps each of its own hosts to the lease. `foreign` are the hosts that other workers
    lease. `waiting` are the links shown to the population and not settled, by host: those of own
    hosts and of hosts without an owner. `lease_s` is the duration of a lease.
    """

    lease_s: float
    clock: Callable[[], float] = clock_s
    leases: dict[str, str] = field(default_factory=dict)
    foreign: set[str] = field(default_factory=set)
    waiting: dict[str, set[Fingerprint]] = field(default_factory=dict)
    _good_until: dict[int, float] = field(default_factory=dict)

    def is_ours(self, host: str) -> bool:
        """Return True while this worker certainly leases the host."""
        return host in self.leases and self.clock() < self._good_until.get(shard_of(host), 0.0)

    def renewed(self, shards: Iterable[int], asked_at_s: float) -> None:
        """Extend the leases in `shards`, counted from the time of the request."""
        for shard in shards:
            until = asked_at_s + _MARGIN * self.lease_s
            self._good_until[shard] = max(self._good_until.get(shard, 0.0), until)

    def has_expired(self, shard: int) -> bool:
        """Return True if leases in `shard` were not renewed in time. O(1)."""
        return self.clock() >= self._good_until.get(shard, math.inf)

    def gain(self, host: str, lease: str) -> None:
        """Note that this worker now leases the host."""
        self.leases[host] = lease
        self.foreign.discard(host)

    def lose(self, host: str) -> set[Fingerprint]:
        """Note that another worker may lease the host; return the links that waited there."""
        self.leases.pop(host, None)
        self.foreign.add(host)
        return self.waiting.pop(host, set())

    def due(self) -> list[int]:
        """Return the shards of our hosts that were not renewed for a while. O(hosts).

        If there is one, those too whose time is half over, so that all are soon renewed at once.
        """
        good_until = {each: self._good_until.get(each, 0.0) for each in self.shards()}
        least_s = _RENEWED_AFTER_LEAST * self.lease_s
        after_s = max(least_s, _RENEWED_AFTER * self.lease_s - _RENEWED_BEFORE_S)
        soon_s = self.clock() + _MARGIN * self.lease_s - after_s
        if min(good_until.values(), default=math.inf) > soon_s:
            return []
        later_s = soon_s + after_s / 2
        return [shard for shard, until_s in good_until.items() if until_s <= later_s]

    def shards(self) -> list[int]:
        """Return the shards of our hosts. O(hosts)."""
        return sorted({shard_of(host) for host in self.leases})

    def in_shards(self, shards: Iterable[int]) -> list[str]:
        """Return our hosts in `shards`. O(hosts)."""
        wanted = set(shards)
        return [host for host in self.leases if shard_of(host) in wanted]

    def wait(self, host: str, target: Fingerprint) -> bool:
        """Add a waiting link; return False if it waits already."""
        here = self.waiting.setdefault(host, set())
        is_new = target not in here
        here.add(target)
        return is_new

    def settle(self, host: str, target: Fingerprint) -> None:
        """Remove a waiting link."""
        here = self.waiting.get(host)
        if here is not None:
            here.discard(target)
            if not here:
                del self.waiting[host]

    def busy_hosts(self) -> list[str]:
        """Return our hosts that have waiting links. O(hosts)."""
        return [host for host in self.leases if host in self.waiting]
