"""The life of an agent: it moves, pays, eats, clones and dies, within the population's bounds.

Mouton & Marteau 2008, algorithm 2, with these decisions where the paper is silent or contradicts
its own claim that the population stays between LB and UB:

- The upper bound holds at every moment. An agent takes no more energy from a page than the
  population has room to turn into clones; the rest stays on the page. At UB itself it takes
  nothing and pays C (the paper's test, number > UB, lets one meal of G exceed UB by G).
- The lower bound holds at every moment: an agent out of energy dies only while the population is
  above LB (the paper's test, number < LB, lets it sink to LB − 1).
- Below LB with no energy left on any page, the agent dies and a founder begins again at the seeds.

Species that are `unbuffered` eat at the upper bound too, which limits births only, and live on
without energy at the lower bound.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from numpy.random import Generator

from evocrawl.core.budget import Budget
from evocrawl.core.errors import SettingError
from evocrawl.core.events import Born, Came, Cloned, Died, Event, Fed, Left, Moved, Paid
from evocrawl.core.fees import Fees
from evocrawl.core.model import AgentId, Cost, Dead, Fetched, Fingerprint, Refused
from evocrawl.frontier import MemoryPageBase
from evocrawl.population.individual import Individual
from evocrawl.population.settlement import Settlement
from evocrawl.species.base import Move, Species


@dataclass(frozen=True, slots=True)
class PopulationBounds:
    """`founders` agents at the start, then `lower` to `upper` agents (None: no limit)."""

    founders: int
    lower: int = 0
    upper: int | None = None

    def __post_init__(self) -> None:
        if self.lower < 0:
            raise SettingError("lower_bound", self.lower, "0 or more")
        if self.upper is not None and self.upper < max(self.lower, 1):
            raise SettingError("upper_bound", self.upper, f"at least {max(self.lower, 1)}")
        if self.founders < 1 or (self.upper is not None and self.founders > self.upper):
            most = "or more" if self.upper is None else f"to the upper bound ({self.upper})"
            raise SettingError("agents", self.founders, f"1 {most}")


class Lifecycle:
    """Keeps the agents and their energy; every event goes to the listeners in `on_event`."""

    def __init__(
        self,
        species: Sequence[Species],
        fees: Fees,
        bounds: PopulationBounds,
        base: MemoryPageBase,
        rng: Generator,
        birthplace: Fingerprint,
    ) -> None:
        self.agents: dict[AgentId, Individual] = {}
        self.on_event: list[Callable[[Event], None]] = []
        self.is_unborn = True
        self.excluded: set[AgentId] = set()
        """Agents that a user has excluded, and that end with their last visit under way."""
        self.fees = fees
        self.species = species
        self.bounds = bounds
        self._base = base
        self._rng = rng
        self._birthplace = birthplace
        self._next_agent = 0

    @property
    def room(self) -> float:
        """The number of agents that may still be born."""
        upper = self.bounds.upper
        return float("inf") if upper is None else upper - len(self.agents)

    @property
    def may_eat(self) -> bool:
        """False while the population is full; then energy stays on the pages."""
        return self.room > 0

    def found(self, seeds: int) -> list[Individual]:
        """Add founders after `seeds` were placed; return them.

        A species with one founder per seed gets them each time, within the upper bound; other
        species get founders only if no agent is alive. Several species share the configured number
        of founders.
        """
        self.is_unborn, anew = False, not self.agents
        born = []
        for number, species in enumerate(self.species):
            count = self.bounds.founders // len(self.species)
            count += number < self.bounds.founders % len(self.species)
            if species.founders == "seeds":
                count = int(min(seeds, self.room))
            elif not anew:
                count = 0
            elif species.founders is not None:
                count = species.founders
            born += [self._founder(species) for _ in range(count)]
        return born

    def set_fees(self, usual: Fees, budget: Budget) -> None:
        """Let the first species set the fees, by the `usual` ones, the founders and the budget."""
        fees = self.species[0].fees
        if fees is not None:
            founders = sum(agent.parent is None for agent in self.agents.values())
            self.fees = fees(usual, founders, budget.share or budget.limit)

    @property
    def may_shrink(self) -> bool:
        """True if the population is above its lower bound and has more than one agent."""
        return len(self.agents) > max(self.bounds.lower, 1)

    def leave(self, agent: Individual) -> None:
        """Remove an agent that goes to another population, with its energy."""
        del self.agents[agent.id]
        self.emit(Left(agent.id, agent.energy))

    def exclude(self, agent: Individual) -> None:
        """End an agent that the user excludes; one with visits under way ends with the last."""
        if agent.in_flight:
            self.excluded.add(agent.id)
        else:
            self._die(agent)

    def refill(self, species: Species) -> list[Individual]:
        """Add founders up to the lower bound, one at least, after agents were excluded."""
        missing = max(self.bounds.lower, 1) - len(self.agents)
        return [self._founder(species) for _ in range(missing)]

    def welcome(
        self, species: Species, energy: float, page: Fingerprint, mind: object
    ) -> Individual:
        """Add an agent from another population; without a `mind` it gets that of a founder."""
        self.is_unborn = False
        agent = self._made(energy, page, species, None)
        agent.mind = mind
        self.emit(Came(agent.id, energy, species.name))
        return agent

    def move(self, settlement: Settlement) -> None:
        """Move the agent to the page that it has fetched; without a page it does not move."""
        if isinstance(settlement.outcome, Fetched):
            settlement.agent.page = settlement.outcome.page.fingerprint

    def pay(self, settlement: Settlement) -> None:
        """Charge the agent for time and a browser, for a page that it hands on, and for no page."""
        agent, outcome = settlement.agent, settlement.outcome
        match outcome:
            case Fetched(page, cost):
                self._pay_time(agent, cost)
                if agent.species.hands_on(agent, page, pays=settlement.pays):
                    self._pay(agent, self.fees.hand_on, "hand on")
            case Dead(_, cost):
                self._pay_time(agent, cost)
                self._pay(agent, self.fees.dead, "dead")
            case Refused():
                self._pay(agent, self.fees.refusal, "refusal")

    def feed(self, settlement: Settlement) -> None:
        """Give the agent the energy on the page, or charge it for the visit if there is none.

        A page that does not pay now may have energy left from an earlier visit.
        """
        agent, outcome = settlement.agent, settlement.outcome
        if not isinstance(outcome, Fetched):
            return
        page = outcome.page.fingerprint
        record = self._base.get(page)
        may_eat = self.may_eat or agent.species.unbuffered
        if may_eat and record is not None and (settlement.pays or record.energy != 0):
            self._eat(agent, page)
        else:
            self._pay(agent, self.fees.visit, "visit")

    def walk(self, agent: Individual, move: Move) -> list[Individual]:
        """Move an agent to a known page at no cost; it eats there. Return the agents that go on."""
        agent.page = move.page
        self.emit(Moved(agent.id, move.page, move.why))
        record = self._base.get(move.page)
        if record is not None and record.energy > 0 and self.may_eat:
            self._eat(agent, move.page)
        return self.reproduce(agent)

    def reproduce(self, agent: Individual) -> list[Individual]:
        """Kill or clone the agent if it is due; return the agents that go on, this one first."""
        if agent.id in self.excluded:
            return self._end_excluded(agent)
        breeding = agent.species.breeding
        while breeding.is_doomed(agent):
            # An agent with other visits under way does not die before they are settled.
            if agent.in_flight:
                return []
            if len(self.agents) > self.bounds.lower:
                self._die(agent)
                return []
            if agent.species.unbuffered:
                return [agent]
            page = self._base.draw_energetic(agent.rng)
            if page is None:
                self._die(agent)
                return [self._founder(agent.species)]
            agent.page = page
            self.emit(Moved(agent.id, page, "rescue"))
            self._eat(agent, page)
        count = int(min(breeding.clones(agent), self.room))
        return [agent, *self._clone(agent, count)] if count > 0 else [agent]

    def emit(self, event: Event) -> None:
        """Call every listener with an event."""
        for listener in self.on_event:
            listener(event)

    @contextmanager
    def recording(self) -> Iterator[list[Event]]:
        """Collect the events that are emitted inside the `with` block."""
        events: list[Event] = []
        self.on_event.append(events.append)
        try:
            yield events
        finally:
            self.on_event.remove(events.append)

    def _end_excluded(self, agent: Individual) -> list[Individual]:
        if agent.in_flight:
            return []
        self.excluded.discard(agent.id)
        self._die(agent)
        return self.refill(agent.species)

    def _eat(self, agent: Individual, page: Fingerprint) -> None:
        unbuffered = agent.species.unbuffered
        most = float("inf") if unbuffered else max(self.room + 1.0 - agent.energy, 0.0)
        energy = self._base.take_energy(page, most)
        agent.energy += energy
        self.emit(Fed(agent.id, page, energy))

    def _pay(self, agent: Individual, fee: float, reason: str) -> None:
        if fee:
            agent.energy -= fee
            self.emit(Paid(agent.id, fee, reason))  # type: ignore[arg-type] # one of its literals

    def _pay_time(self, agent: Individual, cost: Cost) -> None:
        self._pay(agent, self.fees.of_time(cost), "latency")
        self._pay(agent, self.fees.of_browser(cost), "browser")

    def _clone(self, agent: Individual, count: int) -> list[Individual]:
        share = agent.energy / (count + 1)
        agent.energy -= share * count
        children = [self._born(agent, agent.species, share) for _ in range(count)]
        self.emit(Cloned(agent.id, tuple(child.id for child in children), share))
        return children

    def _founder(self, species: Species) -> Individual:
        return self._born(None, species, species.breeding.founder_energy)

    def _born(self, parent: Individual | None, species: Species, energy: float) -> Individual:
        page = self._birthplace if parent is None else parent.page
        parent_id = None if parent is None else parent.id
        agent = self._made(energy, page, species, parent_id)
        if parent is not None:
            species.breeding.inherit(parent, agent)
        self.emit(Born(agent.id, parent_id, energy, species.name))
        return agent

    def _made(
        self, energy: float, page: Fingerprint, species: Species, parent: AgentId | None
    ) -> Individual:
        self._next_agent += 1
        rng = self._rng.spawn(1)[0]
        agent = Individual(self._next_agent, energy, page, rng, parent, species=species)
        self.agents[agent.id] = agent
        return agent

    def _die(self, agent: Individual) -> None:
        del self.agents[agent.id]
        self.emit(Died(agent.id, agent.energy))
