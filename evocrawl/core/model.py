"""What moves through a crawl: links, pages, visits, costs and outcomes.

Everything here is frozen and knows neither Scrapy nor the simulator. Times are seconds, sizes
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
    """An anchor on a fetched page, or a seed (then all text is empty).

    `anchor` is the visible text of the anchor (or its alt, title or aria-label), `context` the
    text of the aggregation node around it (Pant & Srinivasan 2006). `position` counts the links
    of the page in document order from 0, `tag_path` names the elements above the anchor, such as
    ``"html/body/div/ul/li"``. `slot` is what delay and concurrency go by where it is not the host.
    `payload` belongs to whoever made the link and is only carried.
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


@dataclass(frozen=True, slots=True)
class Cost:
    """What a fetch took: `seconds` in all, `headers_s` until the headers, bytes, HTTP requests."""

    seconds: float = 0.0
    headers_s: float = 0.0
    body_bytes: int = 0
    requests: int = 1


@dataclass(frozen=True, slots=True)
class Content:
    """What a page says: what relevance models judge, and what species may read.

    `language` is a code such as "en", "" when unknown. `formats` names the machine-readable
    content found, such as ``"json-ld"``, in alphabetical order. `age_s` is for how long the
    content has been what it is, None when nothing tells.
    """

    title: str = ""
    text: str = ""
    language: str = ""
    formats: tuple[str, ...] = ()
    age_s: float | None = None


@dataclass(frozen=True, slots=True)
class Page:
    """A fetched page as the population sees it.

    `fingerprint` is that of the address the page really has (after redirects), `relevance` the
    relevance model's score and `energy` what the energy model lays on the page. `links` are
    those that may be followed. `version` is equal for visits that met the same content.
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
    """A link that nobody has followed yet: where it leads, where it was found, what it seems worth.

    What was needed of the link's words is in `score`, the worth that the species' choice gave it
    when it was found; they are not kept, since leads are what memory is full of. `source` is the
    page it stands on, `depth` the number of links from a seed to its target. `features` is what a
    choice that appraises wants to meet again: a few numbers or strings, None by default.
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
    """Agent `agent` follows `lead`; settled exactly once."""

    id: VisitId
    agent: AgentId
    lead: Lead
    started_at_s: float


@dataclass(frozen=True, slots=True)
class Fetched:
    """The page came back and was scored."""

    page: Page
    cost: Cost


@dataclass(frozen=True, slots=True)
class Dead:
    """The link led nowhere: an error, a status of 400 or more, a time-out, no HTML."""

    reason: str
    cost: Cost


@dataclass(frozen=True, slots=True)
class Refused:
    """robots.txt forbids the link."""

    cost: Cost


@dataclass(frozen=True, slots=True)
class Dropped:
    """Nobody tried: a middleware, a filter or the end of the crawl took the request away."""

    reason: str


Outcome: TypeAlias = Fetched | Dead | Refused | Dropped
