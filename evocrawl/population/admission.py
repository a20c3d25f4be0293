"""Links that wait for their host's robots.txt: none of them is a visit yet."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator

from evocrawl.core.model import Lead
from evocrawl.politeness.host_slots import HostSlots
from evocrawl.species.base import Agent


class AdmissionQueue:
    """Agents with the link they chose, by the door they wait at.

    The host of a door is closed, so that its other links are passed over meanwhile.
    """

    def __init__(self, hosts: HostSlots) -> None:
        self._hosts = hosts
        self._waiting: dict[str, list[tuple[Agent, Lead]]] = {}
        self._shut: dict[str, list[str]] = {}
        self._admitted: deque[tuple[Agent, Lead]] = deque()

    def __len__(self) -> int:
        """Return at how many doors somebody waits."""
        return len(self._waiting)

    def __iter__(self) -> Iterator[str]:
        """Iterate over the doors at which somebody waits."""
        return iter(self._waiting)

    def shut(self) -> list[str]:
        """Return every door that is shut, whether somebody waits at it or was turned away."""
        return [*{**dict.fromkeys(self._waiting), **dict.fromkeys(self._shut)}]

    def chosen(self) -> list[Lead]:
        """Return every link that waits at a door or was let in. O(them)."""
        waiting = [each for at_door in self._waiting.values() for each in at_door]
        return [lead for _, lead in (*waiting, *self._admitted)]

    @property
    def has_admitted(self) -> bool:
        """True while somebody was let in and has not gone yet."""
        return bool(self._admitted)

    def wait(self, door: str, agent: Agent, lead: Lead) -> None:
        """Wait until the door opens."""
        self._waiting.setdefault(door, []).append((agent, lead))
        self._hosts.close(lead.host)

    def open(self, door: str) -> None:
        """Let in who waits at the door; a door nobody waits at is ignored."""
        for host in self._shut.pop(door, ()):
            self._hosts.reopen(host)
        for agent, lead in self._waiting.pop(door, ()):
            self._admitted.append((agent, lead))
            self._hosts.reopen(lead.host)

    def turn_away(self, door: str) -> list[tuple[Agent, Lead]]:
        """Return who waited at the door, which stays shut; its host is closed until `open`."""
        waiting = self._waiting.pop(door, [])
        for _, lead in waiting:
            self._shut.setdefault(door, []).append(lead.host)
        return waiting

    def call_back(self, is_gone: Callable[[Lead], bool]) -> list[tuple[Agent, Lead]]:
        """Take out who waits at a door, or was let in, for a link that `is_gone`. O(them)."""
        back = []
        for door, waiting in list(self._waiting.items()):
            gone = [each for each in waiting if is_gone(each[1])]
            for each in gone:
                waiting.remove(each)
                self._hosts.reopen(each[1].host)
            if not waiting:
                del self._waiting[door]
            back += gone
        let_in = [each for each in self._admitted if is_gone(each[1])]
        for each in let_in:
            self._admitted.remove(each)
        return back + let_in

    def admit(self, is_free: Callable[[str], bool]) -> tuple[Agent, Lead] | None:
        """Take out the first who was let in and whose host is free. O(let in)."""
        for _ in range(len(self._admitted)):
            agent, lead = self._admitted.popleft()
            if is_free(lead.host):
                return agent, lead
            self._admitted.append((agent, lead))
        return None
