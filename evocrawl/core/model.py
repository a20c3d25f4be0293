"""Data of a crawl: links, pages, visits, costs and outcomes.

The classes are frozen and depend neither on Scrapy nor on the simulator. Times are seconds, sizes
are bytes, relevances lie in [0, 1], energies are unbounded floats.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TypeAlias

Fingerprint: TypeAlias = bytes
"""Identity of a URL, the key of claims and the page base (`evocrawl.core.urls.identity`)."""

VisitId: TypeAlias = int
AgentId: TypeAlias = int


@dataclass(frozen=True, slots=True)
class Link:
    """An anchor on a fetched page, or a seed (whose texts are empty).

    `anchor` is the visible text of the anchor (or its alt, title or aria-label), `context` the
    text of the aggregation node around it (Pant & Srinivasan 2006). `position` counts the links
    of the page in document order from 0, `tag_path` names the elements above the anchor, such as
    ``"html/body/div/ul/li"``. `slot` is the key of delay and concurrency if that is not the host.
    `host` is the host of `url`, "" if the creator of the link has not read it. `payload` belongs to
    the creator of the link; the core does not read it.
    """

    url: str
    fingerprint: Fingerprint
    anchor: str = ""
    context: str = ""
    rel: tuple[str, ...] = ()
    position: int = 0
    tag_path: str = ""
    payload: object = field(default=None, compare=False, repr=False)
    slot: str = ""
    host: str = field(default="", compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Cost:
    """Cost of a fetch: total `seconds`, `headers_s` until the headers, bytes, HTTP requests.

    `browser_requests` are those that the page made in a browser, but at least 1 for a page that was
    opened there; 0 for any other.
    """

    seconds: float = 0.0
    headers_s: float = 0.0
    body_bytes: int = 0
    requests: int = 1
    browser_requests: int = 0


@dataclass(frozen=True, slots=True)
class Content:
    """Content of a page, for relevance models and species.

    `language` is a code such as "en", "" when unknown. `formats` names the machine-readable
    content found, such as ``"json-ld"``, then the types of schema.org that it has, such as
    ``"schema:Recipe"``, each in alphabetical order. `age_s` is the time since the content last
    changed, None when unknown.
    """

    title: str = ""
    text: str = ""
    language: str = ""
    formats: tuple[str, ...] = ()
    age_s: float | None = None


@dataclass(frozen=True, slots=True)
class Page:
    """A fetched page as the population sees it.

    `fingerprint` is that of the address after redirects, `relevance` the
    relevance model's score and `energy` what the energy model lays on the page. `links` are
    those that may be followed. `version` is equal for visits that fetched the same content.
    """

    url: str
    fingerprint: Fingerprint
    relevance: float
    energy: float
    links: tuple[Link, ...] = ()
    version: bytes = b""
    content: Content = Content()


@dataclass(frozen=True, slots=True)
class Lead:
    """A link that was not followed yet: its target, its source page and its estimated worth.

    `score` is the worth that the species' choice computed from the link's words when it was found;
    the words are not kept, since most memory holds leads. `source` is the page with the link,
    `depth` the number of links from a seed to its target. `features` are a few numbers or strings
    that a choice needs to appraise the link again, None by default.
    """

    url: str
    fingerprint: Fingerprint
    host: str
    source: Fingerprint
    depth: int
    score: float
    anchor: str = ""
    payload: object = field(default=None, compare=False, repr=False)
    features: object = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Visit:
    """One attempt of agent `agent` to follow `lead`; it is settled exactly once."""

    id: VisitId
    agent: AgentId
    lead: Lead
    started_at_s: float


@dataclass(frozen=True, slots=True)
class Fetched:
    """The page was fetched and scored."""

    page: Page
    cost: Cost


@dataclass(frozen=True, slots=True)
class Dead:
    """The link is dead: an error, a status of 400 or more, a time-out, no HTML."""

    reason: str
    cost: Cost


@dataclass(frozen=True, slots=True)
class Refused:
    """robots.txt disallows the link, or cannot be fetched.

    `cause` is "" where it disallows the link, else `SERVER_ERROR` or the name of the exception with
    which its fetch failed.
    """

    cost: Cost
    cause: str = ""


SERVER_ERROR = "server error"
"""The server has answered with an error where its robots.txt was asked for."""


@dataclass(frozen=True, slots=True)
class Dropped:
    """The link was not fetched: a middleware, a filter or the end of the crawl dropped it."""

    reason: str


Outcome: TypeAlias = Fetched | Dead | Refused | Dropped
