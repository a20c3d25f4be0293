"""The state of a crawl in Redis: workers, leases, news, rules and budget."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Iterable, Mapping, Sequence
from typing import Any

from evocrawl.store.cluster.redis.answers import News, Worker
from evocrawl.store.cluster.redis.changes import RunBegan, pack_change
from evocrawl.store.cluster.redis.cluster_event import events_of
from evocrawl.store.cluster.redis.commands import events_for
from evocrawl.store.cluster.redis.connection import Connection, Unreachable
from evocrawl.store.cluster.redis.introduction import introduce
from evocrawl.store.cluster.redis.keys import SHARDS, KeyNames
from evocrawl.store.cluster.redis.parts import SharedParts

_BATCH = 500
_PAUSE_S = 0.2
_QUARANTINED = 1000
_SHOWN_BYTES = 2000
FRESH_MS = 3000
"""Age at which the chance of another worker's best link does not count any more."""
_PARTS = 1_000_000
"""Redis keeps a chance as a whole number of so many parts."""


class ClusterState:
    """The crawl in Redis as one worker sees it. Every method raises what `Connection` does.

    `parts` is what the workers have learnt.

    Other workers may take over the hosts of this worker when it has not renewed its leases for
    `lease_ms`.
    """

    def __init__(self, connection: Connection, lease_ms: int) -> None:
        self.layout = KeyNames(connection.place.name)
        self.session = ""
        self.lease_ms = lease_ms
        self.parts = SharedParts(connection, self.layout)
        self._connection = connection
        self._calls = 0

    async def join(self, about: Mapping[str, Any], limit: int | None = None) -> None:
        """Become a worker of the crawl that `about` describes.

        Raises StateError, naming each difference, if another crawl has that name.
        """
        await introduce(self._connection, self.layout, about)
        await self.check()
        keys = [self.layout.whole("workers"), self.layout.whole("changes")]
        self.session = str(
            await self._run("join", keys, [self.lease_ms, pack_change(RunBegan(limit or 0))])
        )

    async def check(self) -> None:
        """Raise StateError if Redis has lost the crawl or a part of it."""
        await self._tally()

    async def beat(
        self, hosts: int, need: int, report: str = "{}", chance: float = 0.0
    ) -> list[Worker]:
        """Send a heartbeat; return all workers with a recent heartbeat, this one included.

        `report` is the row of a `WorkerReport`, `chance` in [0, 1] that of the best link.
        """
        keys = [self.layout.whole(each) for each in ("workers", "status")]
        own = [hosts, need, report, round(_PARTS * chance), FRESH_MS]
        flat = await self._run("beat", keys, [self.session, self.lease_ms, *own])
        rows = zip(flat[::4], flat[1::4], flat[2::4], flat[3::4], strict=True)
        return [
            Worker(_text(session), int(hosts), int(need), min(int(chance), _PARTS) / _PARTS)
            for session, hosts, need, chance in rows
        ]

    async def leave(self) -> None:
        """Remove this worker from the list of workers."""
        keys = [self.layout.whole(each) for each in ("workers", "status")]
        await self._connection.ask_all([("hdel", key, self.session) for key in keys])

    async def take(self, host: str) -> tuple[bool, str, bool]:
        """Request the lease of a host.

        Returns whether this worker has it now, the lease of the present owner, and whether another
        worker leased the host before.
        """
        keys = self.layout.of(host, "alive", "owner", "version")
        is_ours, lease, *was = await self._run("take", keys, [self.session, self.lease_ms, host])
        return bool(is_ours), _text(lease), any(was)

    async def renew(self, shards: Sequence[int]) -> tuple[set[int], set[int]]:
        """Renew the leases in these shards.

        Returns the shards in which they are renewed, and those in which they had expired. Those
        whose node does not respond now are in neither.
        """
        answers = await self._connection.run_each(
            [
                ("renew", [self.layout.shard(shard, "alive")], [self.session, self.lease_ms])
                for shard in shards
            ]
        )
        by_answer: dict[bool, set[int]] = {True: set(), False: set()}
        for shard, answer in zip(shards, answers, strict=True):
            if not isinstance(answer, Unreachable):
                by_answer[bool(answer)].add(shard)
        return by_answer[True], by_answer[False]

    async def release(self, leases: Mapping[str, str]) -> None:
        """Release hosts by their leases."""
        await self._connection.run_all(
            [
                ("release", self.layout.of(host, "owner"), [host, lease])
                for host, lease in leases.items()
            ]
        )

    async def vacant(self, shards: Iterable[int], most: int) -> list[str]:
        """Return some hosts of these shards that have open links and no other live owner."""
        keys = [
            [self.layout.shard(shard, each) for each in ("todo", "owner", "alive")]
            for shard in shards
        ]
        calls = [("vacant", each, [most, self.session]) for each in keys]
        found = await self._connection.run_all(calls)
        return [_text(host) for hosts in found for host in hosts]

    def open_links(self, host: str) -> AsyncIterator[list[tuple[bytes, bytes]]]:
        """Read the open links of a host in batches, as (target, row)."""
        return self._connection.scan_hash(self.layout.of(host, "open:")[0], _BATCH)

    async def done(self, host: str) -> AsyncIterator[list[bytes]]:
        """Read the settled targets of a host in batches."""
        async for batch in self._connection.scan_hash(self.layout.of(host, "done:")[0], _BATCH):
            yield [target for target, _ in batch]

    async def has_open(self, host: str) -> bool:
        """Return whether a host has open links."""
        return bool(await self._run("has_open", self.layout.of(host, "open:", "todo"), [host]))

    async def welcome(
        self, leases: Mapping[str, str], *, are_new: bool = False
    ) -> list[tuple[str, bytes]]:
        """Remove and return the agents that travelled to hosts of ours, each with its host.

        If the leases `are_new`, all workers learn of them.
        """
        calls = [
            ("welcome", self.layout.of(host, "owner", "guests:"), [host, lease])
            for host, lease in leases.items()
        ]
        log = self.layout.whole("leases")
        news = [events_for([log], self.session, "lease", host) for host in leases if are_new]
        found = await self._connection.run_all(calls + news)
        return [(host, row) for host, rows in zip(leases, found, strict=False) for row in rows]

    async def look(self, after: str, most: int, applied: int = 0, leases_after: str = "") -> News:
        """Return up to `most` events for this worker since `after`.

        Also whether there are more than the `applied` changes of users, and up to ten times `most`
        leases of others since the position `leases_after` ("": from now on).
        """
        keys = [self.layout.whole(each) for each in (f"inbox:{self.session}", "changes", "leases")]
        arguments = [after, most, applied, leases_after]
        entries, changes, taken, since = await self._run("look", keys, arguments)
        others = [each.host for each in events_of(taken) if each.session != self.session]
        return News(
            events_of(entries), _end_of(entries, after), bool(changes),
            others, _end_of(taken, _text(since)),
        )  # fmt: skip

    async def page(self, host: str, key: bytes) -> tuple[bytes | None, bytes | None]:
        """Return record and content of a page; None for missing ones."""
        keys = self.layout.of(host, "pages:", "contents:")
        record, content = await self._connection.ask_all([("hget", each, key) for each in keys])
        return record, content

    async def exchange_rules(
        self, species: str, rules: Mapping[str, float], most: int
    ) -> list[tuple[bytes, float]]:
        """Send the strengths of rules; return the `most` strongest rules of all workers.

        The strongest comes first. The latest strength of a rule replaces earlier ones.
        """
        key = self.layout.whole(f"rules:{species}")
        steps: list[tuple[Any, ...]] = [("zadd", key, dict(rules))] if rules else []
        # The two flags: in descending order, and with scores.
        steps += [("zremrangebyrank", key, 0, -most - 1), ("zrange", key, 0, -1, True, True)]
        found = (await self._connection.ask_all(steps))[-1]
        return [(rule, float(strength)) for rule, strength in found]

    async def discard_rule(self, species: str, row: bytes) -> None:
        """Delete a rule that cannot be read."""
        await self._connection.ask("zrem", self.layout.whole(f"rules:{species}"), row)

    async def steer(self, row: str) -> None:
        """Append a change of a user."""
        await self._run("steer", [self.layout.whole("changes")], [row])

    async def changes(self, after: int, most: int) -> list[bytes]:
        """Return up to `most` changes after the first `after`."""
        key = self.layout.whole("changes")
        return list(await self._connection.ask("lrange", key, after, after + most - 1))

    async def note_applied(self, changes: int) -> None:
        """Note that this worker has applied so many changes."""
        await self._connection.ask("hset", self.layout.whole("heard"), self.session, changes)

    async def applied_by_all(self, sessions: Sequence[str]) -> int:
        """Return how many changes each of these workers has applied at least."""
        found = await self._connection.ask("hmget", self.layout.whole("heard"), list(sessions))
        return min((int(each or 0) for each in found), default=0)

    async def budget(self, wanted: int, limit: int, workers: int) -> tuple[int, int]:
        """Take up to `wanted` requests of `limit`, or give some back if `wanted` < 0.

        Returns how many were granted and how many are left for all workers.
        """
        self._calls += 1
        keys = [self.layout.whole("budget")]
        arguments = [self.session, self._calls, wanted, limit, max(workers, 1)]
        given, left = await self._persist(keys, arguments)
        return int(given), int(left)

    async def is_exhausted(self) -> bool:
        """Return whether at some instant no host had an open link.

        Each shard is read twice. If all were empty both times and none changed in between, all
        were empty at the end of the first reading (a double collect, Afek et al. 1993).
        """
        first = await self._tally()
        return not any(hosts for hosts, _ in first) and await self._tally() == first

    async def ended(self) -> dict[str, Any] | None:
        """Return the recorded end of the crawl with its reason; None while it continues."""
        packed = await self._connection.ask("get", self.layout.whole("ended"))
        try:
            end = json.loads(packed) if packed else None
        except ValueError:
            return None
        return end if isinstance(end, dict) and isinstance(end.get("reason"), str) else None

    async def end(self, reason: str | None) -> None:
        """Record why the crawl has ended, or (None) that it continues."""
        key = self.layout.whole("ended")
        if reason is None:
            await self._connection.ask("delete", key)
        else:
            await self._connection.ask("set", key, json.dumps({"reason": reason}))

    async def quarantine(self, host: str, what: str, key: bytes, value: bytes) -> None:
        """Move an unreadable entry to the quarantine list."""
        if what == "open":
            keys = self.layout.of(host, "open:", "todo", "version")
            await self._run("discard", keys, [host, key])
        shown = [what, host, repr(key[:200]), repr(value[:_SHOWN_BYTES])]
        aside = self.layout.whole("quarantine")
        await self._connection.ask_all(
            [("lpush", aside, json.dumps(shown)), ("ltrim", aside, 0, _QUARANTINED - 1)]
        )

    async def _persist(self, keys: Sequence[str], arguments: Sequence[Any]) -> tuple[int, int]:
        """Call until Redis responds: a repeated call returns the same requests."""
        while True:
            try:
                given, left = await self._run("budget", keys, arguments)
            except Unreachable:
                await asyncio.sleep(_PAUSE_S)
            else:
                return given, left

    async def _tally(self) -> list[tuple[int, int]]:
        calls = [
            ("tally", [self.layout.shard(shard, each) for each in ("todo", "version")], ())
            for shard in range(SHARDS)
        ]
        tallies = await self._connection.run_all(calls)
        return [(int(hosts), int(version)) for hosts, version in tallies]

    async def _run(self, name: str, keys: Sequence[str], arguments: Sequence[Any]) -> Any:
        return await self._connection.run(name, keys, arguments)


def _end_of(entries: Sequence[tuple[bytes, Any]], after: str) -> str:
    """Return the position after the entries of a stream that were read from `after` on."""
    return _text(entries[-1][0]) if entries else after


def _text(value: bytes) -> str:
    return value.decode(errors="replace")
