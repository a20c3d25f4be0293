"""Operations that add links to the frontier."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Self

from evocrawl.core.model import Fingerprint, Link
from evocrawl.population.population import Population
from evocrawl.store.journal.operations.row import Operation, Row, ValueCodec, present


@dataclass(frozen=True, slots=True)
class Placed(Operation):
    """Seeds were placed; some may have been known before."""

    tag: ClassVar[str] = "place"
    links: tuple[Link, ...]

    def pack(self, codec: ValueCodec, digest: bytes | None) -> Row:  # noqa: ARG002
        """Return the operation as a row."""
        return Row(self.tag, data=codec.pack_links(self.links))

    @classmethod
    def unpack(cls, codec: ValueCodec, row: Row, content: bytes | None) -> Self:  # noqa: ARG003
        """Undo `pack`."""
        return cls(codec.unpack_links(present(row.data)))

    def apply(self, population: Population) -> int:
        """Place the seeds; see `Population.place`."""
        return population.place(self.links)


@dataclass(frozen=True, slots=True)
class Linked(Operation):
    """The callback of a settled page yielded further links of the page."""

    tag: ClassVar[str] = "link"
    page: Fingerprint
    links: tuple[Link, ...]

    def pack(self, codec: ValueCodec, digest: bytes | None) -> Row:  # noqa: ARG002
        """Return the operation as a row."""
        return Row(self.tag, key=self.page, data=codec.pack_links(self.links))

    @classmethod
    def unpack(cls, codec: ValueCodec, row: Row, content: bytes | None) -> Self:  # noqa: ARG003
        """Undo `pack`."""
        return cls(present(row.key), codec.unpack_links(present(row.data)))

    def apply(self, population: Population) -> None:
        """Add the links to the page; see `Population.link`."""
        population.link(self.page, self.links)
