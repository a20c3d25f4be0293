"""The row of an operation in the journal, and the interface that all operations share."""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from dataclasses import fields
from typing import Any, ClassVar, NamedTuple, Protocol, Self, TypeVar

from evocrawl.core.model import Fingerprint, Link, Outcome

T = TypeVar("T")


class Row(NamedTuple):
    """One entry of the journal: a tag and the columns that its operation uses.

    `at` is a time in seconds, `visit` the number of a visit, `key` a fingerprint, `content` the
    digest of a page's content, and `data` JSON for the rest.
    """

    tag: str
    at: float | None = None
    visit: int | None = None
    key: bytes | None = None
    content: bytes | None = None
    data: str | None = None


class ValueCodec(Protocol):
    """Converts the values of operations that are more than JSON; see `OperationCodec`."""

    def pack_links(self, links: tuple[Link, ...]) -> str:
        """Return links as JSON."""

    def unpack_links(self, packed: str) -> tuple[Link, ...]:
        """Undo `pack_links`."""

    def pack_outcome(self, outcome: Outcome) -> tuple[Fingerprint | None, str]:
        """Return the fingerprint of a fetched page and the outcome as JSON."""

    def unpack_outcome(
        self, packed: str, key: Fingerprint | None, content: bytes | None
    ) -> Outcome:
        """Undo `pack_outcome`; `content` is the packed content of a fetched page."""


class Operation(ABC):
    """What the journal stores of one change of the population.

    No operation raises an error other than ValueError, TypeError or KeyError for a row that does
    not fit.
    """

    __slots__ = ()
    tag: ClassVar[str]

    @abstractmethod
    def pack(self, codec: ValueCodec, digest: bytes | None) -> Row:
        """Return the operation as a row; `digest` is that of the content of a fetched page."""

    @classmethod
    @abstractmethod
    def unpack(cls, codec: ValueCodec, row: Row, content: bytes | None) -> Self:
        """Undo `pack`; `content` is the packed content of a fetched page."""


class PlainOperation(Operation):
    """An operation whose fields are numbers, texts and fingerprints: no links, no outcome."""

    __slots__ = ()

    @abstractmethod
    def row(self) -> Row:
        """Return the operation as a row."""

    @classmethod
    @abstractmethod
    def of(cls, row: Row) -> Self:
        """Undo `row`."""

    def pack(self, codec: ValueCodec, digest: bytes | None) -> Row:  # noqa: ARG002
        """Return the operation as a row; `digest` is that of the content of a fetched page."""
        return self.row()

    @classmethod
    def unpack(cls, codec: ValueCodec, row: Row, content: bytes | None) -> Self:  # noqa: ARG003
        """Undo `pack`; `content` is the packed content of a fetched page."""
        return cls.of(row)


class ArrayOperation(PlainOperation):
    """A plain operation whose row holds its fields as a JSON array."""

    __slots__ = ()

    def row(self) -> Row:
        """Return the operation as a row."""
        return Row(self.tag, data=to_json([getattr(self, name) for name in _names(type(self))]))

    @classmethod
    def of(cls, row: Row) -> Self:
        """Undo `row`."""
        values = from_json(row.data)
        return cls(**dict(zip(_names(cls), values, strict=True)))


def _names(operation: type[Any]) -> list[str]:
    return [each.name for each in fields(operation)]


def present(value: T | None) -> T:
    """Return the value of a column. Raises ValueError if it is None."""
    if value is None:
        raise ValueError("a field is missing")
    return value


def to_json(value: object) -> str:
    """Return a value as JSON without spaces. Raises ValueError for NaN and infinity."""
    return json.dumps(value, allow_nan=False, separators=(",", ":"))


def from_json(data: str | None) -> Any:
    """Undo `to_json`. Raises ValueError if `data` is None or no JSON."""
    return json.loads(present(data))
