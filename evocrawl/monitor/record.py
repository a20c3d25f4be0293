"""The data of a crawl that views show: agents, hosts, results, curve, failures, held-back links."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import Counter, deque
from dataclasses import dataclass, field

from evocrawl.core.model import AgentId, VisitId
from evocrawl.estimation.outlook import Outlook
from evocrawl.monitor.curve import Curve, Point
from evocrawl.monitor.results import Results

_HISTORY = 60


@dataclass(slots=True)
class Happening:
    """One entry of an agent's history; `visit` is 0 if it belongs to no visit."""

    requests: int
    what: str
    visit: int = 0
    energy: float = 0.0


@dataclass(slots=True)
class AgentRecord:
    """The life of an agent. `born_at` and `died_at` are numbers of requests; None: it is alive.

    `history` keeps the latest `_HISTORY` entries.
    """

    id: AgentId
    parent: AgentId | None
    species: str
    born_at: int
    energy: float
    died_at: int | None = None
    visits: int = 0
    pages: int = 0
    relevant: int = 0
    gained: float = 0.0
    paid: float = 0.0
    best: int = 0
    best_relevance: float = -1.0
    children: list[AgentId] = field(default_factory=list)
    history: deque[Happening] = field(default_factory=lambda: deque(maxlen=_HISTORY))


@dataclass(slots=True)
class HostRecord:
    """What the visits to a host brought; `seconds` is the sum over its fetches.

    `delay_s` is the delay after the latest request, before the next may be sent.
    """

    host: str
    visits: int = 0
    pages: int = 0
    relevant: int = 0
    dead: int = 0
    refused: int = 0
    dropped: int = 0
    seconds: float = 0.0
    body_bytes: int = 0
    delay_s: float = 0.0
    trouble: str = ""


@dataclass(frozen=True, slots=True)
class Mark:
    """A user's mark of a page, with the number of requests and relevant pages before it."""

    visit: VisitId
    relevant: bool
    requests: int
    relevant_pages: int


class Record(ABC):
    """The parts of a crawl that views read.

    `failures` counts visits without a page by their reason, `fees` sums the energy paid by reason,
    and `held_back` counts links that are held back by reason.
    """

    def __init__(self) -> None:
        self.agents: dict[AgentId, AgentRecord] = {}
        self.hosts: dict[str, HostRecord] = {}
        self.results = Results()
        self.curve = Curve()
        self.failures: Counter[str] = Counter()
        self.fees: dict[str, float] = {}
        self.held_back: Counter[str] = Counter()

    @property
    def outlook(self) -> Outlook | None:
        """What is left of the crawl; None if not known."""
        return None

    @abstractmethod
    def point(self) -> Point:
        """Return where the crawl is now."""
