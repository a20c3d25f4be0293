"""Queues of held-back links, one for each group; the most promising link comes out first."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from heapq import heapify, heappop, heappush
from itertools import count
from math import inf
from typing import TypeAlias

from evocrawl.core.containers.spill_file import SpillFile
from evocrawl.core.model import Lead
from evocrawl.frontier.candidate_file import pack, unpack
from evocrawl.frontier.sorted_runs import Runs
from evocrawl.species.base import Species

MOST_LEADS = 1_000
"""Default number of links in memory."""

MOST_ENTRIES = 4_096
"""Default number of entries of one queue in memory; if there are more, half go to disk."""

_BACK = 64


@dataclass(frozen=True, slots=True)
class HeldLink:
    """A held-back link, and the species that found it."""

    lead: Lead
    species: Species


_Entry: TypeAlias = tuple[float, int, "HeldLink | int"]


class _Queue:
    """Entries of one queue in ascending order of rank, then in order of arrival."""

    __slots__ = ("_heap", "_longest", "_runs", "_spill")

    def __init__(self, spill: SpillFile, longest: int) -> None:
        self._longest = longest
        self._heap: list[_Entry] = []
        self._runs: Runs | None = None
        self._spill = spill

    def __bool__(self) -> bool:
        return bool(self._heap) or self._runs is not None

    def put(self, entry: _Entry) -> None:
        """Add an entry. O(log n) amortised."""
        heappush(self._heap, entry)
        if len(self._heap) > self._longest:
            self._make_room()

    def take(self) -> HeldLink | int:
        """Remove and return the first entry. O(log n) amortised."""
        runs = self._runs
        if runs is not None and (not self._heap or runs.first < self._heap[0][:2]):  # type: ignore[operator]
            for entry in runs.take(_BACK):
                heappush(self._heap, entry)
            if runs.first is None:
                self._runs = None
        return heappop(self._heap)[2]

    def _make_room(self) -> None:
        self._heap.sort(key=_mark)
        half = len(self._heap) // 2
        worse = self._heap[half:]
        leaving = [(*_mark(each), each[2]) for each in worse if isinstance(each[2], int)]
        self._heap[half:] = [each for each in worse if not isinstance(each[2], int)]
        heapify(self._heap)
        if leaving:
            self._runs = self._runs or Runs(self._spill)
            self._runs.put(leaving)


class HeldLinks:
    """Queues of links by name.

    A queue returns its best link first; of links with equal ranks, the one that came first. At
    most `most` links are in memory; further links go to `spill`, except links that cannot be
    packed. A long queue takes some 20 bytes of memory for most of its links.
    """

    of_run = ("_most",)
    """Attributes that are no part of a snapshot."""

    def __init__(
        self, most: int = MOST_LEADS, spill: SpillFile | None = None, *, longest: int = MOST_ENTRIES
    ) -> None:
        self._most = most
        self._longest = longest
        self._spill = SpillFile() if spill is None else spill
        self._queues: dict[str, _Queue] = {}
        self._next: list[tuple[float, int, str]] = []
        self._shut: list[tuple[int, str]] = []
        self._opens: dict[str, int] = {}
        self._listed: set[str] = set()
        self._species: list[Species] = []
        self._numbers = count()
        self._near = 0
        self._count = 0

    def __len__(self) -> int:
        """Return the number of held-back links."""
        return self._count

    def __contains__(self, name: str) -> bool:
        return name in self._queues

    def put(self, name: str, held: HeldLink, rank: float | None = None) -> None:
        """Add a link to the queue of that name. O(log n).

        The greatest `rank` comes out first; by default it is the score of the link.
        """
        queue = self._queues.get(name)
        if queue is None:
            queue = self._queues[name] = _Queue(self._spill, self._longest)
            self.reopen(name)
            if name not in self._listed:
                self._listed.add(name)
                heappush(self._next, (-inf, next(self._numbers), name))
        rank = held.lead.score if rank is None else rank
        queue.put((-rank, next(self._numbers), self._stored(held)))
        self._count += 1

    def take(self, name: str, most: int) -> list[HeldLink]:
        """Remove and return the best links, at most `most`, of a queue. O(most · log n)."""
        queue = self._queues[name]
        taken = list[HeldLink]()
        while queue and len(taken) < most:
            taken.append(self._restored(queue.take()))
        if not queue:
            del self._queues[name]
        self._count -= len(taken)
        return taken

    def best(
        self, promise: Callable[[str], float], opens_at: Callable[[str], int], now: int
    ) -> str | None:
        """Return the name of the most promising queue that may be opened, None without one.

        A queue may be opened when the count `now` has reached its `opens_at`. Queues with equal
        promise take turns. O(log n) amortised over the queues.
        """
        while self._shut and self._shut[0][0] <= now:
            opens, name = heappop(self._shut)
            if self._opens.get(name) == opens:
                self.reopen(name)
        while self._next:
            rank, number, name = heappop(self._next)
            if name not in self._queues:
                self._listed.discard(name)
                continue
            opens = opens_at(name)
            if opens > now:
                self._close(name, opens)
                continue
            actual = -promise(name)
            if actual <= rank or not self._next or (actual, number) <= self._next[0][:2]:
                heappush(self._next, (actual, next(self._numbers), name))
                return name
            heappush(self._next, (actual, number, name))
        return None

    def _close(self, name: str, opens: int) -> None:
        self._opens[name] = opens
        heappush(self._shut, (opens, name))
        if len(self._shut) > 2 * len(self._opens) + _BACK:
            self._shut = [(at, each) for each, at in self._opens.items()]
            heapify(self._shut)

    def reopen(self, name: str) -> None:
        """Let `best` compute again when a queue opens. O(log n)."""
        if self._opens.pop(name, None) is not None:
            heappush(self._next, (-inf, next(self._numbers), name))

    def reopen_all(self) -> None:
        """Let `best` compute again when each queue opens. O(closed queues)."""
        for name in [*self._opens]:
            self.reopen(name)

    def _stored(self, held: HeldLink) -> HeldLink | int:
        packed = pack(held.lead) if self._near >= self._most else None
        if packed is None:
            self._near += 1
            return held
        return self._spill.put(bytes([self._number(held.species)]) + packed)

    def _restored(self, stored: HeldLink | int) -> HeldLink:
        if isinstance(stored, HeldLink):
            self._near -= 1
            return stored
        record = self._spill.get(stored)
        return HeldLink(unpack(record[1:]), self._species[record[0]])

    def _number(self, species: Species) -> int:
        """Return the number of a species in this file; a population has few species."""
        for number, known in enumerate(self._species):
            if known is species:
                return number
        self._species.append(species)
        return len(self._species) - 1


def _mark(entry: _Entry) -> tuple[float, int]:
    return entry[:2]
