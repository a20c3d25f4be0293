"""What a world is to the simulator: something that answers a fetch without a network."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass
from hashlib import blake2b
from typing import Protocol, TypeAlias

from evocrawl.core.model import Content, Cost, Dead, Fingerprint, Link, Refused


@dataclass(frozen=True, slots=True)
class Document:
    """What a fetch brings: a page as the reader would have read it.

    `fingerprint` is that of the address after redirects. `changed_at_s` is when the content
    became what it is, in seconds of the world's time; None when the world keeps no dates. `formats`
    names its machine-readable content (see `evocrawl.core.model.Content`).
    """

    url: str
    fingerprint: Fingerprint
    title: str
    text: str
    language: str
    links: tuple[Link, ...]
    changed_at_s: float | None = None
    formats: tuple[str, ...] = ()

    def content(self, now_s: float) -> Content:
        """Return what a crawler reads that fetches the page at the world's time `now_s`."""
        age_s = None if self.changed_at_s is None else max(now_s - self.changed_at_s, 0.0)
        return Content(self.title, self.text, self.language, self.formats, age_s)

    @property
    def version(self) -> bytes:
        """What is equal for equal contents: of the date, or else of the text."""
        told = self.text if self.changed_at_s is None else repr(self.changed_at_s)
        return blake2b(told.encode("utf-8", "replace"), digest_size=8).digest()


@dataclass(frozen=True, slots=True)
class Arrived:
    """A document, and what it cost to fetch."""

    document: Document
    cost: Cost


Follows: TypeAlias = Callable[[str], bool]
"""Says of the absolute address that a redirect leads to whether it is asked for."""


class World(Protocol):
    """A web that stands still or changes with time, and answers the same question alike."""

    name: str

    def __len__(self) -> int:
        """Return the number of pages there ever are that can be fetched."""

    def fetch(
        self, url: str, now_s: float, follows: Follows = lambda _: True
    ) -> Arrived | Dead | Refused:
        """Answer a fetch at the world's time `now_s`; an unknown URL is Dead.

        So is one whose redirect `follows` says no to, at the cost until there.
        """

    def documents(self) -> Iterable[Document]:
        """Return every page there is at the beginning, for searches and judges."""

    def search(self, query: str, k: int) -> list[str]:
        """Return the URLs of the at most `k` pages that a search engine ranks first."""

    def topics(self) -> Collection[str]:
        """Return the topics that pages are labelled with; dots separate levels."""

    def about(self, topic: str) -> Collection[Fingerprint]:
        """Return the pages of a topic and of those below it; raises KeyError for none."""
