"""Random: follow any of the open links, each with the same probability.

What a crawl without any preference finds; breadth-first has one for pages near the seeds, which
are on topic more often. A link found on many pages counts once. Draws come from the agent's own
generator, so that the run's seed gives the order.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from evocrawl.model import Lead
from evocrawl.species.base import ANY_HOST, Agent, Look, Move, Species
from evocrawl.species.breadth_first import AllAlike
from evocrawl.species.lottery import Lottery
from evocrawl.species.parts import lone


@dataclass(frozen=True, slots=True)
class OneOfAll:
    """The agent sees one of the open links of free hosts."""

    lottery: Lottery

    def found(self, leads: Sequence[Lead]) -> None:
        """Let the links take part. O(log hosts) a link."""
        for lead in leads:
            self.lottery.push(lead)

    def wander(self, agent: Agent, *, may_eat: bool) -> Move | None:  # noqa: ARG002 - protocol
        """Never wander."""
        return None

    def look(self, agent: Agent, is_free: Callable[[str], bool]) -> Look:
        """See the link that is drawn. O(log hosts) amortised."""
        lead = self.lottery.draw(agent.rng, is_free)
        if lead is not None:
            return Look((lead,))
        return Look((), frozenset((ANY_HOST,)) if self.lottery.has_parked else frozenset())

    def escape(self, agent: Agent, *, may_eat: bool) -> Move | None:  # noqa: ARG002 - protocol
        """Nothing is elsewhere."""
        return None

    def freed(self, host: str) -> None:
        """Let the host's links take part again."""
        self.lottery.free(host)


def at_random(lottery: Lottery) -> Species:
    """Make the species on a lottery of its own."""
    return lone("random", OneOfAll(lottery), AllAlike())
