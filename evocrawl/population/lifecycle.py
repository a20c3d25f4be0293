"""What happens to an agent: it eats, pays, clones and dies, within the bounds of the population.

Mouton & Marteau 2008, algorithm 2, with these decisions where the paper is silent or at odds
with its own claim that the population stays between LB and UB:

- The upper bound holds at every moment. An agent takes no more energy from a page than the
  population has room to turn into clones; the rest stays on the page. At UB itself it takes
  nothing and pays C (the paper's test, number > UB, lets one meal of G exceed UB by G).
- The lower bound holds at every moment: an agent out of energy dies only while the population is
  above LB (the paper's test, number < LB, lets it sink to LB − 1).
- Below LB with no energy left on any page, the agent dies and a founder begins again at the seeds.

Species that are `unbuffered` eat without regard to the upper bound, which holds births back, and
live on out of energy at the lower one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from numpy.random import Generator

from evocrawl.core.errors import SettingError
from evocrawl.core.events import Born, Came, Cloned, Died, Event, Fed, Left, Moved, Paid
from evocrawl.core.fees import Fees
from evocrawl.core.model import AgentId, Cost, Fingerprint, Page
from evocrawl.frontier import MemoryPageBase
from evocrawl.species.base import Agent, Move, Species


@dataclass(frozen=True, slots=True)
class PopulationBounds:
    """`founders` agents at the start, then between `lower` and `upper` (None: without limit)."""

    founders: int
    lower: int = 0
    upper: int | None = None

    def __post_init__(self) -> None:
        if self.lower < 0:
            raise SettingError("lower_bound", self.lower, "0 or more")
        if self.upper is not None and self.upper < max(self.lower, 1):
            raise SettingError("upper_bound", self.upper, f"at least {max(self.lower, 1)}")
        if self.founders < 1 or (self.upper is not None and self.founders > self.upper):
            raise SettingError("agents", self.founders, f"1 to the upper bound ({self.upper})")


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
        self.agents: dict[AgentId, Agent] = {}
        self.on_event: list[Callable[[Event], None]] = []
        self.is_unborn = True
        self.fees = fees
        self.species = species
        self.bounds = bounds
        self._base = base
        self._rng = rng
        self._birthplace = birthplace
        self._next_agent = 0

    @property
    def room(self) -> float:
        """How many agents may still be born."""
        upper = self.bounds.upper
        return float("inf") if upper is None else upper - len(self.agents)

    @property
    def may_eat(self) -> bool:
        """False while the population is full: energy stays on the pages."""
        return self.room > 0

    def found(self, seeds: int) -> list[Agent]:
        """Bring founders into the world, `seeds` having been placed.

        Species of one founder a seed do so each time, as far as there is room, others where
        nobody is alive. Several species share the configured number of founders.
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

    @property
    def may_shrink(self) -> bool:
        """True while the population is above its lower bound, and has somebody to spare."""
        return len(self.agents) > max(self.bounds.lower, 1)

    def leave(self, agent: Agent) -> None:
        """The agent goes to another population, with its energy."""
        del self.agents[agent.id]
        self.emit(Left(agent.id, agent.energy))

    def welcome(self, species: Species, energy: float, page: Fingerprint, mind: object) -> Agent:
        """An agent comes from another population; with no `mind` it gets a founder's."""
        self.is_unborn = False
        agent = self._made(energy, page, species, None)
        agent.mind = mind
        self.emit(Came(agent.id, energy, species.name))
        return agent

    def arrive(self, agent: Agent, page: Page, cost: Cost, *, pays: bool) -> None:
        """The agent has fetched `page`: it sits there and eats, or pays for the visit.

        `pays`: the page's energy was laid on it now; otherwise there may be some left from before.
        """
        agent.page = page.fingerprint
        self._pay_time(agent, cost)
        if agent.species.hands_on(agent, page, pays=pays):
            self._pay(agent, self.fees.hand_on, "hand on")
        record = self._base.get(page.fingerprint)
        may_eat = self.may_eat or agent.species.unbuffered
        if may_eat and record is not None and (pays or record.energy != 0):
            self._eat(agent, page.fingerprint)
        else:
            self._pay(agent, self.fees.visit, "visit")

    def walk(self, agent: Agent, move: Move) -> list[Agent]:
        """The agent goes to a known page, at no cost, and takes what energy is left there."""
        agent.page = move.page
        self.emit(Moved(agent.id, move.page, move.why))
        record = self._base.get(move.page)
        if record is not None and record.energy > 0 and self.may_eat:
            self._eat(agent, move.page)
        return self.reproduce(agent)

    def pay_for(self, agent: Agent, cost: Cost) -> None:
        """The agent went to a link that led nowhere."""
        self._pay_time(agent, cost)
        self._pay(agent, self.fees.dead, "dead")

    def pay_refusal(self, agent: Agent) -> None:
        """The agent went where robots.txt forbids."""
        self._pay(agent, self.fees.refusal, "refusal")

    def reproduce(self, agent: Agent) -> list[Agent]:
        """Let the agent die or clone; return who goes on from here, the agent first."""
        breeding = agent.species.breeding
        while breeding.is_doomed(agent):
            # An agent with other visits under way settles those before it dies.
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
        """Tell every listener."""
        for listener in self.on_event:
            listener(event)

    @contextmanager
    def recording(self) -> Iterator[list[Event]]:
        """Collect the events of a while."""
        events: list[Event] = []
        self.on_event.append(events.append)
        try:
            yield events
        finally:
            self.on_event.remove(events.append)

    def _eat(self, agent: Agent, page: Fingerprint) -> None:
        unbuffered = agent.species.unbuffered
        most = float("inf") if unbuffered else max(self.room + 1.0 - agent.energy, 0.0)
        energy = self._base.take_energy(page, most)
        agent.energy += energy
        self.emit(Fed(agent.id, page, energy))

    def _pay(self, agent: Agent, fee: float, reason: str) -> None:
        if fee:
            agent.energy -= fee
            self.emit(Paid(agent.id, fee, reason))  # type: ignore[arg-type] # one of its literals

    def _pay_time(self, agent: Agent, cost: Cost) -> None:
        self._pay(agent, self.fees.of_time(cost), "latency")

    def _clone(self, agent: Agent, count: int) -> list[Agent]:
        share = agent.energy / (count + 1)
        agent.energy -= share * count
        children = [self._born(agent, agent.species, share) for _ in range(count)]
        self.emit(Cloned(agent.id, tuple(child.id for child in children), share))
        return children

    def _founder(self, species: Species) -> Agent:
        return self._born(None, species, species.breeding.founder_energy)

    def _born(self, parent: Agent | None, species: Species, energy: float) -> Agent:
        page = self._birthplace if parent is None else parent.page
        parent_id = None if parent is None else parent.id
        agent = self._made(energy, page, species, parent_id)
        if parent is not None:
            species.breeding.inherit(parent, agent)
        self.emit(Born(agent.id, parent_id, energy, species.name))
        return agent

    def _made(
        self, energy: float, page: Fingerprint, species: Species, parent: AgentId | None
    ) -> Agent:
        self._next_agent += 1
        agent = Agent(self._next_agent, energy, page, self._rng.spawn(1)[0], species, parent)
        self.agents[agent.id] = agent
        return agent

    def _die(self, agent: Agent) -> None:
        del self.agents[agent.id]
        self.emit(Died(agent.id, agent.energy))
