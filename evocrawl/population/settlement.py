"""A finished visit, as the steps of `Population.settle` need it."""

from __future__ import annotations

from dataclasses import dataclass

from evocrawl.core.events import VisitSettled
from evocrawl.core.model import Dead, Dropped, Outcome, Visit
from evocrawl.population.individual import Individual


@dataclass(frozen=True, slots=True)
class Settlement:
    """A visit of `agent` and its outcome.

    A page without new content has relevance 0 in `outcome`; `relevance` is the one that the
    relevance model gave it, None without a page. `is_new` is True for a page that was not fetched
    before, `pays` if energy was laid on the page now.
    """

    visit: Visit
    agent: Individual
    outcome: Outcome
    relevance: float | None = None
    is_new: bool = False
    pays: bool = False

    def event(self) -> VisitSettled:
        """Return the event that reports this settlement."""
        outcome = self.outcome
        reason = outcome.reason if isinstance(outcome, Dead | Dropped) else ""
        kind = type(outcome).__name__.lower()
        return VisitSettled(self.visit, kind, reason, self.relevance, self.is_new)  # type: ignore[arg-type] # one of its literals
