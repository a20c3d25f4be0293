"""Holds chosen links that wait for robots.txt or a lease; none of them is a visit yet."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Collection, Iterator

from evocrawl.core.model import Fingerprint, Lead
from evocrawl.politeness.host_slots import HostSlots
from evocrawl.population.individual import Individual

MAX_ORIGINS = 64
"""Greatest number of origins that links wait for at once; 1 if visits go one by one."""

Gate = Callable[[str], str | None]
"""Maps a URL to None if it may be requested now, else to the name of the origin to wait for."""


class AdmissionQueue:
    """Agents with their chosen links, by the origin that each link waits for.

    An origin is closed until its robots.txt is known and, in a shared crawl, its host is leased.
    The hosts of waiting links are closed, so that agents do not choose other links to them.
    Links wait for at most `most` origins at once.
    """

    def __init__(self, hosts: HostSlots, gate: Gate = lambda _: None, most: int = 1) -> None:
        self.gate = gate
        self._hosts = hosts
        self.most = most
        self._waiting: dict[str, list[tuple[Individual, Lead]]] = {}
        self._closed: dict[str, list[str]] = {}
        self._admitted: deque[tuple[Individual, Lead]] = deque()

    def __len__(self) -> int:
        """Return the number of origins that links wait for."""
        return len(self._waiting)

    def __iter__(self) -> Iterator[str]:
        """Iterate over the origins that links wait for."""
        return iter(self._waiting)

    @property
    def is_full(self) -> bool:
        """True if links wait for as many origins as allowed."""
        return len(self._waiting) >= self.most

    @property
    def has_admitted(self) -> bool:
        """True if an admitted link has not been visited yet."""
        return bool(self._admitted)

    def closed(self) -> list[str]:
        """Return every closed origin, with or without waiting links."""
        return [*{**dict.fromkeys(self._waiting), **dict.fromkeys(self._closed)}]

    def origin_of(self, target: Fingerprint) -> str | None:
        """Return the origin that a link waits for, None if it does not wait. O(waiting)."""
        for origin, waiting in self._waiting.items():
            if any(lead.fingerprint == target for _, lead in waiting):
                return origin
        return None

    def admitted_host(self, target: Fingerprint) -> str | None:
        """Return the host of an admitted link, None for any other link. O(admitted)."""
        hosts = (lead.host for _, lead in self._admitted if lead.fingerprint == target)
        return next(hosts, None)

    def chosen(self) -> list[Lead]:
        """Return every waiting or admitted link. O(these links)."""
        waiting = [each for of_origin in self._waiting.values() for each in of_origin]
        return [lead for _, lead in (*waiting, *self._admitted)]

    def passes(self, agent: Individual, lead: Lead) -> bool:
        """Return True if the gate lets the link pass now; otherwise the link waits."""
        origin = self.gate(lead.url)
        if origin is not None:
            self.wait(origin, agent, lead)
        return origin is None

    def wait(self, origin: str, agent: Individual, lead: Lead) -> None:
        """Add a link that waits until the origin opens."""
        self._waiting.setdefault(origin, []).append((agent, lead))
        self._hosts.close(lead.host)

    def open(self, origin: str) -> None:
        """Admit the links that wait for the origin, if any, and reopen its hosts."""
        for host in self._closed.pop(origin, ()):
            self._hosts.reopen(host)
        for agent, lead in self._waiting.pop(origin, ()):
            self._admitted.append((agent, lead))
            self._hosts.reopen(lead.host)

    def close(self, origin: str) -> list[tuple[Individual, Lead]]:
        """Remove and return the links that wait for the origin; their hosts stay closed."""
        waiting = self._waiting.pop(origin, [])
        for _, lead in waiting:
            self._closed.setdefault(origin, []).append(lead.host)
        return waiting

    def forget(self, hosts: Collection[str]) -> None:
        """Reopen those of `hosts` that a closed origin keeps closed for which no link waits.

        The gate is asked again when an agent chooses a link there. O(closed origins).
        """
        for origin, kept in list(self._closed.items()):
            if any(host in hosts for host in kept):
                for host in self._closed.pop(origin):
                    self._hosts.reopen(host)

    def call_back(self, is_gone: Callable[[Lead], bool]) -> list[tuple[Individual, Lead]]:
        """Remove and return the waiting and admitted links that match `is_gone`. O(both)."""
        back = []
        for origin, waiting in list(self._waiting.items()):
            gone = [each for each in waiting if is_gone(each[1])]
            for each in gone:
                waiting.remove(each)
                self._hosts.reopen(each[1].host)
            if not waiting:
                del self._waiting[origin]
            back += gone
        admitted = [each for each in self._admitted if is_gone(each[1])]
        for each in admitted:
            self._admitted.remove(each)
        return back + admitted

    def admit(self, is_free: Callable[[str], bool]) -> tuple[Individual, Lead] | None:
        """Remove and return the first admitted link whose host is free. O(admitted)."""
        for _ in range(len(self._admitted)):
            agent, lead = self._admitted.popleft()
            if is_free(lead.host):
                return agent, lead
            self._admitted.append((agent, lead))
        return None
