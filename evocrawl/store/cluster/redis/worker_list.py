"""Lists the workers of a crawl from outside, and lets one of them leave."""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import dataclass
from typing import Any

from evocrawl.core.errors import StateError
from evocrawl.store.cluster.redis.archive import SharedArchive
from evocrawl.store.cluster.redis.changes import WorkerDrained
from evocrawl.store.cluster.redis.keys import SHARDS, KeyNames
from evocrawl.store.cluster.redis.remote_steering import RemoteSteering
from evocrawl.store.cluster.redis.reports import WorkerReport, unpack_report

_ENTRY = re.compile(r"[0-9]{1,15}-[0-9]{1,15}")
_NEEDS = {b"0": "busy", b"1": "hungry", b"2": "idle"}


@dataclass(frozen=True, slots=True)
class LiveWorker:
    """A worker that is alive.

    `name` is its number in the crawl, `process` its machine and process number. `state` is "busy",
    "hungry" (it could fetch from more hosts), "idle" (it has nothing to do) or "draining". `hosts`
    are those that it leases, `open_hosts` is the number of them with open links. `lag_s` is for how
    long an event in its inbox has been unread, `heartbeat_s` how long ago its last heartbeat was.
    """

    name: str
    process: str
    state: str
    pages: int
    under_way: int
    unsent: int
    hosts: tuple[str, ...]
    open_hosts: int
    lag_s: float
    heartbeat_s: float


class WorkerList:
    """The workers of the crawl in `archive`. Every method raises StateError."""

    def __init__(self, archive: SharedArchive) -> None:
        self._archive = archive
        self._layout = KeyNames(archive.path.name)

    def workers(self) -> list[LiveWorker]:
        """Return the workers that are alive, by number. O(hosts leased)."""
        self._archive.about()
        now_ms = self._archive.now_ms()
        rows = self._ask("hgetall", self._layout.whole("workers"))
        reports = self._ask("hgetall", self._layout.whole("status"))
        hosts = self._hosts()
        found = []
        for session, row in rows.items():
            parts = row.split()
            if len(parts) != 5 or not all(map(bytes.isdigit, (session, *parts))):
                continue
            deadline_ms, open_hosts, need, _, beat_ms = parts
            if int(deadline_ms) > now_ms:
                report = _report(reports.get(session))
                need = _NEEDS.get(need, "busy")
                found.append(
                    LiveWorker(
                        session.decode(), report.process,
                        need if report.state == "running" else report.state,
                        report.pages, report.under_way, report.unsent,
                        tuple(sorted(hosts[session.decode()])), int(open_hosts),
                        self._lag_ms(session.decode(), report.read_to, now_ms) / 1000,
                        max(now_ms - int(beat_ms), 0) / 1000,
                    )
                )  # fmt: skip
        return sorted(found, key=lambda each: int(each.name))

    def drain(self, name: str) -> LiveWorker:
        """Let a worker finish what is under way, give back its hosts and leave; return it.

        `name` is the worker's number, or its machine and process number.
        """
        living = self.workers()
        for each in living:
            if name in (each.name, each.process):
                RemoteSteering(self._archive).send(WorkerDrained(each.name))
                return each
        names = ", ".join(each.name for each in living) or "no worker is alive"
        raise StateError(f"{self._archive.path}: no worker {name!r} is alive; allowed: {names}")

    def _hosts(self) -> defaultdict[str, list[str]]:
        """Return the leased hosts by the session of their worker, alive or not."""
        found = defaultdict[str, list[str]](list)
        for shard in range(SHARDS):
            for host, lease in self._ask("hgetall", self._layout.shard(shard, "owner")).items():
                session = lease.decode(errors="replace").partition(".")[0]
                found[session].append(host.decode(errors="replace"))
        return found

    def _lag_ms(self, session: str, read_to: str, now_ms: int) -> int:
        """Return for how long the oldest event that a worker has not read has been waiting."""
        inbox = self._layout.whole(f"inbox:{session}")
        begin = f"({read_to}" if _ENTRY.fullmatch(read_to) else "-"
        entries = self._ask("xrange", inbox, begin, "+", 1)
        return max(now_ms - _ms_of(entries[0][0].decode()), 0) if entries else 0

    def _ask(self, command: str, *arguments: Any) -> Any:
        return self._archive.ask(command, *arguments)


def _report(packed: bytes | None) -> WorkerReport:
    """Return the report of a row, an empty one if the row cannot be read."""
    try:
        return unpack_report(packed)
    except ValueError:
        return WorkerReport()


def _ms_of(entry: str) -> int:
    """Return the time of a stream's entry, 0 if it has none."""
    begin = entry.partition("-")[0]
    return int(begin) if begin.isdecimal() and len(begin) < 16 else 0
