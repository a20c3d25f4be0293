"""Reads what a crawl has kept, while it runs or later."""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from evocrawl.model import Link
from evocrawl.particulars import Answer
from evocrawl.store import database
from evocrawl.store.journal import read_ops
from evocrawl.store.ops import Op
from evocrawl.store.packing import NoPayloads, Packer

_COUNT = "SELECT count(*) FROM pages"
_PAGES = """
SELECT url, relevance, energy, visit, agent, depth, parent, anchor, status, fetched_at, seconds,
       version, visits, duplicate_of, truncated, published_at, changed_at, packed
FROM pages JOIN contents ON contents.digest = pages.content ORDER BY visit
"""
_ANSWERS = """
SELECT url, fetched_at, status_line, headers, body
FROM bodies JOIN pages ON pages.fingerprint = bodies.fingerprint ORDER BY visit
"""


@dataclass(frozen=True, slots=True)
class StoredPage:
    """A page's record: what stands in a `PageItem`, and the number of visits to it.

    `truncated` are the caps that cut it short. `visit`, `agent`, `depth`, `parent` and `anchor`
    are those of the first visit, the rest is as of the last that found the page changed. `seconds`
    is what that visit took.
    """

    url: str
    title: str
    text: str
    language: str
    status: int
    fetched_at: str
    depth: int
    parent: str
    anchor: str
    visit: int
    agent: int
    relevance: float
    energy: float
    content_fingerprint: str
    seconds: float
    visits: int
    duplicate_of: str = ""
    truncated: tuple[str, ...] = ()
    formats: tuple[str, ...] = ()
    published_at: str = ""
    changed_at: str = ""
    links: tuple[Link, ...] = field(default=(), repr=False)


class Opened(ABC):
    """Something to be read in a with block, and closed after it."""

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    @abstractmethod
    def close(self) -> None:
        """Read no more."""


class Archive(Opened):
    """A crawl's state, opened for reading. Raises StateError where it is none or damaged."""

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)
        self._database = database.connect_to_read(self.path)
        self._packer = Packer(LeftOut())

    def close(self) -> None:
        """Let the file go."""
        database.close(self._database)

    def about(self) -> dict[str, Any]:
        """Return what the crawl is: its options, spider and version."""
        return {name: json.loads(value) for name, value in self._rows("SELECT * FROM about")}

    def __len__(self) -> int:
        return int(next(self._rows(_COUNT))[0])

    def pages(self) -> Iterator[StoredPage]:
        """Read every page once, in the order of their first visits."""
        for row in self._rows(_PAGES):
            url, relevance, energy, visit, agent, depth, parent, anchor = row[:8]
            status, fetched_at, seconds, version, visits = row[8:13]
            duplicate_of, truncated, published_at, changed_at, packed = row[13:]
            said, links = self._packer.unpack_content(packed)
            yield StoredPage(
                url, said.title, said.text, said.language, status, fetched_at, depth, parent,
                anchor, visit, agent, relevance, energy, version.hex(), seconds, visits,
                duplicate_of, tuple(truncated.split()), said.formats, published_at, changed_at,
                links,
            )  # fmt: skip

    def answers(self) -> Iterator[tuple[str, str, Answer]]:
        """Read address, date and HTTP answer of each page whose answer was kept."""
        for url, fetched_at, status_line, headers, body in self._rows(_ANSWERS):
            pairs = tuple((name, value) for name, value in json.loads(headers))
            yield url, fetched_at, Answer(status_line, pairs, body)

    def ops(self) -> Iterator[Op]:
        """Read the journal in order; what links carried is left out."""
        with database.explained(self.path):
            yield from read_ops(self._database, self._packer)

    def _rows(self, query: str) -> Iterator[Any]:
        with database.explained(self.path):
            yield from self._database.execute(query)


class LeftOut(NoPayloads):
    """Payloads are a running crawl's business."""

    def unpack(self, packed: Any) -> Any:  # noqa: ARG002 - the interface's form
        """Leave it out."""
        return None
