"""Operations on hosts and origins: limits, holds, addresses and robots.txt."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Self

from evocrawl.population.population import Population
from evocrawl.store.journal.operations.row import (
    ArrayOperation,
    PlainOperation,
    Row,
    from_json,
    present,
    to_json,
)


@dataclass(frozen=True, slots=True)
class Limited(ArrayOperation):
    """The limit of a host changed: most concurrent visits, seconds between the starts of two.

    Replay applies it to `JournaledHostLimits`, not to the population.
    """

    tag: ClassVar[str] = "limit"
    host: str
    concurrency: int
    delay_s: float


@dataclass(frozen=True, slots=True)
class HostHeld(PlainOperation):
    """A host was held after failures or on its request: no visit starts before `until_s`."""

    tag: ClassVar[str] = "hold"
    host: str
    until_s: float

    def row(self) -> Row:
        """Return the operation as a row."""
        return Row(self.tag, at=self.until_s, data=to_json(self.host))

    @classmethod
    def of(cls, row: Row) -> Self:
        """Undo `row`."""
        return cls(from_json(row.data), present(row.at))

    def apply(self, population: Population) -> None:
        """Hold the host; see `HostSlots.hold`."""
        population.environment.hosts.hold(self.host, self.until_s)


@dataclass(frozen=True, slots=True)
class HostLocated(ArrayOperation):
    """The address of a host became known; it allows `most` concurrent visits."""

    tag: ClassVar[str] = "locate"
    host: str
    address: str
    most: int

    def apply(self, population: Population) -> None:
        """Set the address of the host; see `HostSlots.locate`."""
        population.environment.hosts.locate(self.host, self.address, self.most)


@dataclass(frozen=True, slots=True)
class _OfOrigin(PlainOperation):
    """An operation whose one field is an origin."""

    origin: str

    def row(self) -> Row:
        """Return the operation as a row."""
        return Row(self.tag, data=to_json(self.origin))

    @classmethod
    def of(cls, row: Row) -> Self:
        """Undo `row`."""
        return cls(from_json(row.data))


@dataclass(frozen=True, slots=True)
class OriginOpened(_OfOrigin):
    """The robots.txt of an origin became known: links that waited for it may be followed."""

    tag: ClassVar[str] = "open"

    def apply(self, population: Population) -> None:
        """Open the origin; see `Population.open_origin`."""
        population.open_origin(self.origin)


@dataclass(frozen=True, slots=True)
class OriginClosed(_OfOrigin):
    """An origin stays closed for a while, since its robots.txt could not be fetched."""

    tag: ClassVar[str] = "shut"

    def apply(self, population: Population) -> None:
        """Keep the origin closed; see `Population.close_origin`."""
        population.close_origin(self.origin)
