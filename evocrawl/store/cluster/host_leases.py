"""Acquires, renews and loads the host leases of a worker."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from random import Random

from evocrawl.core.model import Fingerprint, Link
from evocrawl.core.urls.identity import host_of
from evocrawl.population.exchange import PageDigest
from evocrawl.store.cluster.events import WorkerEvents
from evocrawl.store.cluster.population_sync import PopulationSync
from evocrawl.store.cluster.redis.codec import Found, RowCodec, Source, TravellingAgent
from evocrawl.store.cluster.redis.connection import Unreachable
from evocrawl.store.cluster.redis.keys import SHARDS, shard_of
from evocrawl.store.cluster.redis.state import ClusterState
from evocrawl.store.cluster.tasks import Work

logger = logging.getLogger(__name__)

_PAUSE_S = 0.5
_SHARDS_SCANNED, _HOSTS_A_SHARD = 16, 4


class HostLeases:
    """Requests host leases, loads the links of leased hosts, and renews the leases.

    `begin` starts a task. `asked` are the hosts whose lease request Redis has not answered yet,
    `table` is the lease table of the worker. The answer to an offer of links names the owner of
    their host, so a host for which `is_offering` returns True is not requested before this answer.
    """

    def __init__(
        self,
        state: ClusterState,
        rows: RowCodec,
        sync: PopulationSync,
        begin: Callable[[Work], None],
        events: WorkerEvents,
        is_offering: Callable[[str], bool] = lambda _: False,
    ) -> None:
        self.table = sync.lease_table
        self.asked: set[str] = set()
        self.poisoned = self.taken_over = 0
        self.random = Random()
        self._state = state
        self._rows = rows
        self._sync = sync
        self._begin = begin
        self._events = events
        self._is_offering = is_offering
        self._postponed = set[str]()
        """Hosts that were asked for, and whose owner the answer to an offer will name."""
        events.host_wanted.connect(self.ask)
        events.host_offered.connect(self._on_offered)

    def ask(self, host: str) -> None:
        """Request the lease of a host, unless a request is under way."""
        if host not in self.asked:
            self.asked.add(host)
            if self._is_offering(host):
                self._postponed.add(host)
            else:
                self._begin(partial(self._take, host))

    async def renew(self) -> None:
        """Renew the leases that are due; drop the hosts in shards where they have expired."""
        if due := self.table.due():
            await self._renew(due)

    def tend(self, origins: list[str]) -> None:
        """Open or request the host of each origin that agents wait for."""
        for origin in origins:
            host = host_of(f"{origin}/")
            if self.table.is_ours(host):
                self._events.host_gained.send(host)
            else:
                self.ask(host)

    async def scan(self, most: int, *, everywhere: bool) -> bool:
        """Request up to `most` hosts that have open links and no live owner.

        These include hosts that Redis lists under this worker and that its lease table lacks.

        Returns whether any were found in the shards scanned: all shards, or a random sample.
        """
        shards = list(range(SHARDS))
        if not everywhere:
            shards = self.random.sample(shards, _SHARDS_SCANNED)
        hosts = await self._state.vacant(shards, _HOSTS_A_SHARD)
        hosts = [each for each in hosts if each not in self.table.leases]
        self.random.shuffle(hosts)
        for host in hosts[:most]:
            self.ask(host)
        return bool(hosts)

    async def look_again(self) -> None:
        """Show the open links of our hosts to the population again, in case it missed one."""
        for host in list(self.table.leases):
            if await self._state.has_open(host):
                await self._show(host, again=True)
        self._events.work_found.send()

    def leave_out(self) -> None:
        """Settle the open links of our hosts that a user has excluded, in the background."""
        self._begin(self._leave_out)

    async def _leave_out(self) -> None:
        for host in list(self.table.leases):
            while host in self.table.leases:
                try:
                    await self._show(host)
                    break
                except Unreachable as error:
                    self._events.redis_answered.send(error)
                    await asyncio.sleep(_PAUSE_S)
        self._events.work_found.send()

    def note_others(self, hosts: Iterable[str]) -> None:
        """Note hosts that other workers have leased, except those that were asked for.

        The answer will name the owners of these, or this worker.
        """
        self._sync.leased_by_others([each for each in hosts if each not in self.asked])

    async def welcome(self, hosts: Iterable[str], *, are_new: bool = False) -> None:
        """Add the agents that travelled to those of `hosts` that are ours to the population.

        If the leases of the hosts `are_new`, the other workers learn of them.
        """
        guests: list[TravellingAgent] = []
        leases = {each: self.table.leases[each] for each in hosts if each in self.table.leases}
        for host, row in await self._state.welcome(leases, are_new=are_new):
            try:
                guests.append(self._rows.unpack_guest(row))
            except ValueError as error:
                await self.put_aside(host, "guests", b"", row, error)
        self._sync.travel.welcome(guests)

    async def put_aside(
        self, host: str, what: str, key: bytes, row: bytes, error: Exception
    ) -> None:
        """Count an entry that cannot be read, and move it to the quarantine list."""
        self.poisoned += 1
        logger.warning(
            "Redis: moved an unreadable entry of %s to the quarantine: %.200r", what, str(error)
        )
        await self._state.quarantine(host, what, key, row)

    def _on_offered(self, host: str, owner: str) -> None:
        """Request a host without a live owner that was asked for; note any other owner."""
        is_asked, is_foreign = host in self._postponed, owner not in ("", self._state.session)
        self._postponed.discard(host)
        if is_asked and is_foreign and host not in self.table.leases:
            self._sync.denied(host, owner)
            self.asked.discard(host)
            self._events.work_found.send()
        elif is_asked:
            self._begin(partial(self._take, host))
        elif is_foreign:
            self._sync.is_foreign(host)
        self._sync.answered(host)

    async def _take(self, host: str) -> None:
        try:
            while not await self._try_to_take(host):
                await asyncio.sleep(_PAUSE_S)
        finally:
            self.asked.discard(host)
        # Only now: a handler that finds the lease run out meanwhile asks for it again.
        if host in self.table.leases:
            self._events.host_gained.send(host)
        self._events.work_found.send()

    async def _renew(self, shards: Sequence[int]) -> None:
        asked_at_s = self.table.clock()
        kept, lost = await self._state.renew(shards)
        self.table.renewed(kept, asked_at_s)
        hosts = self.table.in_shards(lost) if lost else []
        if hosts:
            logger.warning("host leases: expired; other workers have taken the hosts over")
            self._sync.lost(hosts)
        if unreached := set(shards) - kept - lost:
            raise Unreachable(f"no response for the leases of {len(unreached)} shards")

    async def _try_to_take(self, host: str) -> bool:
        """Lease the host, or note its other owner; return False if Redis did not respond."""
        shard = shard_of(host)
        try:
            if self.table.has_expired(shard):
                # To lease one host extends the leases of all others in the shard: they would
                # count as this worker's although others have taken them over.
                await self._renew([shard])
            asked_at_s = self.table.clock()
            is_ours, lease, was_anothers = await self._state.take(host)
            if not is_ours:
                self._sync.denied(host, lease.partition(".")[0])
                return True
            self.table.renewed([shard], asked_at_s)
            done = set[Fingerprint]()
            async for targets in self._state.done(host):
                done.update(filter(None, map(target_of, targets)))
            self.taken_over += was_anothers
            self._sync.gained(host, lease, done, was_anothers=was_anothers)
            await self._show(host)
            await self.welcome([host], are_new=True)
        except Unreachable as error:
            self._events.redis_answered.send(error)
            return False
        return True

    async def show_found(self, packed: Sequence[bytes]) -> None:
        """Show the links to our hosts that other workers have found, all in one step."""
        found, unreadable = list[tuple[PageDigest, Found]](), list[tuple[bytes, Exception]]()
        for row in packed:
            try:
                digest, links = self._rows.unpack_found(row, self.table.leases)
                found.append((self._sync.links.read_digest(digest), links))
            except (ValueError, KeyError, TypeError) as error:
                unreadable.append((row, error))
        self._sync.links.of_others(found)
        for row, why in unreadable:
            await self.put_aside("", "inbox", b"", row, why)

    async def _show(self, host: str, *, again: bool = False) -> None:
        async for batch in self._state.open_links(host):
            await self._show_batch(host, batch, again=again)

    async def _show_batch(
        self, host: str, batch: Iterable[tuple[bytes, bytes]], *, again: bool = False
    ) -> None:
        links: list[tuple[Link, Source | None]] = []
        for key, row in batch:
            try:
                links.append(self._rows.unpack_link(host, key, row))
            except (ValueError, KeyError, TypeError) as error:
                await self.put_aside(host, "open", key, row, error)
        if host in self.table.leases:
            self._sync.links.of_host(host, links, again=again)


def target_of(key: bytes) -> Fingerprint | None:
    """Return the target that the key of a hash encodes; None if the key is invalid."""
    try:
        return bytes.fromhex(key.decode("ascii"))
    except ValueError:
        return None
