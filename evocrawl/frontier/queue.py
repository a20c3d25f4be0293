"""A best-first queue of links that passes over busy hosts."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType

import numpy as np

from evocrawl.core.containers.spill_file import SpillFile
from evocrawl.core.model import Fingerprint, Lead
from evocrawl.core.numbering import Numbering
from evocrawl.frontier.candidate_file import NOWHERE, LeadFile, NumberedLeads
from evocrawl.frontier.disk_queues import DiskQueues
from evocrawl.frontier.host_order import HostOrder
from evocrawl.frontier.latest_entries import LatestEntries, QueuedLead
from evocrawl.frontier.memory_queues import MemoryQueues
from evocrawl.frontier.priorities import Priorities, RowOf, Rows
from evocrawl.frontier.sorted_runs import Mark

MOST_LINKS = 5_000
"""Default number of links in memory."""
NO_LEADS: Mapping[int, Lead] = MappingProxyType({})
_COMMON = "\n"
"""Name of the disk queue that hosts share; no host name contains a line feed."""
_FEW = 10
"""If more than one entry in `_FEW` is outdated, outdated entries are removed."""
_MANY = 32
"""A host that moves at least so many links to disk at once gets its own queue there."""


class Frontier:
    """Open links by priority; ties go to the link found first.

    Each target has one link, with the best priority at which it was found. A better priority adds
    an entry; the old entry is outdated, and skipped when it comes first. There is one heap for
    each host and one heap of hosts, so that the search for the best link *of a free host* does not
    read the links of busy hosts.

    If there are more than `most` links, the better half stays in memory and the others go to
    `spill`, into sorted queues: one for each host with many links, and one for all other hosts.
    They return to memory when they are the best. `most` does not change the order: an entry comes
    first when it is the best of all hosts that are not parked, in memory or on disk. A link on disk
    takes about 30 bytes of memory, or 13 if `row_of` numbers the targets. A `Numbering`
    names another part that holds the links by row: the queue on disk has the rows alone then.
    """

    of_run = ("_most",)
    """Attributes that are no part of a snapshot."""

    def __init__(
        self,
        is_claimed: Callable[[Fingerprint], bool],
        most: int = MOST_LINKS,
        spill: SpillFile | None = None,
        row_of: RowOf | None = None,
    ) -> None:
        self._is_claimed = is_claimed
        self._most = most
        spill = SpillFile() if spill is None else spill
        file = LeadFile(spill)
        held = NumberedLeads(row_of, file) if isinstance(row_of, Numbering) else file
        self._latest = LatestEntries(most, row_of)
        self._disk = DiskQueues(spill, held, self._latest)
        self._near = MemoryQueues()
        self._hosts = HostOrder()

    def __len__(self) -> int:
        """Return the number of waiting targets, with claimed targets not skipped yet."""
        return len(self._latest)

    @property
    def has_parked(self) -> bool:
        """True if links wait for a host that was busy at its turn."""
        return bool(self._hosts.parked)

    def is_parked(self, host: str) -> bool:
        """Return True if the host was busy at the turn of its best link, and not freed since."""
        return host in self._hosts.parked

    def push(self, lead: Lead, priority: float) -> None:
        """Add a link; of a claimed target nothing waits any more. Runtime complexity: O(log n)."""
        target = lead.fingerprint
        known = self._latest.priority(target)
        if self._is_claimed(target):
            if known is not None:
                self._latest.outdated += 1
                self._latest.discard(target)
        elif known is None or known < priority:
            self._insert(self._latest.make(lead, priority, replaces=known is not None))

    def rerank(self, lead: Lead, priority: float) -> None:
        """Set a better or worse priority of a waiting link; ignore a link that does not wait.

        Runtime complexity: O(log n).
        """
        known = self._latest.priority(lead.fingerprint)
        if known is not None and known != priority:
            self._insert(self._latest.make(lead, priority, replaces=True))

    def place(
        self, rows: Rows, priorities: Priorities, at_hand: Mapping[int, Lead] = NO_LEADS
    ) -> None:
        """Set priorities of different targets that are open, whether they wait or not.

        For a queue with a `Numbering`, which has the links of `rows`. They are not read before they
        come first, except those that the caller has `at_hand`: so do those that will come before
        the links that can be followed, as those of busy hosts. O(log n) a link.
        """
        if not len(rows):
            return
        entries = self._latest.make_each(rows, priorities)
        if at_hand:
            is_at_hand = np.fromiter(map(at_hand.__contains__, rows.tolist()), np.bool_, len(rows))
            self._hold(
                [(rank, number, at_hand[row], NOWHERE)
                 for rank, number, row in entries[is_at_hand].tolist()]
            )  # fmt: skip
            self._make_room()
            entries = entries[~is_at_hand]
        self._disk.add(_COMMON, entries)
        self._list(_COMMON)

    def peek(self, is_free: Callable[[str], bool]) -> Lead | None:
        """Return the best link whose host is free; the link stays until it is claimed.

        Hosts found busy are parked until `free` names them. Runtime complexity: O(log n)
        amortised.
        """
        while (best := self._hosts.first()) is not None:
            rank, number, host = best
            entry = self._near.first(host)
            if entry is None or entry[:2] != (rank, number):
                self._fetch(host)
            elif not self._is_open(entry):
                self._near.drop_first(host, self._latest)
                self._list(host)
            elif is_free(host):
                return entry[2]
            else:
                self._hosts.park_first(host)
        return None

    def free(self, host: str) -> None:
        """Consider the host's links again. Runtime complexity: O(log hosts)."""
        if host in self._hosts.parked:
            del self._hosts.parked[host]
            self._list(host)

    def standing(self, target: Fingerprint) -> tuple[int, int, float] | None:
        """Return rank from 1, number of waiting links, and priority of a link that waits.

        Counts the links in memory alone. None for a link that does not wait there. O(links).
        """
        entries = [each for _, held in self._near.by_host() for each in held if self._waits(each)]
        own = next((each for each in entries if each[2].fingerprint == target), None)
        if own is None:
            return None
        return 1 + sum(each[:2] < own[:2] for each in entries), len(entries), -own[0]

    def _waits(self, entry: QueuedLead) -> bool:
        return self._latest.has(entry) and not self._is_claimed(entry[2].fingerprint)

    def _insert(self, entry: QueuedLead) -> None:
        near = self._near
        if near.put(entry):
            self._list(entry[2].host)
        if near.held > self._most:
            self._make_room()

    def _hold(self, entries: Sequence[QueuedLead]) -> None:
        """Add entries to those in memory."""
        for host in self._near.add(entries):
            self._list(host)

    def _is_open(self, entry: QueuedLead) -> bool:
        """Return False for an entry to skip: it is outdated, or its target is claimed."""
        if not self._latest.has(entry):
            return False
        target = entry[2].fingerprint
        if self._is_claimed(target):
            self._latest.discard(target)
            return False
        return True

    def _list(self, host: str) -> None:
        """Place a host by its best link; this makes its older place outdated."""
        if host not in self._hosts.parked:
            self._hosts.place(host, self._first(host))

    def _first(self, host: str) -> Mark | None:
        """Return the mark of the host's best link in memory or on disk, open or not."""
        entry = self._near.first(host)
        held = entry[:2] if entry is not None else None
        waiting = self._disk.runs.first(host)
        if held is None or waiting is None:
            return held or waiting
        return min(held, waiting)

    def _fetch(self, host: str) -> None:
        """Read the best links of a disk queue into memory."""
        self._hold(self._disk.take(host, self._most // 4 + 1, self._hosts.second()))
        self._list(host)
        self._make_room()

    def _make_room(self) -> None:
        """Move the worse half of the links to disk if there are too many in memory.

        Links of parked hosts move first, so that they do not fill the memory, and to queues of
        their own, so that they do not return while parked. O(log n) a link, amortised over the
        links that get room.
        """
        if self._near.held <= self._most:
            return
        hosts = [host for host, _ in self._near.by_host()]
        entries = self._by_use()
        half = self._most // 2 + 1
        self._near.replace(entries[:half])
        leaving: dict[str, list[QueuedLead]] = {}
        for entry in entries[half:]:
            leaving.setdefault(entry[2].host, []).append(entry)
        common = list[QueuedLead]()
        for host, of_host in leaving.items():
            if len(of_host) >= _MANY or host in self._hosts.parked:
                self._disk.put(host, of_host)
            else:
                common += of_host
        if common:
            self._disk.put(_COMMON, sorted(common))
        for host in (*hosts, _COMMON):
            self._list(host)

    def _by_use(self) -> list[QueuedLead]:
        """Return the entries in memory, best first; those of parked hosts come last."""
        free, parked = list[QueuedLead](), list[QueuedLead]()
        for host, held in self._near.by_host():
            (parked if host in self._hosts.parked else free).extend(held)
        entries = sorted(free) + sorted(parked)
        if self._latest.outdated * _FEW > len(entries):
            self._latest.outdated = 0
            entries = self._latest.filtered(entries)
        return entries
