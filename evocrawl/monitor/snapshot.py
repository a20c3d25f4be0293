"""The state of a crawl at one moment, for views."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from evocrawl.core.sanitize import one_line
from evocrawl.monitor.summary import CrawlSummary
from evocrawl.monitor.words import duration

_SHOWN_WAITS = 3


@dataclass(frozen=True, slots=True)
class Wait:
    """A host that the crawl waits for; `seconds` until it is asked, None while it is asked now."""

    host: str
    seconds: float | None
    why: str = ""


@dataclass(frozen=True, slots=True)
class Snapshot:
    """The summary of a crawl with the times and bounds of this moment.

    `lower` and `upper` are the bounds of the population, None without. `seconds` is the time since
    this run began, `new_pages` and `new_requests` came since the last snapshot, `since_s` ago.
    """

    summary: CrawlSummary
    seconds: float
    since_s: float
    new_pages: int
    new_requests: int
    begun_with: int = 0
    lower: int | None = None
    upper: int | None = None
    waits: Sequence[Wait] = ()
    under_way: int = 0
    is_closing: bool = False

    @property
    def pages_per_s(self) -> float:
        """Pages per second since the last snapshot."""
        return self.new_pages / self.since_s if self.since_s > 0 else 0.0

    @property
    def left_s(self) -> float | None:
        """Seconds until the budget is used up at the mean pace of this run; None if unknown."""
        left, made = self.summary.budget.left, self.summary.requests - self.begun_with
        if left is None or made < 1 or self.seconds <= 0:
            return None
        return left * self.seconds / made

    @property
    def population(self) -> str:
        """The number of agents, with the bounds LB and UB."""
        agents = f"{self.summary.ledger.population}"
        return agents if self.upper is None else f"{agents} (LB {self.lower}, UB {self.upper})"

    @property
    def waiting(self) -> str:
        """The hosts that the crawl waits for, in words; "" for none."""
        shown = [
            one_line(each.host, 80)
            + ("" if each.seconds is None else f", {duration(each.seconds)}")
            + (f" ({one_line(each.why, 120)})" if each.why else "")
            for each in self.waits[:_SHOWN_WAITS]
        ]
        more = len(self.waits) - len(shown)
        return "; ".join(shown) + (f" and {more} more" if more > 0 else "")
