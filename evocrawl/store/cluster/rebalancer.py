"""Releases hosts of a worker that has more than its share."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from evocrawl.store.cluster.events import WorkerEvents
from evocrawl.store.cluster.host_leases import HostLeases
from evocrawl.store.cluster.population_sync import PopulationSync
from evocrawl.store.cluster.redis.answers import Worker
from evocrawl.store.cluster.redis.connection import Unreachable
from evocrawl.store.cluster.redis.outbox import Outbox
from evocrawl.store.cluster.redis.state import ClusterState
from evocrawl.store.cluster.tasks import Work


class Rebalancer:
    """After each heartbeat, releases hosts if other workers could use them."""

    def __init__(
        self,
        state: ClusterState,
        sync: PopulationSync,
        host_leases: HostLeases,
        outbox: Outbox,
        begin: Callable[[Work], None],
        events: WorkerEvents,
    ) -> None:
        self._state = state
        self._sync = sync
        self._host_leases = host_leases
        self._outbox = outbox
        self._begin = begin
        self._events = events
        self._is_releasing = False
        events.heartbeat_sent.connect(self._on_heartbeat)

    def _on_heartbeat(self, hosts: int, workers: Sequence[Worker]) -> None:
        if not self._is_releasing:
            self._begin(partial(self._release, hosts, workers))

    async def _release(self, hosts: int, workers: Sequence[Worker]) -> None:
        """Release hosts if another worker could do more and has fewer hosts than its share."""
        others = [each for each in workers if each.session != self._state.session]
        fair = (hosts + sum(each.hosts for each in others)) // (len(others) + 1)
        if hosts <= fair + 1 or not any(each.need and each.hosts < fair for each in others):
            return
        asked = self._host_leases.asked
        spare = [each for each in self._sync.spare(hosts - fair) if each not in asked]
        leases = {host: self._sync.lease_table.leases[host] for host in spare}
        self._sync.lost(spare)
        self._is_releasing = True
        # Request none of these hosts now: this worker would get the lease that it releases.
        asked.update(leases)
        try:
            await self._outbox.sent()
            await self._state.release(leases)
        except Unreachable as error:
            self._events.redis_answered.send(error)  # other workers find the hosts by a scan
        finally:
            self._is_releasing = False
            asked.difference_update(leases)
