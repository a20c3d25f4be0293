"""Queues agents that wait for busy hosts."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable

from evocrawl.core.model import AgentId
from evocrawl.population.individual import Individual
from evocrawl.species.base import ANY_HOST


class HostWaitQueue:
    """Agents by the hosts they wait for, first in, first out.

    When a host becomes free, only as many agents are called as it has slots. If all were called,
    each visit to a saturated host would make every agent look at its links again.
    """

    def __init__(self) -> None:
        self._hosts_of: dict[AgentId, tuple[str, ...]] = {}
        self._queues: dict[str, dict[AgentId, Individual]] = {}
        self._freed: dict[str, None] = {}
        self._ready: deque[Individual] = deque()

    def __len__(self) -> int:
        """Return the number of agents that wait, or are called and not removed yet."""
        return len(self._hosts_of) + len(self._ready)

    def enter(self, agent: Individual, hosts: Iterable[str]) -> None:
        """Add an agent that waits until one of `hosts` is free; ANY_HOST: any host. O(hosts)."""
        self._hosts_of[agent.id] = tuple(hosts)
        for host in self._hosts_of[agent.id]:
            self._queues.setdefault(host, {})[agent.id] = agent

    def freed(self, host: str) -> None:
        """Note that a host may be free. O(1), plus O(1) for each agent that waits for any host."""
        for agent in list(self._queues.get(ANY_HOST, {}).values()):
            self._leave(agent)
            self._ready.append(agent)
        if host in self._queues:
            self._freed[host] = None

    def next(self, is_free: Callable[[str], bool]) -> Individual | None:
        """Remove and return an agent one of whose hosts is free; None without one. O(hosts)."""
        if self._ready:
            return self._ready.popleft()
        while self._freed:
            host = next(iter(self._freed))
            queue = self._queues.get(host)
            if queue and is_free(host):
                agent = next(iter(queue.values()))
                self._leave(agent)
                return agent
            del self._freed[host]
        return None

    def leave(self, agent: Individual) -> None:
        """Remove an agent; ignore an agent that does not wait. O(its hosts)."""
        if agent.id in self._hosts_of:
            self._leave(agent)
        elif agent in self._ready:
            self._ready.remove(agent)

    def _leave(self, agent: Individual) -> None:
        for host in self._hosts_of.pop(agent.id):
            queue = self._queues[host]
            del queue[agent.id]
            if not queue:
                del self._queues[host]
