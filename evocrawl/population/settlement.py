"""What a settled visit brings its agent: a meal, a bill, something learnt."""

from __future__ import annotations

from dataclasses import dataclass

from evocrawl.core.events import Laid, VisitSettled
from evocrawl.core.model import Dead, Dropped, Fetched, Outcome, Refused, Visit
from evocrawl.population.discovery import Discovery
from evocrawl.population.lifecycle import Lifecycle
from evocrawl.species.base import Agent


@dataclass(frozen=True, slots=True)
class Settlement:
    """Feeds and charges agents in `life`, and takes pages into `discovery`."""

    life: Lifecycle
    discovery: Discovery

    def take(self, visit: Visit, agent: Agent, outcome: Outcome) -> Outcome:
        """Let the agent eat or pay, and its species learn.

        Returns the outcome as the population takes it: a page that says nothing new is of no
        relevance. O(log n) and O(1) for each link of the page.
        """
        agent.in_flight -= 1
        agent.visits += 1
        match outcome:
            case Fetched(page, cost):
                found = self.discovery.remember(visit, page, agent.species)
                if found.pays:
                    self.life.emit(Laid(page.fingerprint, page.relevance, page.energy))
                self.life.arrive(agent, found.page, cost, pays=found.pays)
                self._emit(visit, "fetched", "", page.relevance, found.is_new)
                outcome = Fetched(found.page, cost)
            case Dead(reason, cost):
                self.discovery.missed(visit.lead, reason)
                self.life.pay_for(agent, cost)
                self._emit(visit, "dead", reason)
            case Refused():
                self.life.pay_refusal(agent)
                self._emit(visit, "refused")
            case Dropped(reason):
                self._emit(visit, "dropped", reason)
        agent.species.learning.learn(agent, visit, outcome)
        return outcome

    def _emit(
        self,
        visit: Visit,
        outcome: str,
        reason: str = "",
        relevance: float | None = None,
        first: bool = False,
    ) -> None:
        self.life.emit(VisitSettled(visit, outcome, reason, relevance, first))  # type: ignore[arg-type]
