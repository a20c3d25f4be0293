"""Where energy came from and went, and how many agents and visits there were.

Kept from events alone, so that it holds for a recorded crawl as for a live one. Energy is
conserved: agents hold `granted + eaten + brought − paid − buried − taken`, pages hold
`laid − eaten`; what agents brought from other populations of the crawl, and took there, is 0 where
there is one.
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
class Ledger:
    """Running totals; `note` each event once. Energies in energy, the rest are counts."""

    relevant_at: float = 1.0
    granted: float = 0.0
    laid: float = 0.0
    eaten: float = 0.0
    found: float = 0.0
    paid: float = 0.0
    buried: float = 0.0
    brought: float = 0.0
    taken: float = 0.0
    births: int = 0
    founders: int = 0
    deaths: int = 0
    came: int = 0
    left: int = 0
    largest: int = 0
    opened: int = 0
    pages: int = 0
    relevant: int = 0
    relevance: float = 0.0
    repeated: int = 0
    held_back: int = 0
    moves: Counter[str] = field(default_factory=Counter)
    outcomes: Counter[str] = field(default_factory=Counter)

    @property
    def population(self) -> int:
        """Agents alive."""
        return self.births - self.deaths + self.came - self.left

    @property
    def settled(self) -> int:
        """Visits settled."""
        return self.outcomes.total()

    def note(self, event: Event) -> None:
        """Take in one event. O(1)."""
        match event:
            case VisitSettled():
                self._settled(event)
            case VisitOpened():
                self.opened += 1
            case Fed(energy=energy):
                self.eaten += energy
            case Paid(energy=energy):
                self.paid += energy
            case Laid(energy=energy):
                self.laid += energy
                self.found += max(energy, 0.0)
            case Born(parent=parent, energy=energy):
                self._born(energy if parent is None else 0.0, parent is None)
            case Died(energy=energy):
                self.deaths += 1
                self.buried += energy
            case Came(energy=energy):
                self.came += 1
                self.brought += energy
                self.largest = max(self.largest, self.population)
            case Left(energy=energy):
                self.left += 1
                self.taken += energy
            case Moved(why=why):
                self.moves[why] += 1
            case DuplicateFound():
                self.repeated += 1
            case HeldBack():
                self.held_back += 1
            case Cloned():
                pass

    def _born(self, granted: float, is_founder: bool) -> None:
        self.births += 1
        self.founders += is_founder
        self.granted += granted
        self.largest = max(self.largest, self.population)

    def _settled(self, event: VisitSettled) -> None:
        self.outcomes[event.outcome] += 1
        if event.first and event.relevance is not None:
            self.pages += 1
            self.relevance += event.relevance
            self.relevant += event.relevance >= self.relevant_at
