"""Operations on visits, from the choice of a link to its settlement."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import ClassVar, Self

from evocrawl.core.events import Event
from evocrawl.core.fetch import FetchDetails
from evocrawl.core.model import Fingerprint, Lead, Outcome, Visit, VisitId
from evocrawl.population.population import Population
from evocrawl.species.base import Species
from evocrawl.store.journal.operations.row import (
    Operation,
    PlainOperation,
    Row,
    ValueCodec,
    from_json,
    present,
    to_json,
)


@dataclass(frozen=True, slots=True)
class Chosen(PlainOperation):
    """The population was asked for a visit at `now_s`.

    `origins` are the answers of the gate, in order: the origin that a URL waits for, or None.
    `visit` and `target` are None when the population chose no visit. Replay asks the population
    again and compares its choice with `visit` and `target`.
    """

    tag: ClassVar[str] = "choose"
    now_s: float
    origins: tuple[str | None, ...] = ()
    visit: VisitId | None = None
    target: Fingerprint | None = None

    @classmethod
    def by(cls, now_s: float, origins: Iterable[str | None], visit: Visit | None) -> Self:
        """Return the operation that records a choice: a visit, or None."""
        if visit is None:
            return cls(now_s, tuple(origins))
        return cls(now_s, tuple(origins), visit.id, visit.lead.fingerprint)

    def row(self) -> Row:
        """Return the operation as a row."""
        origins = to_json(self.origins) if any(self.origins) else None
        return Row(self.tag, at=self.now_s, visit=self.visit, key=self.target, data=origins)

    @classmethod
    def of(cls, row: Row) -> Self:
        """Undo `row`."""
        origins = () if row.data is None else tuple(from_json(row.data))
        return cls(present(row.at), origins, row.visit, row.key)


@dataclass(frozen=True, slots=True)
class WentOn(PlainOperation):
    """A redirect led the visit to another host at `now_s`."""

    tag: ClassVar[str] = "move"
    visit: VisitId
    host: str
    now_s: float

    def row(self) -> Row:
        """Return the operation as a row."""
        return Row(self.tag, at=self.now_s, visit=self.visit, data=to_json(self.host))

    @classmethod
    def of(cls, row: Row) -> Self:
        """Undo `row`."""
        return cls(present(row.visit), from_json(row.data), present(row.at))

    def apply(self, population: Population) -> None:
        """Move the visit; see `Population.go_on`."""
        population.go_on(self.visit, self.host, self.now_s)


@dataclass(frozen=True, slots=True)
class Claimed(PlainOperation):
    """A redirect led the visit to `target`."""

    tag: ClassVar[str] = "claim"
    visit: VisitId
    target: Fingerprint

    def row(self) -> Row:
        """Return the operation as a row."""
        return Row(self.tag, visit=self.visit, key=self.target)

    @classmethod
    def of(cls, row: Row) -> Self:
        """Undo `row`."""
        return cls(present(row.visit), present(row.key))

    def apply(self, population: Population) -> None:
        """Claim the target."""
        population.environment.base.claim(self.target)


@dataclass(frozen=True, slots=True)
class Released(PlainOperation):
    """The claim on `target` ended: the visit that was redirected there starts again."""

    tag: ClassVar[str] = "release"
    target: Fingerprint

    def row(self) -> Row:
        """Return the operation as a row."""
        return Row(self.tag, key=self.target)

    @classmethod
    def of(cls, row: Row) -> Self:
        """Undo `row`."""
        return cls(present(row.key))

    def apply(self, population: Population) -> None:
        """Release the target, unless its page is known."""
        base = population.environment.base
        if base.get(self.target) is None:
            base.release(self.target)


@dataclass(frozen=True, slots=True)
class VisitSettled(Operation):
    """A visit was settled. `details` go into the page's record; replay does not read them."""

    tag: ClassVar[str] = "settle"
    visit: VisitId
    outcome: Outcome
    details: FetchDetails | None = field(default=None, compare=False)

    def pack(self, codec: ValueCodec, digest: bytes | None) -> Row:
        """Return the operation as a row."""
        key, outcome = codec.pack_outcome(self.outcome)
        return Row(self.tag, visit=self.visit, key=key, content=digest, data=outcome)

    @classmethod
    def unpack(cls, codec: ValueCodec, row: Row, content: bytes | None) -> Self:
        """Undo `pack`."""
        return cls(present(row.visit), codec.unpack_outcome(present(row.data), row.key, content))

    def apply(self, population: Population) -> list[Event]:
        """Settle the visit; see `Population.settle`."""
        return population.settle(self.visit, self.outcome)


@dataclass(frozen=True, slots=True)
class GivenBack(PlainOperation):
    """The link of a visit without a result was reopened.

    The visit had ended for lack of budget, or its host had failed or had no free slot. If a
    redirect had led the visit to `url`, the next visit starts there; "" without a redirect.
    """

    tag: ClassVar[str] = "return"
    visit: VisitId
    url: str = ""

    def row(self) -> Row:
        """Return the operation as a row."""
        return Row(self.tag, visit=self.visit, data=to_json(self.url) if self.url else None)

    @classmethod
    def of(cls, row: Row) -> Self:
        """Undo `row`."""
        return cls(present(row.visit), "" if row.data is None else from_json(row.data))

    def apply(self, population: Population, lead: Lead, species: Species) -> None:
        """Reopen the link `lead`; see `Population.give_back`."""
        population.give_back(lead, species, self.url)
