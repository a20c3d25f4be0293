"""Operations on a run of the crawl and on its budget."""

from __future__ import annotations

from dataclasses import astuple, dataclass
from typing import ClassVar, Self

from evocrawl.core.model import VisitId
from evocrawl.population.population import Population
from evocrawl.store.journal.operations.row import PlainOperation, Row, from_json, to_json


@dataclass(frozen=True, slots=True)
class RunStarted(PlainOperation):
    """A run of the crawl began: the first, or a later one that continues it.

    `limit` is the budget of HTTP requests (None: no limit), `max_unsettled` the most visits under
    way at once. `host_limit` applies to each host without a `Limited`: the most concurrent visits
    and the seconds between them.
    """

    tag: ClassVar[str] = "begin"
    limit: int | None
    max_unsettled: int
    host_limit: tuple[int, float]

    def row(self) -> Row:
        """Return the operation as a row."""
        return Row(self.tag, data=to_json(astuple(self)))

    @classmethod
    def of(cls, row: Row) -> Self:
        """Undo `row`."""
        limit, max_unsettled, (concurrency, delay_s) = from_json(row.data)
        return cls(limit, max_unsettled, (concurrency, delay_s))

    def apply(self, population: Population) -> None:
        """Set the options of the run; see `Budget` and `Population`."""
        population.environment.budget.limit = self.limit
        population.max_unsettled = self.max_unsettled


@dataclass(frozen=True, slots=True)
class Spent(PlainOperation):
    """The crawl sent a request, for a visit or (None) for another purpose."""

    tag: ClassVar[str] = "spend"
    visit: VisitId | None

    def row(self) -> Row:
        """Return the operation as a row."""
        return Row(self.tag, visit=self.visit)

    @classmethod
    def of(cls, row: Row) -> Self:
        """Undo `row`."""
        return cls(row.visit)

    def apply(self, population: Population) -> bool:
        """Count the request; see `Budget.spend`."""
        return population.environment.budget.spend(self.visit)
