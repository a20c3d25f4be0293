"""A queue that draws waiting links of free hosts at random, each with the same probability."""

from __future__ import annotations

from collections.abc import Callable

from numpy.random import Generator

from evocrawl.core.model import Fingerprint, Lead


class RandomQueue:
    """Waiting links by host. The weight of a host is its number of links, or 0 if it is busy.

    Each target has one link; claimed links are removed when they are drawn. The weights are in a
    binary indexed tree (Fenwick 1994), so that a draw costs O(log hosts), not O(links).
    """

    def __init__(self, is_claimed: Callable[[Fingerprint], bool]) -> None:
        self._is_claimed = is_claimed
        self._known: dict[Fingerprint, str] = {}
        self._queues: list[list[Lead]] = []
        self._places: dict[str, int] = {}
        self._tree = [0]
        self._parked: set[str] = set()
        self._total = 0

    @property
    def has_parked(self) -> bool:
        """True if links wait for a host that was busy when one of them was drawn."""
        return bool(self._parked)

    def push(self, lead: Lead) -> None:
        """Add a link. Runtime complexity: O(log hosts).

        A claimed link that leads to another host now is removed. O(links of the host before)
        """
        target = lead.fingerprint
        before = self._known.get(target)
        if self._is_claimed(target):
            if before is not None and before != lead.host:
                self._remove(target, before)
            return
        if before is not None:
            return
        self._known[target] = lead.host
        place = self._places.get(lead.host)
        if place is None:
            place = self._places[lead.host] = self._grow()
        self._queues[place].append(lead)
        if lead.host not in self._parked:
            self._add(place, 1)

    def draw(self, rng: Generator, is_free: Callable[[str], bool]) -> Lead | None:
        """Return a random open link of a free host; it stays until it is claimed.

        Hosts found busy are parked until `free` names them. O(log hosts) amortised.
        """
        while self._total:
            place, at = self._find(int(rng.integers(self._total)))
            queue = self._queues[place]
            lead = queue[at]
            if self._is_claimed(lead.fingerprint):
                self._take(place, at)
                self._add(place, -1)
            elif is_free(lead.host):
                return lead
            else:
                self._parked.add(lead.host)
                self._add(place, -len(queue))
        return None

    def free(self, host: str) -> None:
        """Count the host's links again. Runtime complexity: O(log hosts)."""
        if host in self._parked:
            self._parked.remove(host)
            place = self._places[host]
            self._add(place, len(self._queues[place]))

    def _take(self, place: int, at: int) -> None:
        """Remove a link; the last one of its host takes its place."""
        queue = self._queues[place]
        del self._known[queue[at].fingerprint]
        queue[at] = queue[-1]
        queue.pop()

    def _remove(self, target: Fingerprint, host: str) -> None:
        place = self._places[host]
        self._take(place, [lead.fingerprint for lead in self._queues[place]].index(target))
        if host not in self._parked:
            self._add(place, -1)

    def _grow(self) -> int:
        """Add a host without links; return its place, from 0."""
        self._queues.append([])
        node = len(self._tree)
        weight = 0
        child = node - 1
        while child > node - (node & -node):
            weight += self._tree[child]
            child -= child & -child
        self._tree.append(weight)
        return node - 1

    def _add(self, place: int, weight: int) -> None:
        self._total += weight
        node = place + 1
        while node < len(self._tree):
            self._tree[node] += weight
            node += node & -node

    def _find(self, mark: int) -> tuple[int, int]:
        """Return the host that the link number `mark` belongs to, and its number there."""
        node = 0
        step = 1 << (len(self._tree) - 1).bit_length()
        while step:
            if node + step < len(self._tree) and self._tree[node + step] <= mark:
                node += step
                mark -= self._tree[node]
            step >>= 1
        return node, mark
