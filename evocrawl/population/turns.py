"""Who is asked next: agents in turn, agents with nothing to do, agents whose slice is to come."""

from __future__ import annotations

from collections import deque
from collections.abc import Collection, Iterable, Iterator, Sequence

from evocrawl.core.model import AgentId
from evocrawl.species.base import Agent


class TurnQueue:
    """Agents that are asked one after the other; with `slice_s` above 0 one of them at a time.

    Each agent is in one place: in turn; *stuck*, with nothing to do until something happens; or
    *resting* until a slice begins.
    """

    def __init__(self, slice_s: float) -> None:
        self._queue: deque[Agent] = deque()
        self._stuck: list[Agent] = []
        self._resting: list[Agent] = []
        self._slices = TimeSlices(slice_s)

    def __bool__(self) -> bool:
        """Return True while somebody is in turn."""
        return bool(self._queue)

    def __iter__(self) -> Iterator[Agent]:
        """Iterate over all agents, in whatever place."""
        return iter([*self._queue, *self._stuck, *self._resting])

    def join(self, agents: Iterable[Agent]) -> None:
        """Queue behind the others. O(agents)."""
        self._queue.extend(agents)

    def go_on(self, agents: Sequence[Agent]) -> None:
        """The first goes on before all others, who queue behind. O(agents)."""
        self._queue.extendleft(agents[:1])
        self._queue.extend(agents[1:])

    def next(self) -> Agent:
        """Take out who is next; there must be somebody. O(1)."""
        return self._queue.popleft()

    def works(self, agent: Agent, alive: Collection[AgentId], now_s: float) -> bool:
        """Return True while it is the slice of `agent`, which else rests until another begins."""
        works = self._slices.works(agent.id, alive, now_s)
        if self._slices.has_begun():
            self._wake_resting()
        if not works:
            self._resting.append(agent)
        return works

    def stick(self, agent: Agent, *, is_idle: bool) -> None:
        """Set aside until something happens; an agent that `is_idle` has its slice passed on."""
        if is_idle and self._slices.idles(agent.id):
            self._wake_stuck()
            self._wake_resting()
        self._stuck.append(agent)

    def stirred(self) -> None:
        """Something happened: who was stuck is asked again. O(stuck)."""
        self._slices.stirred()
        self._wake_stuck()

    def bury(self, agent: Agent) -> None:
        """Forget an agent, wherever it is; its slice is over. O(agents)."""
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
    """Whose turn it is; the agents take turns in the order of their ids.

    A slice ends when `length_s` seconds are over, when its agent dies, or when the agent has
    nothing to do. With a length of 0 everybody works at once.
    """

    def __init__(self, length_s: float) -> None:
        self._length_s = length_s
        self._holder: AgentId | None = None
        self._ends_at_s = 0.0
        self._idle: set[AgentId] = set()
        self._has_begun = False

    def works(self, agent: AgentId, alive: Collection[AgentId], now_s: float) -> bool:
        """Return True while it is the turn of `agent`. O(agents) when a slice begins, else O(1)."""
        if not self._length_s:
            return True
        if self._holder is None or now_s >= self._ends_at_s or self._holder not in alive:
            self._begin([*alive], now_s)
        return agent == self._holder

    def has_begun(self) -> bool:
        """Return True once for each slice that has begun."""
        begun, self._has_begun = self._has_begun, False
        return begun

    def idles(self, agent: AgentId) -> bool:
        """The agent has nothing to do: its slice is over. Returns True where others now go on."""
        if agent != self._holder or agent in self._idle:
            return False
        self._idle.add(agent)
        self._ends_at_s = float("-inf")
        return True

    def stirred(self) -> None:
        """Something happened: those who had nothing to do may have now."""
        self._idle.clear()

    def _begin(self, alive: list[AgentId], now_s: float) -> None:
        busy = [each for each in alive if each not in self._idle] or alive
        last = -1 if self._holder is None else self._holder
        later = [each for each in busy if each > last]
        self._holder = min(later or busy)
        self._ends_at_s = now_s + self._length_s
        self._has_begun = True
