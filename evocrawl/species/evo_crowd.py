"""How many agents of the species `evo` are out at once: few while the population knows little.

A crawl that has sixteen visits under way from the start chooses its first sixteen links by what a
page or two have taught it. Here one more agent may be out for each `EACH` pages that have come in::

    most = FIRST + ⌊pages / EACH⌋

so that with the defaults sixteen are out at once after some 110 pages, at a cost of about a dozen
visits' time, once a crawl. It is like the slow start of Jacobson 1988 (Congestion avoidance and
control), slower still, and for another reason. Seeds do not wait: there is nothing to choose.
`FIRST` is more than one lest a single server that hangs should hold up the crawl.
"""

from __future__ import annotations

from evocrawl.model import AgentId
from evocrawl.species.base import Agent

FIRST = 2
EACH = 8


class Crowd:
    """The agents that are out after links; `first` and `each` are at least 1."""

    def __init__(self, first: int = FIRST, each: int = EACH) -> None:
        self._first = first
        self._each = each
        self._pages = 0
        self._out: dict[AgentId, Agent] = {}

    @property
    def is_full(self) -> bool:
        """True while as many are out as may be, and somebody at least. O(agents out)."""
        # A visit may end without being told of, where a door stays shut: the agents know.
        self._out = {agent.id: agent for agent in self._out.values() if agent.in_flight}
        return len(self._out) >= self._first + self._pages // self._each

    def sends(self, agent: Agent) -> None:
        """The agent goes out after a link."""
        self._out[agent.id] = agent

    def hears(self) -> None:
        """A page has come in, or it has turned out that there is none."""
        self._pages += 1
