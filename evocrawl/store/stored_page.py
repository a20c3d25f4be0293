"""The record of a page of a stored crawl."""

from __future__ import annotations

from dataclasses import dataclass, field

from evocrawl.core.model import Link


@dataclass(frozen=True, slots=True)
class StoredPage:
    """The stored record of a page: the fields of a `PageItem` and the number of visits.

    `truncated` names the limits that cut the page short. `visit`, `agent`, `depth`, `parent` and
    `anchor` are those of the first visit; the other fields are those of the last visit that found
    the page changed. `seconds` is the duration of that visit.
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
