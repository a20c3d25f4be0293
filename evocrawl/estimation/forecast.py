"""Estimates what a crawl will still find, from its settled visits.

The best single number is the recent yield, y = 5 / g, where the last five relevant pages took g
requests. Its window is short if much is found and long if little is (inverse sampling;
Haldane 1945). Rates over fixed windows, the age of the crawl, the number of its finds and that of
waiting links added nothing to it on the crawls of `benchmarks/estimation.py`.

Two counts are forecast: the relevant pages of the next 1 000 requests, and all that are within
reach and not found. Each is negative binomial, a Poisson count with a Gamma distributed rate, with

    mean a·y^b    and    shape c·y^d

A crawl finds less and less, so the mean is below 1 000·y. The coefficients have the greatest
likelihood on recorded crawls of several species and webs; the benchmark reports how often the 90 %
intervals hold the true value for topics that were not used.
"""

from __future__ import annotations

import math
from collections import deque
from functools import lru_cache
from typing import Protocol

from evocrawl.core.budget import Budget
from evocrawl.core.events import Event, VisitSettled
from evocrawl.estimation.coefficients import GAIN, REMAINING, Coefficients
from evocrawl.estimation.negative_binomial import quantiles
from evocrawl.estimation.outlook import HORIZON, Interval, Outlook, recall_of

FIRST = 100
"""Requests before which there is no forecast."""
RECENT = 5
"""Relevant pages of the recent yield."""
_LEVELS = (0.05, 0.5, 0.95)


class Endable(Protocol):
    """A population whose crawl may end."""

    @property
    def ended(self) -> str | None:
        """Why the crawl has ended; None if it has not."""


class Forecast:
    """Watches the visits of a population; `outlook` returns what is left. Its memory is constant.

    A page is relevant from the relevance `relevant_at` on. When `population` is exhausted, nothing
    is left to find; it is None for one of several workers, which may get links of the others.
    """

    def __init__(
        self, relevant_at: float, budget: Budget, population: Endable | None = None
    ) -> None:
        self.population = population
        self._relevant_at = relevant_at
        self._budget = budget
        self._found = 0
        self._latest: deque[int] = deque([0] * RECENT, maxlen=RECENT)
        """Requests at which the last five relevant pages were found, 0 before there were so many"""

    def note(self, event: Event) -> None:
        """Process an event. O(1)."""
        if (
            isinstance(event, VisitSettled)
            and event.first
            and event.relevance is not None
            and event.relevance >= self._relevant_at
        ):
            self._found += 1
            self._latest.append(self._budget.spent)

    @property
    def requests(self) -> int:
        """HTTP requests sent so far."""
        return self._budget.spent

    @property
    def is_known(self) -> bool:
        """False before the first 100 requests, when there is no estimate."""
        return self._budget.spent >= FIRST

    @property
    def recent_yield(self) -> float:
        """The recent yield: relevant pages for each request, in (0, 1]."""
        return RECENT / max(self._budget.spent - self._latest[0], RECENT)

    def outlook(self) -> Outlook | None:
        """Return what is left; None before the first 100 requests. O(pages left).

        If a crawl has followed all links nothing is left, even after few requests.
        """
        if self.population is not None and self.population.ended == "exhausted":
            nothing = Interval(0.0, 0.0, 0.0)
            recall = recall_of(self._found, nothing)
            return Outlook(self._budget.spent, self._found, nothing, nothing, recall)
        return self.estimate()

    def estimate(self) -> Outlook | None:
        """Return the estimate of a crawl that goes on; None before the first 100 requests."""
        if not self.is_known:
            return None
        remaining = interval(REMAINING, self.recent_yield)
        return Outlook(
            self._budget.spent,
            self._found,
            interval(GAIN, self.recent_yield, HORIZON),
            remaining,
            recall_of(self._found, remaining),
        )


@lru_cache(maxsize=2048)
def recall(found: int, recent_yield: float) -> float:
    """Return the estimated recall of `found` pages by the recent yield, in [0, 1]."""
    left = quantiles(REMAINING.mean(recent_yield), REMAINING.shape(recent_yield), (0.5,))[0]
    return found / (found + left) if found else 0.0


def interval(of: Coefficients, recent_yield: float, most: float = math.inf) -> Interval:
    """Return the estimate of a count, at most `most`, by the recent yield."""
    low, middle, high = quantiles(of.mean(recent_yield), of.shape(recent_yield), _LEVELS)
    return Interval(min(low, most), min(middle, most), min(high, most))
