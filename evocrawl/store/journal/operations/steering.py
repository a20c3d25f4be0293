"""Operations that a user asks for while the crawl runs: parameters, exclusions and marks."""

from __future__ import annotations

from dataclasses import astuple, dataclass
from typing import ClassVar, Self

from evocrawl.core.model import AgentId, Content, Fingerprint
from evocrawl.population.population import Population
from evocrawl.population.steering import (
    Parameters,
    change_parameters,
    exclude,
    exclude_line,
    mark,
)
from evocrawl.store.journal.operations.row import PlainOperation, Row, from_json, present, to_json


@dataclass(frozen=True, slots=True)
class ParametersChanged(PlainOperation):
    """The parameters of the crawl were changed; `to` names all of them."""

    tag: ClassVar[str] = "change"
    to: Parameters

    def row(self) -> Row:
        """Return the operation as a row."""
        return Row(self.tag, data=to_json(astuple(self.to)))

    @classmethod
    def of(cls, row: Row) -> Self:
        """Undo `row`."""
        return cls(Parameters(*from_json(row.data)))

    def apply(self, population: Population) -> None:
        """Change the parameters; see `change_parameters`."""
        change_parameters(population, self.to)


@dataclass(frozen=True, slots=True)
class Excluded(PlainOperation):
    """A host or a pattern of addresses was excluded."""

    tag: ClassVar[str] = "exclude"
    pattern: str

    def row(self) -> Row:
        """Return the operation as a row."""
        return Row(self.tag, data=to_json(self.pattern))

    @classmethod
    def of(cls, row: Row) -> Self:
        """Undo `row`."""
        return cls(from_json(row.data))

    def apply(self, population: Population) -> None:
        """Follow no link that matches; see `exclude`."""
        exclude(population, self.pattern)


@dataclass(frozen=True, slots=True)
class LineExcluded(PlainOperation):
    """The line of an agent was excluded; `alive` are its agents that were alive."""

    tag: ClassVar[str] = "exclude line"
    agent: AgentId
    alive: tuple[AgentId, ...]

    def row(self) -> Row:
        """Return the operation as a row."""
        return Row(self.tag, data=to_json([self.agent, list(self.alive)]))

    @classmethod
    def of(cls, row: Row) -> Self:
        """Undo `row`."""
        agent, alive = from_json(row.data)
        return cls(agent, tuple(alive))

    def apply(self, population: Population) -> None:
        """End the line; see `exclude_line`."""
        exclude_line(population, self.agent, self.alive)


@dataclass(frozen=True, slots=True)
class Marked(PlainOperation):
    """A fetched page was marked as relevant or not; `title` and `text` are what was learnt from."""

    tag: ClassVar[str] = "mark"
    page: Fingerprint
    relevant: bool
    title: str
    text: str
    language: str = ""

    def row(self) -> Row:
        """Return the operation as a row."""
        data = to_json([self.relevant, self.title, self.text, self.language])
        return Row(self.tag, key=self.page, data=data)

    @classmethod
    def of(cls, row: Row) -> Self:
        """Undo `row`."""
        return cls(present(row.key), *from_json(row.data))

    def apply(self, population: Population) -> None:
        """Teach the population; see `mark`."""
        mark(population, self.page, self.content, relevant=self.relevant)

    @property
    def content(self) -> Content:
        """What the page has that is learnt from."""
        return Content(self.title, self.text, self.language)
