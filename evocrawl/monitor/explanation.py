"""The data of an explanation: why a page was fetched, or why a link was not followed."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import Any, Literal

Status = Literal[
    "fetched", "dead", "refused", "dropped", "under way", "waiting", "held back", "unknown"
]


NO_ROBOTS = "robots.txt cannot be fetched"


@dataclass(frozen=True, slots=True)
class PathStep:
    """A page on the way from a seed: `anchor` is the text of the link that led to it."""

    url: str
    title: str
    anchor: str
    relevance: float
    agent: int
    visit: int


@dataclass(frozen=True, slots=True)
class LinkShown:
    """A link to the address: the page with it, its anchor and the text around."""

    source: str
    anchor: str
    context: str


@dataclass(frozen=True, slots=True)
class AgentShown:
    """The agent of the visit. `ancestors` begins with its parent and ends with the founder."""

    id: int
    species: str
    visits_before: int
    energy_before: float
    energy_after: float
    gained: float
    paid: dict[str, float]
    ancestors: list[int]


@dataclass(frozen=True, slots=True)
class TermShown:
    """A term of the score; `average` is its value for links followed lately, None if unknown."""

    name: str
    value: float
    weight: float
    contribution: float
    average: float | None


@dataclass(frozen=True, slots=True)
class ReasonShown:
    """The reason of the choice; see `evocrawl.species.reasons.Reason`."""

    rule: str
    score: float
    chance: float | None
    drawn: float | None
    in_sight: int | None
    terms: list[TermShown]


@dataclass(frozen=True, slots=True)
class FoundShown:
    """What the visit found. `relevant_at` is the least relevance of a relevant page."""

    outcome: str
    reason: str
    url: str
    title: str
    relevance: float | None
    relevant_at: float
    page_energy: float | None
    seconds: float


@dataclass(frozen=True, slots=True)
class PlaceShown:
    """The place of a link that waits."""

    rank: int
    waiting: int
    score: float
    among: str


@dataclass(slots=True)
class Explanation:
    """Why the crawl followed a link to `url`, or why it did not.

    `relevant_at` is the least relevance of a relevant page, `missing` are sentences on what a
    waiting link lacks, `notes` on what cannot be explained.
    """

    url: str
    status: Status
    relevant_at: float
    path: list[PathStep] = field(default_factory=list)
    link: LinkShown | None = None
    agent: AgentShown | None = None
    reason: ReasonShown | None = None
    found: FoundShown | None = None
    place: PlaceShown | None = None
    missing: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    def as_json(self) -> dict[str, Any]:
        """Return the explanation as JSON values."""
        return asdict(self)
