"""Sums a crawl up in a few numbers and pages, from events and in bounded memory."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable
from dataclasses import dataclass
from heapq import heappush, heappushpop, nlargest

from evocrawl.core.budget import Budget
from evocrawl.core.events import Event, VisitSettled
from evocrawl.core.fetch import ADDRESS, GIVEN_UP, KNOWN, OVER_BUDGET
from evocrawl.core.ledger import Ledger
from evocrawl.core.model import Dead, Fetched, Outcome, Refused, Visit
from evocrawl.core.urls.identity import host_of
from evocrawl.estimation.forecast import Forecast
from evocrawl.estimation.outlook import Outlook

RECENT = 100
"""Requests of the recent harvest rate."""
BEST = 10
LATEST = 5
MAX_HOSTS = 10_000
_MAX_KINDS = 40

KINDS = {
    ADDRESS: "address guard",
    GIVEN_UP: "host given up",
    "CannotResolveHostError": "DNS",
    "DownloadConnectionRefusedError": "refused",
    "DownloadTimeoutError": "no answer",
    "DownloadFailedError": "connection failed",
    "ResponseDataLossError": "cut short",
}
"""The kind of failure to show for each reason of a dead link."""
_NO_FAILURES = (KNOWN, OVER_BUDGET)
"""Reasons that are no failures: the page is known, or the crawl ends."""


@dataclass(frozen=True, slots=True, order=True)
class SeenPage:
    """A page to show; a more relevant page compares as greater, then an earlier one."""

    relevance: float
    minus_visit: int
    url: str
    title: str
    anchor: str
    agent: int


@dataclass(slots=True)
class HostTally:
    """Pages of a host, and how many of them are relevant."""

    host: str
    pages: int = 0
    relevant: int = 0


class CrawlSummary:
    """The numbers of views and of the final report; `note` and `note_outcome` take O(1).

    With more than `MAX_HOSTS` hosts the half that brought least is dropped; `hosts_seen` counts
    all.
    """

    def __init__(self, ledger: Ledger, budget: Budget, forecast: Forecast | None = None) -> None:
        self.ledger = ledger
        self.budget = budget
        self._forecast = forecast
        self.failures: Counter[str] = Counter()
        self.latest: deque[SeenPage] = deque(maxlen=LATEST)
        """The latest relevant pages, the last one at the end."""
        self.hosts_seen = 0
        self._best: list[SeenPage] = []
        self._hosts: dict[str, HostTally] = {}
        self._recent: deque[tuple[int, int]] = deque()
        self._fetched: Fetched | None = None

    def attach(
        self,
        on_event: list[Callable[[Event], None]],
        on_outcome: list[Callable[[Visit, Outcome], None]],
    ) -> None:
        """Follow the events of a population from now on."""
        on_event.append(self.note)
        on_outcome.append(self.note_outcome)

    @property
    def requests(self) -> int:
        """HTTP requests sent."""
        return self.budget.spent

    @property
    def harvest(self) -> float:
        """Relevant pages for each request of the whole crawl."""
        return self.ledger.relevant_pages / self.requests if self.requests else 0.0

    @property
    def recent_harvest(self) -> float:
        """Relevant pages for each of the last 100 requests, or of all if they are fewer."""
        if self.requests <= RECENT or not self._recent:
            return self.harvest
        requests, relevant = self._recent[0]
        spent = self.requests - requests
        return (self.ledger.relevant_pages - relevant) / spent if spent > 0 else 0.0

    @property
    def outlook(self) -> Outlook | None:
        """What is left of the crawl; None if not known, for instance without any page."""
        if self._forecast is None or not self.ledger.pages:
            return None
        return self._forecast.outlook()

    def best(self, count: int = BEST) -> list[SeenPage]:
        """Return the most relevant pages, at most 10, the best first."""
        return nlargest(count, self._best)

    def hosts(self, count: int) -> list[HostTally]:
        """Return the hosts that brought most relevant pages. O(hosts)."""
        return nlargest(count, self._hosts.values(), key=_worth)

    def note_outcome(self, _: Visit, outcome: Outcome) -> None:
        """Add the outcome of a visit, before its events."""
        match outcome:
            case Fetched():
                self._fetched = outcome
            case Dead(reason=reason) if reason not in _NO_FAILURES:
                self._fail(KINDS.get(reason) or _status(reason) or reason[:40])
            case Refused(cause=cause):
                self._fail("robots.txt not fetched" if cause else "robots.txt")
            case _:
                pass

    def note(self, event: Event) -> None:
        """Add an event."""
        if not isinstance(event, VisitSettled):
            return
        fetched, self._fetched = self._fetched, None
        if event.first and event.relevance is not None and fetched is not None:
            self._page(event.visit, fetched, event.relevance)
        self._recent.append((self.requests, self.ledger.relevant_pages))
        while len(self._recent) > 1 and self._recent[1][0] <= self.requests - RECENT:
            self._recent.popleft()

    def _page(self, visit: Visit, fetched: Fetched, relevance: float) -> None:
        page = fetched.page
        seen = SeenPage(
            relevance,
            -visit.id,
            page.url[:500],
            page.content.title[:200],
            visit.lead.anchor[:100],
            visit.agent,
        )
        (heappush if len(self._best) < BEST else heappushpop)(self._best, seen)
        is_relevant = relevance >= self.ledger.relevant_at
        if is_relevant:
            self.latest.append(seen)
        host = self._host(host_of(page.url))
        host.pages += 1
        host.relevant += is_relevant

    def _host(self, name: str) -> HostTally:
        host = self._hosts.get(name)
        if host is None:
            self.hosts_seen += 1
            if len(self._hosts) >= MAX_HOSTS:
                kept = nlargest(MAX_HOSTS // 2, self._hosts.values(), key=_worth)
                self._hosts = {each.host: each for each in kept}
            host = self._hosts[name] = HostTally(name)
        return host

    def _fail(self, kind: str) -> None:
        is_known = kind in self.failures or len(self.failures) < _MAX_KINDS
        self.failures[kind if is_known else "other"] += 1


def _worth(host: HostTally) -> tuple[int, int]:
    return host.relevant, host.pages


def _status(reason: str) -> str:
    name, _, status = reason.partition(" ")
    return status if name == "status" else ""
