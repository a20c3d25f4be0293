"""Which hosts are a worker's own, which another's, and which links wait at each."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from evocrawl.core.model import Fingerprint
from evocrawl.store.cluster.redis.keys import shard_of

_MARGIN = 0.5
"""Share of a lease after which nothing is sent before it is renewed.

What is under way then has the rest of the lease to come to its end before another worker begins.
"""


def clock_s() -> float:
    """Return seconds that go on while the process, or the machine, sleeps."""
    boottime = getattr(time, "CLOCK_BOOTTIME", time.CLOCK_MONOTONIC)
    return time.clock_gettime(boottime)


@dataclass(slots=True)
class LeaseTable:
    """The hosts that this worker knows.

    `leases` are those of its own hosts, `foreign` the hosts known to be others', `waiting` the
    links shown to the population and not settled, by host, of own hosts and of those that nobody
    has. `lease_s` is for how long a lease lasts.
    """

    lease_s: float
    clock: Callable[[], float] = clock_s
    leases: dict[str, str] = field(default_factory=dict)
    foreign: set[str] = field(default_factory=set)
    waiting: dict[str, set[Fingerprint]] = field(default_factory=dict)
    _good_until: dict[int, float] = field(default_factory=dict)

    def is_ours(self, host: str) -> bool:
        """Return True while the host is ours, and certainly so: its lease has not run out."""
        return host in self.leases and self.clock() < self._good_until.get(shard_of(host), 0.0)

    def renewed(self, shards: Iterable[int], asked_at_s: float) -> None:
        """The leases in `shards` hold from the time at which that was asked for."""
        for shard in shards:
            until = asked_at_s + _MARGIN * self.lease_s
            self._good_until[shard] = max(self._good_until.get(shard, 0.0), until)

    def gain(self, host: str, lease: str) -> None:
        """The host is ours."""
        self.leases[host] = lease
        self.foreign.discard(host)

    def lose(self, host: str) -> set[Fingerprint]:
        """The host is another's, or may be; return the links that waited there."""
        self.leases.pop(host, None)
        self.foreign.add(host)
        return self.waiting.pop(host, set())

    def shards(self) -> list[int]:
        """Return the shards in which we have hosts. O(hosts)."""
        return sorted({shard_of(host) for host in self.leases})

    def in_shards(self, shards: Iterable[int]) -> list[str]:
        """Return our hosts in `shards`. O(hosts)."""
        wanted = set(shards)
        return [host for host in self.leases if shard_of(host) in wanted]

    def wait(self, host: str, target: Fingerprint) -> bool:
        """Note a link that waits; False where it waits already."""
        here = self.waiting.setdefault(host, set())
        is_new = target not in here
        here.add(target)
        return is_new

    def settle(self, host: str, target: Fingerprint) -> None:
        """The link waits no more."""
        here = self.waiting.get(host)
        if here is not None:
            here.discard(target)
            if not here:
                del self.waiting[host]

    def busy_hosts(self) -> list[str]:
        """Return our hosts at which links wait. O(hosts)."""
        return [host for host in self.leases if host in self.waiting]
