"""Totals of a population's energy, agents, visits and pages, computed from its events.

The totals are the same for a live crawl and for a recorded one. Energy is conserved: see
`EnergyTotals`.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

from evocrawl.core.events import (
    Born,
    Came,
    Cloned,
    Died,
    DuplicateFound,
    Event,
    Fed,
    HeldBack,
    Laid,
    Left,
    Moved,
    Paid,
    VisitOpened,
    VisitSettled,
)


@dataclass(slots=True)
class EnergyTotals:
    """Where energy came from and where it went.

    ===============  =======================================================================
    field            energy
    ===============  =======================================================================
    of_founders      that founders started with
    laid             laid on pages; negative pages lower it
    laid_above_0     laid on pages that are not negative
    eaten            that agents took from pages
    paid             that agents paid in fees
    of_dead          that agents had when they died: above 0 only if their line was excluded
    arrived          of agents that came from other populations; 0 with one population
    departed         of agents that went to other populations; 0 with one population
    ===============  =======================================================================
    """

    of_founders: float = 0.0
    laid: float = 0.0
    laid_above_0: float = 0.0
    eaten: float = 0.0
    paid: float = 0.0
    of_dead: float = 0.0
    arrived: float = 0.0
    departed: float = 0.0

    @property
    def of_agents(self) -> float:
        """Energy of the agents alive."""
        return (
            self.of_founders + self.eaten - self.paid - self.of_dead + self.arrived - self.departed
        )

    @property
    def on_pages(self) -> float:
        """Energy on pages that no agent has taken."""
        return self.laid - self.eaten


@dataclass(slots=True)
class VisitTotals:
    """Visits opened, and visits settled by outcome."""

    opened: int = 0
    outcomes: Counter[str] = field(default_factory=Counter)

    @property
    def settled(self) -> int:
        """Visits settled."""
        return self.outcomes.total()


@dataclass(slots=True)
class Ledger:
    """Running totals; call `note` once for each event.

    `pages` counts distinct pages, `relevant_pages` those whose relevance is at least `relevant_at`;
    `relevance` is the sum over `pages`. `duplicates` counts pages without new content.
    """

    relevant_at: float = 1.0
    energy: EnergyTotals = field(default_factory=EnergyTotals)
    visits: VisitTotals = field(default_factory=VisitTotals)
    births: int = 0
    founders: int = 0
    deaths: int = 0
    arrivals: int = 0
    departures: int = 0
    largest_population: int = 0
    pages: int = 0
    relevant_pages: int = 0
    relevance: float = 0.0
    duplicates: int = 0
    links_held_back: int = 0
    moves: Counter[str] = field(default_factory=Counter)

    @property
    def population(self) -> int:
        """Agents alive."""
        return self.births - self.deaths + self.arrivals - self.departures

    def note(self, event: Event) -> None:
        """Add one event to the totals. O(1)."""
        match event:
            case VisitSettled():
                self._add_settled(event)
            case VisitOpened():
                self.visits.opened += 1
            case Fed(energy=energy):
                self.energy.eaten += energy
            case Paid(energy=energy):
                self.energy.paid += energy
            case Laid(energy=energy):
                self.energy.laid += energy
                self.energy.laid_above_0 += max(energy, 0.0)
            case Moved(why=why):
                self.moves[why] += 1
            case DuplicateFound():
                self.duplicates += 1
            case HeldBack():
                self.links_held_back += 1
            case Cloned():
                pass
            case Born() | Died() | Came() | Left():
                self._add_agent(event)

    def _add_agent(self, event: Born | Died | Came | Left) -> None:
        match event:
            case Born(parent=parent, energy=energy):
                self.births += 1
                if parent is None:
                    self.founders += 1
                    self.energy.of_founders += energy
            case Died(energy=energy):
                self.deaths += 1
                self.energy.of_dead += energy
            case Came(energy=energy):
                self.arrivals += 1
                self.energy.arrived += energy
            case Left(energy=energy):
                self.departures += 1
                self.energy.departed += energy
        self.largest_population = max(self.largest_population, self.population)

    def _add_settled(self, event: VisitSettled) -> None:
        self.visits.outcomes[event.outcome] += 1
        if event.first and event.relevance is not None:
            self.pages += 1
            self.relevance += event.relevance
            self.relevant_pages += event.relevance >= self.relevant_at
