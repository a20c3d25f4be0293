"""What happened in a population, in order. Reports are made from these, never from live agents."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

from evocrawl.core.model import AgentId, Fingerprint, Lead, Visit


@dataclass(frozen=True, slots=True)
class Born:
    """An agent appeared; `parent` is None for founders, whose `energy` comes from nowhere."""

    agent: AgentId
    parent: AgentId | None
    energy: float
    species: str = ""


@dataclass(frozen=True, slots=True)
class Moved:
    """An agent went to a page of the page base without fetching: `why` says what led it there."""

    agent: AgentId
    page: Fingerprint
    why: Literal["energy", "dead end", "rescue", "back"]


@dataclass(frozen=True, slots=True)
class Fed:
    """An agent took the energy that lay on a page; it is negative where the page costs energy."""

    agent: AgentId
    page: Fingerprint
    energy: float


@dataclass(frozen=True, slots=True)
class Paid:
    """An agent paid a fee: `reason` says what for (see `evocrawl.core.fees.Fees`)."""

    agent: AgentId
    energy: float
    reason: Literal["visit", "dead", "latency", "refusal", "hand on"]


@dataclass(frozen=True, slots=True)
class Laid:
    """Energy was laid on a page: at its first visit, or later where pages pay again."""

    page: Fingerprint
    relevance: float
    energy: float


@dataclass(frozen=True, slots=True)
class Cloned:
    """An agent shared its energy with `children`; each of them was Born just before."""

    agent: AgentId
    children: tuple[AgentId, ...]
    energy: float


@dataclass(frozen=True, slots=True)
class Died:
    """An agent ran out of energy; `energy` (≤ 0) leaves the population with it."""

    agent: AgentId
    energy: float


@dataclass(frozen=True, slots=True)
class Left:
    """An agent went to another population of the same crawl, and took its `energy` along."""

    agent: AgentId
    energy: float


@dataclass(frozen=True, slots=True)
class Came:
    """An agent came from another population of the same crawl, with its `energy`."""

    agent: AgentId
    energy: float
    species: str = ""


@dataclass(frozen=True, slots=True)
class VisitOpened:
    """A visit was given out."""

    visit: Visit


@dataclass(frozen=True, slots=True)
class VisitSettled:
    """A visit ended. `relevance` is None unless a page came back."""

    visit: Visit
    outcome: Literal["fetched", "dead", "refused", "dropped"]
    reason: str = ""
    relevance: float | None = None
    first: bool = False


@dataclass(frozen=True, slots=True)
class DuplicateFound:
    """A page said nothing new: it earns nothing. `twin` says most of it, None where it itself does.

    `novelty` is the share of it that no page had said, in [0, 1].
    """

    page: Fingerprint
    twin: Fingerprint | None
    novelty: float


@dataclass(frozen=True, slots=True)
class HeldBack:
    """A link is not open: `reason` names the group that is held back (`population/traps`)."""

    lead: Lead
    reason: str


Event: TypeAlias = (
    Born | Moved | Fed | Paid | Laid | Cloned | Died | Left | Came | VisitOpened | VisitSettled
    | DuplicateFound | HeldBack
)  # fmt: skip
