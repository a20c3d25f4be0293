"""The interface of a world: it answers fetches without a network."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass
from hashlib import blake2b
from typing import Protocol, TypeAlias

from evocrawl.core.model import Content, Cost, Dead, Fingerprint, Link, Refused


@dataclass(frozen=True, slots=True)
class Document:
    """A fetched page, as extraction returns it.

    `fingerprint` belongs to the address after redirects. `changed_at_s` is the time of the last
    change, in seconds of the world's time; None if the world has no dates. `formats` names the
    machine-readable content (see `evocrawl.core.model.Content`).
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
        """Return the content of the page for a crawler that fetches it at the time `now_s`."""
        age_s = None if self.changed_at_s is None else max(now_s - self.changed_at_s, 0.0)
        return Content(self.title, self.text, self.language, self.formats, age_s)

    @property
    def version(self) -> bytes:
        """Hash of the content: of the date, or else of the text."""
        identified_by = self.text if self.changed_at_s is None else repr(self.changed_at_s)
        return blake2b(identified_by.encode("utf-8", "replace"), digest_size=8).digest()


@dataclass(frozen=True, slots=True)
class Arrived:
    """A document, and the cost of its fetch."""

    document: Document
    cost: Cost


Follows: TypeAlias = Callable[[str], bool]
"""Gets the absolute target of a redirect; returns whether to follow it."""


class World(Protocol):
    """A static or changing web; the same fetch at the same time has the same outcome."""

    name: str

    def __len__(self) -> int:
        """Return the number of pages that can be fetched at any time."""

    def fetch(
        self, url: str, now_s: float, follows: Follows = lambda _: True
    ) -> Arrived | Dead | Refused:
        """Fetch `url` at the world's time `now_s`; an unknown URL is Dead.

        If `follows` refuses a redirect, the outcome is Dead, with the cost up to the redirect.
        """

    def documents(self) -> Iterable[Document]:
        """Return every page at time 0, for searches and scorers."""

    def search(self, query: str, k: int) -> list[str]:
        """Return the URLs of at most `k` pages, the first results of a search."""

    def topics(self) -> Collection[str]:
        """Return the topics that label pages; dots separate levels."""

    def about(self, topic: str) -> Collection[Fingerprint]:
        """Return the pages of a topic and its subtopics; raises KeyError if unknown."""
