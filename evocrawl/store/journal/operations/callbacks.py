"""Operations on callbacks that go on after their visit was settled.

A callback that waits for long, or yields very many requests, does not delay its visit: the page is
settled, and the callback's later requests become links of the page. If the crawl is killed before
the callback has ended, the rest of these requests is lost. So the next run fetches the page again.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import ClassVar, Self

from evocrawl.core.model import Fingerprint, Lead, VisitId
from evocrawl.population.exchange import PopulationExchange
from evocrawl.population.population import Population
from evocrawl.species.base import Species
from evocrawl.store.journal.operations.row import PlainOperation, Row, present


@dataclass(frozen=True, slots=True)
class _OfVisit(PlainOperation):
    """An operation whose one field is a visit."""

    visit: VisitId

    def row(self) -> Row:
        """Return the operation as a row."""
        return Row(self.tag, visit=self.visit)

    @classmethod
    def of(cls, row: Row) -> Self:
        """Undo `row`."""
        return cls(present(row.visit))


@dataclass(frozen=True, slots=True)
class CallbackContinued(_OfVisit):
    """The callback of a visit goes on after the settlement, which is the next operation of it."""

    tag: ClassVar[str] = "call"


@dataclass(frozen=True, slots=True)
class CallbackEnded(_OfVisit):
    """A callback that went on after the settlement of its visit has ended."""

    tag: ClassVar[str] = "called"


@dataclass(frozen=True, slots=True)
class VisitRepeated(_OfVisit):
    """The link of a settled visit was reopened, since its callback had not ended."""

    tag: ClassVar[str] = "repeat"

    def apply(
        self, population: Population, lead: Lead, species: Species, targets: Iterable[Fingerprint]
    ) -> None:
        """Reopen the link `lead`, and allow redirects to the `targets` of the earlier visit.

        Does nothing if another visit to the link is under way.
        """
        exchange = PopulationExchange(population)
        if exchange.restore(lead.fingerprint):
            for target in targets:
                exchange.restore(target)
            population.give_back(lead, species)
