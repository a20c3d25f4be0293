"""Watches the links to one address while a crawl is replayed."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from evocrawl.core.events import Born, Came, Event, Fed, HeldBack, Paid, VisitOpened
from evocrawl.core.model import AgentId, Fingerprint, Lead, Link, Outcome, Page, VisitId
from evocrawl.population.population import Population
from evocrawl.species import Maker, SpeciesContext
from evocrawl.species.agent import Agent
from evocrawl.species.base import Appraisal, Choice, Move, Sight, Species, View
from evocrawl.species.reasons import Explaining, Ranking, Reason, Standing
from evocrawl.store.journal.operations import Op, VisitSettled


@dataclass(slots=True)
class Drawn:
    """A choice of a link to the address: the species' reason, and how many links were in sight."""

    species: str
    lead: Lead
    reason: Reason
    in_sight: int


@dataclass(slots=True)
class Birth:
    """The birth of an agent: its parent (None: a founder) and its species."""

    parent: AgentId | None
    species: str


@dataclass(slots=True)
class Watch:
    """Records the links to `target`, and what the visit `visit` brought its agent.

    `found` maps each species to the latest lead that it was shown, `held` is the latest lead that
    was held back, and `pages` has a lead from each page with such a link.
    """

    target: Fingerprint
    visit: VisitId | None = None
    population: Population | None = None
    found: dict[str, Lead] = field(default_factory=dict)
    pages: dict[Fingerprint, Lead] = field(default_factory=dict)
    drawn: Drawn | None = None
    held: Lead | None = None
    births: dict[AgentId, Birth] = field(default_factory=dict)
    agent: AgentId | None = None
    energy_before: float = 0.0
    visits_before: int = 0
    outcome: Outcome | None = None
    gained: float = 0.0
    paid: dict[str, float] = field(default_factory=dict)

    def wrap(self, makers: Sequence[Maker]) -> list[Maker]:
        """Return makers of the same species, watched."""
        return [self._watched(make) for make in makers]

    def attach(self, population: Population) -> None:
        """Listen to the events of a population."""
        self.population = population
        population.on_event.append(self.note)

    def follow(self, ops: Iterator[Op]) -> Iterator[Op]:
        """Pass operations on; note the outcome of the visit before it is applied."""
        for op in ops:
            if isinstance(op, VisitSettled) and op.visit == self.visit:
                self.outcome = op.outcome
            yield op

    def is_over(self, op: Op) -> bool:
        """Return True for the operation that settles the visit."""
        return isinstance(op, VisitSettled) and op.visit == self.visit

    def note(self, event: Event) -> None:
        """Add an event. O(1)."""
        match event:
            case Born(agent, parent, _, species):
                self.births[agent] = Birth(parent, species)
            case Came(agent, _, species):
                self.births[agent] = Birth(None, species)
            case VisitOpened(visit) if visit.id == self.visit:
                assert self.population is not None
                one = self.population.lifecycle.agents[visit.agent]
                self.agent = visit.agent
                self.energy_before, self.visits_before = one.energy, one.visits
            case HeldBack(lead=lead) if lead.fingerprint == self.target:
                self.held = self.pages[lead.source] = lead
            case Fed(agent=agent, energy=energy) if self._is_settling(agent):
                self.gained += energy
            case Paid(agent, energy, reason) if self._is_settling(agent):
                self.paid[reason] = self.paid.get(reason, 0.0) + energy
            case _:
                pass

    def show(self, species: str, leads: Sequence[Lead]) -> None:
        """Note which of the links shown to a species lead to the address. O(links)."""
        for lead in leads:
            if lead.fingerprint == self.target:
                self.found[species] = lead
                self.pages[lead.source] = lead

    def ancestors(self, agent: AgentId) -> list[AgentId]:
        """Return the parent of an agent, the parent's parent, and so on to the founder."""
        line = []
        birth = self.births.get(agent)
        while birth is not None and birth.parent is not None:
            line.append(birth.parent)
            birth = self.births.get(birth.parent)
        return line

    def _is_settling(self, agent: AgentId) -> bool:
        return self.outcome is not None and agent == self.agent

    def _watched(self, make: Maker) -> Maker:
        def maker(have: SpeciesContext) -> Species:
            species = make(have)
            is_appraisal = isinstance(species.choice, Appraisal)
            kind = _WatchedAppraisal if is_appraisal else _WatchedChoice
            choice = kind(species.choice, species.name, self)
            sight = _WatchedSight(species.sight, species.name, self)
            return replace(species, choice=choice, sight=sight)

        return maker


@dataclass(frozen=True, slots=True)
class _WatchedChoice:
    """Draws as `inner` does, and notes the reason if it draws the watched link."""

    inner: Choice
    species: str
    watch: Watch

    def score(self, link: Link, page: Page | None) -> float:
        return self.inner.score(link, page)

    def draw(self, agent: Agent, leads: Sequence[Lead]) -> Lead:
        lead = self.inner.draw(agent, leads)
        if lead.fingerprint == self.watch.target:
            reason = self.explain(lead, leads, agent)
            self.watch.drawn = Drawn(self.species, lead, reason, len(leads))
        return lead

    def explain(self, lead: Lead, leads: Sequence[Lead], agent: Agent | None) -> Reason:
        if isinstance(self.inner, Explaining):
            return self.inner.explain(lead, leads, agent)
        return Reason(f"The species {self.species} gives no reasons.", lead.score)


@dataclass(frozen=True, slots=True)
class _WatchedAppraisal(_WatchedChoice):
    """The same for a choice that appraises links."""

    def appraise(self, link: Link, page: Page, via: Lead) -> tuple[float, object]:
        found: tuple[float, object] = self.inner.appraise(link, page, via)  # type: ignore[attr-defined]
        return found


@dataclass(frozen=True, slots=True)
class _WatchedSight:
    """Sees as `inner` does, and notes the watched link."""

    inner: Sight
    species: str
    watch: Watch

    def found(self, leads: Sequence[Lead]) -> None:
        self.watch.show(self.species, leads)
        self.inner.found(leads)

    def wander(self, agent: Agent, *, may_eat: bool) -> Move | None:
        return self.inner.wander(agent, may_eat=may_eat)

    def look(self, agent: Agent, is_free: Callable[[str], bool]) -> View:
        return self.inner.look(agent, is_free)

    def escape(self, agent: Agent, *, may_eat: bool) -> Move | None:
        return self.inner.escape(agent, may_eat=may_eat)

    def freed(self, host: str) -> None:
        self.inner.freed(host)

    def standing(self, lead: Lead) -> Standing | None:
        return self.inner.standing(lead) if isinstance(self.inner, Ranking) else None


def part_of(population: Population, species: str) -> Any:
    """Return the species of that name."""
    return next(each for each in population.species if each.name == species)
