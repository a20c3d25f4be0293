"""Links that were found and are not scored yet: each look scores a bounded number of them."""

from __future__ import annotations

from array import array
from collections.abc import Mapping
from heapq import nsmallest

from evocrawl.core.model import Lead
from evocrawl.species.evo.interfaces import LeadsByRow

_AT_ONCE = 1024
"""Most links that were found to score in a look; each takes about 20 µs."""


class FoundLinks:
    """Rows of found links for the looks, which `leads` gets before.

    The next look scores all links that were found since the one before, if they are at most
    `at_once`. Those of further pages wait, a row once, and each look gets some: first those of the
    hosts with the fewest waiting links, so that no other host waits for a trap or an enormous site.
    """

    of_run = ("at_once",)
    """Attributes that are no part of a snapshot."""

    def __init__(self, leads: LeadsByRow) -> None:
        self.at_once = _AT_ONCE
        self._leads = leads
        self._links: dict[int, Lead] = {}
        """Links by row that are not in `leads` yet."""
        self.fresh: list[int] = []
        """Rows for the next look."""
        self.unplaced: list[int] = []
        """Those of them that are not in the queue yet, or with an older score."""
        self._by_host: dict[str, array[int]] = {}
        """Rows that wait."""
        self._waits = bytearray()
        """1 for each row that waits."""

    @property
    def waiting_hosts(self) -> list[str]:
        """The hosts of links that wait for a later look than the next."""
        return [*self._by_host]

    def has_waiting(self, host: str) -> bool:
        """Return whether the host has links that wait for a later look than the next."""
        return host in self._by_host

    def fits(self, links: Mapping[int, Lead]) -> bool:
        """Return whether the next look can score these links, too."""
        return len(self.fresh) + len(links) <= self.at_once

    def add(self, links: Mapping[int, Lead]) -> None:
        """Add links by row that the next look scores. O(links)."""
        self._links.update(links)
        self.fresh.extend(links)
        self.unplaced.extend(links)

    def add_waiting(self, links: Mapping[int, Lead]) -> list[int]:
        """Add links that later looks score, one at least; return rows as `store` does. O(links)."""
        stored = self.store() + self._leads.put(links)
        self._waits.extend(bytes(max(max(links) + 1 - len(self._waits), 0)))
        for row, lead in links.items():
            if not self._waits[row]:
                self._waits[row] = 1
                self._by_host.setdefault(lead.host, array("I")).append(row)
        return stored

    def store(self) -> list[int]:
        """Put links to the others, all in one step; return the rows that had none there."""
        new = self._leads.put(self._links) if self._links else []
        self._links.clear()
        return new

    def draw(self) -> None:
        """Let the next look have waiting links, as many as it can score. O(hosts, links drawn)."""
        room = self.at_once - len(self.fresh)
        if not self._by_host or room <= 0:
            return
        for host, _ in nsmallest(room, self._by_host.items(), key=lambda each: len(each[1])):
            room -= self._draw(host, room)
            if not room:
                break

    def draw_of(self, host: str) -> None:
        """Let the next look have more waiting links, of a host that has some."""
        self._draw(host, self.at_once)

    def clear(self) -> None:
        """Forget the rows for the next look: they were scored, or are not open any more."""
        self.fresh.clear()
        self.unplaced.clear()

    def _draw(self, host: str, most: int) -> int:
        rows = self._by_host[host]
        drawn = rows[:most]
        del rows[:most]
        for row in drawn:
            self._waits[row] = 0
        if not rows:
            del self._by_host[host]
        if not self._by_host:
            self._waits.clear()
        self.fresh.extend(drawn)
        self.unplaced.extend(drawn)
        return len(drawn)
