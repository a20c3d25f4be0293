"""Time slices: one agent works at a time (Palotai, Farkas & Lőrincz: three minutes each)."""

from __future__ import annotations

from collections.abc import Collection

from evocrawl.model import AgentId


class Slices:
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
