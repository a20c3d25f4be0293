"""The outlook of a crawl: recall, and relevant pages of the next requests."""

from __future__ import annotations

from dataclasses import dataclass

HORIZON = 1000
"""Number of further requests that the outlook is for."""


@dataclass(frozen=True, slots=True)
class Interval:
    """An estimate with its 90 % interval from `low` to `high`."""

    low: float
    middle: float
    high: float


@dataclass(frozen=True, slots=True)
class Outlook:
    """What is left after `requests` requests that brought `relevant` relevant pages.

    `gain` are the relevant pages that the next 1 000 requests would bring, `remaining` those within
    reach that are not found, and `recall` the share that is found, in [0, 1]. The crawl's own
    relevance model decides which pages are relevant.
    """

    requests: int
    relevant: int
    gain: Interval
    remaining: Interval
    recall: Interval

    @property
    def yields(self) -> float:
        """Expected relevant pages for each of the next 1 000 requests, in [0, 1]."""
        return self.gain.middle / HORIZON


def numbers(outlook: Outlook) -> dict[str, float]:
    """Return the estimates by the names that stats, API and reports use."""
    return {
        "gain": outlook.gain.middle,
        "gain_low": outlook.gain.low,
        "gain_high": outlook.gain.high,
        "recall": outlook.recall.middle,
        "recall_low": outlook.recall.low,
        "recall_high": outlook.recall.high,
    }


def recall_of(found: int, remaining: Interval) -> Interval:
    """Return the recall of `found` pages; 0 if nothing is found."""
    low, middle, high = (
        found / (found + left) if found else 0.0
        for left in (remaining.high, remaining.middle, remaining.low)
    )  # fmt: skip
    return Interval(low, middle, high)
