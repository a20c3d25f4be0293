"""Decides which agent is asked next for a link."""

from __future__ import annotations

from collections import deque
from collections.abc import Collection, Iterable, Iterator, Sequence

from evocrawl.core.model import AgentId
from evocrawl.population.individual import Individual


class TurnQueue:
    """Asks agents one after the other; if `slice_s` > 0, one agent works at a time.

    Each agent is in one of three queues: in turn; *stuck* (it has nothing to do until links or
    agents change); or *resting* until a time slice begins.
    """

    def __init__(self, slice_s: float) -> None:
        self._queue: deque[Individual] = deque()
        self._stuck: list[Individual] = []
        self._resting: list[Individual] = []
        self._slices = TimeSlices(slice_s)

    def __bool__(self) -> bool:
        """Return True if an agent is in turn."""
        return bool(self._queue)

    def __iter__(self) -> Iterator[Individual]:
        """Iterate over the agents of all three queues."""
        return iter([*self._queue, *self._stuck, *self._resting])

    def join(self, agents: Iterable[Individual]) -> None:
        """Add agents at the end of the queue. O(agents)."""
        self._queue.extend(agents)

    def go_on(self, agents: Sequence[Individual]) -> None:
        """Add the first of `agents` at the head of the queue, the others at its end. O(agents)."""
        self._queue.extendleft(agents[:1])
        self._queue.extend(agents[1:])

    def next(self) -> Individual:
        """Remove and return the next agent. Raises IndexError without one. O(1)."""
        return self._queue.popleft()

    def works(self, agent: Individual, alive: Collection[AgentId], now_s: float) -> bool:
        """Return True during the slice of `agent`; else it rests until another slice begins."""
        works = self._slices.works(agent.id, alive, now_s)
        if self._slices.has_begun():
            self._wake_resting()
        if not works:
            self._resting.append(agent)
        return works

    def set_aside(self, agent: Individual, *, is_idle: bool) -> None:
        """Set an agent aside until `wake`; if it `is_idle`, its slice ends."""
        if is_idle and self._slices.idles(agent.id):
            self._wake_stuck()
            self._wake_resting()
        self._stuck.append(agent)

    def wake(self) -> None:
        """Put stuck agents back in turn, after links or agents have changed. O(stuck)."""
        self._slices.wake()
        self._wake_stuck()

    def remove(self, agent: Individual) -> None:
        """Remove an agent from its queue, and end its slice. O(agents)."""
        for place in (self._queue, self._stuck, self._resting):
            if agent in place:
                place.remove(agent)
        self._wake_resting()

    def _wake_stuck(self) -> None:
        self._queue.extend(self._stuck)
        self._stuck.clear()

    def _wake_resting(self) -> None:
        self._queue.extend(self._resting)
        self._resting.clear()


class TimeSlices:
    """Gives agents time slices in the order of their ids.

    A slice ends after `length_s` seconds, when its agent dies, or when the agent has nothing to do.
    With a length of 0 all agents work at the same time.
    """

    def __init__(self, length_s: float) -> None:
        self._length_s = length_s
        self._holder: AgentId | None = None
        self._ends_at_s = 0.0
        self._idle: set[AgentId] = set()
        self._has_begun = False

    def works(self, agent: AgentId, alive: Collection[AgentId], now_s: float) -> bool:
        """Return True during the slice of `agent`. O(agents) when a slice begins, else O(1)."""
        if not self._length_s:
            return True
        if self._holder is None or now_s >= self._ends_at_s or self._holder not in alive:
            self._begin([*alive], now_s)
        return agent == self._holder

    def has_begun(self) -> bool:
        """Return True if a slice has begun since the last call."""
        begun, self._has_begun = self._has_begun, False
        return begun

    def idles(self, agent: AgentId) -> bool:
        """End the slice of an agent that has nothing to do; return True if it had the slice."""
        if agent != self._holder or agent in self._idle:
            return False
        self._idle.add(agent)
        self._ends_at_s = float("-inf")
        return True

    def wake(self) -> None:
        """Let idle agents have slices again."""
        self._idle.clear()

    def _begin(self, alive: list[AgentId], now_s: float) -> None:
        busy = [each for each in alive if each not in self._idle] or alive
        last = -1 if self._holder is None else self._holder
        later = [each for each in busy if each > last]
        self._holder = min(later or busy)
        self._ends_at_s = now_s + self._length_s
        self._has_begun = True
