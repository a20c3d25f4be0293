"""A best-first queue of links that passes over busy hosts."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from heapq import heappop, heappush

from evocrawl.core.containers.keymap import KeyMap
from evocrawl.core.containers.spill_file import SpillFile
from evocrawl.core.model import Fingerprint, Lead
from evocrawl.core.numbering import Numbering
from evocrawl.frontier.candidate_file import NOWHERE, LeadFile, NumberedLeads
from evocrawl.frontier.disk_queues import DiskQueues, QueuedLead
from evocrawl.frontier.host_order import HostOrder
from evocrawl.frontier.priorities import FORM, PrioritiesByRow, RowOf, Rows
from evocrawl.frontier.sorted_runs import Mark

MOST_LINKS = 5_000
"""Default number of links in memory."""
_COMMON = "\n"
"""Name of the disk queue that hosts share; no host name contains a line feed."""
_NUMBERS = (1 << 32) - 1
"""The low bits of an entry's number that are stored with its target. Two entries of one link with
the same low bits would be confused; it takes years to make 2³² entries between them.
"""
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
        self._disk = DiskQueues(spill, held)
        self._best = KeyMap(FORM, most) if row_of is None else PrioritiesByRow(row_of)
        self._queues: dict[str, list[QueuedLead]] = {}
        self._held = 0
        self._hosts = HostOrder()
        self._pushed = 0
        self._outdated = 0

    def __len__(self) -> int:
        """Return the number of waiting targets, with claimed targets not skipped yet."""
        return len(self._best)

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
        known = self._best.get(target)
        if self._is_claimed(target):
            if known is not None:
                self._outdated += 1
                self._best.discard(target)
            return
        if known is not None and known[0] >= priority:
            return
        self._outdated += known is not None
        self._insert(lead, priority)

    def rerank(self, lead: Lead, priority: float) -> None:
        """Set a better or worse priority of a waiting link; ignore a link that does not wait.

        Runtime complexity: O(log n).
        """
        known = self._best.get(lead.fingerprint)
        if known is not None and known[0] != priority:
            self._outdated += 1
            self._insert(lead, priority)

    def place(
        self, leads: Sequence[Lead], priorities: Sequence[float], rows: Rows | None = None
    ) -> None:
        """Set links and priorities of different targets that are open, whether they wait or not.

        `rows` are those of the targets, for a queue with `row_of`. O(log n) a link.
        """
        number = self._pushed
        self._pushed += len(leads)
        self._outdated += self._prefer(leads, priorities, number + 1, rows)
        queues, changed = self._queues, dict[str, None]()
        for lead, priority in zip(leads, priorities, strict=True):
            number += 1
            host = lead.host
            entry = (-priority, number, lead, NOWHERE)
            queue = queues.get(host)
            if queue is None:
                queues[host] = [entry]
                changed[host] = None
                continue
            heappush(queue, entry)
            if queue[0] is entry:
                changed[host] = None
        self._held += len(leads)
        for host in changed:
            self._list(host)
        self._make_room()

    def _prefer(
        self, leads: Sequence[Lead], priorities: Sequence[float], first: int, rows: Rows | None
    ) -> int:
        """Store priorities, and numbers from `first` on; return how many links waited before."""
        numbers = [number & _NUMBERS for number in range(first, first + len(leads))]
        targets = [lead.fingerprint for lead in leads]
        if rows is not None and isinstance(self._best, PrioritiesByRow):
            return self._best.put_each(targets, rows, priorities, numbers)
        waited = 0
        for target, priority, number in zip(targets, priorities, numbers, strict=True):
            waited += self._best.get(target) is not None
            self._best.put(target, priority, number)
        return waited

    def peek(self, is_free: Callable[[str], bool]) -> Lead | None:
        """Return the best link whose host is free; the link stays until it is claimed.

        Hosts found busy are parked until `free` names them. Runtime complexity: O(log n)
        amortised.
        """
        while (best := self._hosts.first()) is not None:
            rank, number, host = best
            queue = self._queues.get(host, [])
            if not queue or queue[0][:2] != (rank, number):
                self._fetch(host)
            elif not self._is_open(queue[0]):
                self._drop_first(queue)
            elif is_free(queue[0][2].host):
                return queue[0][2]
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
        entries = [each for queue in self._queues.values() for each in queue if self._waits(each)]
        own = next((each for each in entries if each[2].fingerprint == target), None)
        if own is None:
            return None
        return 1 + sum(each[:2] < own[:2] for each in entries), len(entries), -own[0]

    def _waits(self, entry: QueuedLead) -> bool:
        return self._is_current(entry) and not self._is_claimed(entry[2].fingerprint)

    def _insert(self, lead: Lead, priority: float) -> None:
        self._pushed += 1
        self._best.put(lead.fingerprint, priority, self._pushed & _NUMBERS)
        self._hold((-priority, self._pushed, lead, NOWHERE))
        self._make_room()

    def _hold(self, entry: QueuedLead) -> None:
        """Add an entry to the heap of its host in memory."""
        host = entry[2].host
        queue = self._queues.setdefault(host, [])
        heappush(queue, entry)
        self._held += 1
        if queue[0] is entry:
            self._list(host)

    def _is_open(self, entry: QueuedLead) -> bool:
        """Return False for an entry to skip: it is outdated, or its target is claimed."""
        if not self._is_current(entry):
            return False
        target = entry[2].fingerprint
        if self._is_claimed(target):
            self._best.discard(target)
            return False
        return True

    def _is_current(self, entry: QueuedLead) -> bool:
        known = self._best.get(entry[2].fingerprint)
        return known is not None and known[1] == entry[1] & _NUMBERS

    def _drop_first(self, queue: list[QueuedLead]) -> None:
        """Remove the first entry, and outdated entries that follow it."""
        host = heappop(queue)[2].host
        self._held -= 1
        while queue and not self._is_current(queue[0]):
            heappop(queue)
            self._held -= 1
        if not queue:
            del self._queues[host]
        self._list(host)

    def _list(self, host: str) -> None:
        """Place a host by its best link; this makes its older place outdated."""
        if host not in self._hosts.parked:
            self._hosts.place(host, self._first(host))

    def _first(self, host: str) -> Mark | None:
        """Return the mark of the host's best link in memory or on disk, open or not."""
        queue = self._queues.get(host)
        runs = self._disk.runs.get(host)
        held = queue[0][:2] if queue else None
        waiting = runs.first if runs is not None else None
        if held is None or waiting is None:
            return held or waiting
        return min(held, waiting)

    def _fetch(self, host: str) -> None:
        """Read the best links of a disk queue into memory."""
        for entry in self._disk.take(host, self._most // 4 + 1, self._hosts.second()):
            self._hold(entry)
        self._list(host)
        self._make_room()

    def _make_room(self) -> None:
        """Move the worse half of the links to disk if there are too many in memory.

        Links of parked hosts move first, so that they do not fill the memory, and to queues of
        their own, so that they do not return while parked. O(log n) a link, amortised over the
        links that get room.
        """
        if self._held <= self._most:
            return
        hosts = [*self._queues]
        entries = self._by_use()
        is_pruned = len(entries) < self._held
        self._queues.clear()
        half = self._most // 2 + 1
        for entry in entries[:half]:
            self._queues.setdefault(entry[2].host, []).append(entry)  # sorted, so it is a heap
        self._held = min(half, len(entries))
        leaving: dict[str, list[QueuedLead]] = {}
        for entry in entries[half:]:
            leaving.setdefault(entry[2].host, []).append(entry)
        common, in_common = list[QueuedLead](), list[str]()
        for host, of_host in leaving.items():
            if len(of_host) >= _MANY or host in self._hosts.parked:
                self._disk.put(host, of_host)
            else:
                common += of_host
                in_common.append(host)
        if common:
            self._disk.put(_COMMON, sorted(common))
        # Other hosts have the same first link as before, in memory or on disk.
        for each in (*(hosts if is_pruned else in_common), _COMMON):
            self._list(each)

    def _by_use(self) -> list[QueuedLead]:
        """Return the entries in memory, best first; those of parked hosts come last."""
        free, parked = list[QueuedLead](), list[QueuedLead]()
        for host, queue in self._queues.items():
            (parked if host in self._hosts.parked else free).extend(queue)
        entries = sorted(free) + sorted(parked)
        if self._outdated * _FEW > len(entries):
            self._outdated = 0
            latest = self._latest([entry[2] for entry in entries])
            entries = [
                entry
                for entry, number in zip(entries, latest, strict=True)
                if number == entry[1] & _NUMBERS
            ]
        return entries

    def _latest(self, leads: Sequence[Lead]) -> list[int]:
        """Return the number of each link's latest entry, −1 for a link that does not wait."""
        if isinstance(self._best, PrioritiesByRow):
            return self._best.latest(leads)
        known = self._best.get_each([lead.fingerprint for lead in leads])
        return [-1 if has is None else has[1] for has in known]
