"""Events of a population, in order. Reports use only events, never live agents."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

from evocrawl.core.model import AgentId, Fingerprint, Lead, Visit


@dataclass(frozen=True, slots=True)
class Born:
    """An agent was born; `parent` is None for founders, whose `energy` has no source."""

    agent: AgentId
    parent: AgentId | None
    energy: float
    species: str = ""


@dataclass(frozen=True, slots=True)
class Moved:
    """An agent moved to a page of the page base without a fetch; `why` is the reason."""

    agent: AgentId
    page: Fingerprint
    why: Literal["energy", "dead end", "rescue", "back"]


@dataclass(frozen=True, slots=True)
class Fed:
    """An agent took the energy of a page; the energy is negative if the page costs energy."""

    agent: AgentId
    page: Fingerprint
    energy: float


@dataclass(frozen=True, slots=True)
class Paid:
    """An agent paid a fee; `reason` is the kind of fee (see `evocrawl.core.fees.Fees`)."""

    agent: AgentId
    energy: float
    reason: Literal["visit", "dead", "latency", "refusal", "hand on", "browser"]


@dataclass(frozen=True, slots=True)
class Laid:
    """Energy was laid on a page: at its first visit, or later if pages pay again."""

    page: Fingerprint
    relevance: float
    energy: float


@dataclass(frozen=True, slots=True)
class Cloned:
    """An agent shared its energy with `children`; a Born event precedes for each of them."""

    agent: AgentId
    children: tuple[AgentId, ...]
    energy: float


@dataclass(frozen=True, slots=True)
class Died:
    """An agent ran out of energy; the population loses its `energy`.

    It is 0 or less, except for an agent whose line a user has excluded.
    """

    agent: AgentId
    energy: float


@dataclass(frozen=True, slots=True)
class Left:
    """An agent left for another population of the same crawl, with its `energy`."""

    agent: AgentId
    energy: float


@dataclass(frozen=True, slots=True)
class Came:
    """An agent arrived from another population of the same crawl, with its `energy`."""

    agent: AgentId
    energy: float
    species: str = ""


@dataclass(frozen=True, slots=True)
class VisitOpened:
    """A visit was opened."""

    visit: Visit


@dataclass(frozen=True, slots=True)
class VisitSettled:
    """A visit was settled. `relevance` is None unless a page was fetched."""

    visit: Visit
    outcome: Literal["fetched", "dead", "refused", "dropped"]
    reason: str = ""
    relevance: float | None = None
    first: bool = False


@dataclass(frozen=True, slots=True)
class DuplicateFound:
    """A page has no new content, so it earns nothing.

    `twin` is the page with most of the same content, None if it is the page itself. `novelty` is
    the share of content that is on no other page, in [0, 1].
    """

    page: Fingerprint
    twin: Fingerprint | None
    novelty: float


@dataclass(frozen=True, slots=True)
class HeldBack:
    """A link is held back; `reason` is the group that is held back (`population/traps`)."""

    lead: Lead
    reason: str


Event: TypeAlias = (
    Born | Moved | Fed | Paid | Laid | Cloned | Died | Left | Came | VisitOpened | VisitSettled
    | DuplicateFound | HeldBack
)  # fmt: skip
