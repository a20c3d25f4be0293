"""Freshness and age of the copies that a crawl keeps, and efficiency of its downloads.

The measures of Palotai, Farkas & Lőrincz (Is selection optimal for scale-free small worlds?,
tables 1 and 2), whose task is news:

- a document is a page as it was between two changes; it is *news* while it is younger than 24
  hours. An agent *sends* each news document that it meets, once (algorithm 5). The document is
  *found* if no agent sent it before. *Download efficiency* is found / downloaded, *sent efficiency*
  found / sent;
- the crawl keeps the last copy of each page of which it found news. A copy is *fresh* until the
  page changes; its *age* is 0 while it is fresh, then the time since the page last changed. Both
  are means over the copies. This is the "age" of table 1: it starts again at every change, while
  the age of Cho & Garcia-Molina 2000 counts from the first change that the crawl missed.

Times are seconds of the world's clock.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from evocrawl.core.model import AgentId, Fingerprint

NEWS_S = 24 * 3600.0
WINDOW_S = 3 * 3600.0
_MOST_WINDOWS = 100

ChangedAt: TypeAlias = Callable[[Fingerprint, float], float | None]
"""Maps an address and a time to the time of the last change; None if there is no page."""


@dataclass(frozen=True, slots=True)
class Download:
    """A download at `at_s` of a page last changed at `changed_at_s` (None: no date)."""

    at_s: float
    agent: AgentId
    page: Fingerprint
    changed_at_s: float | None

    @property
    def is_news(self) -> bool:
        """True if the document is younger than 24 hours."""
        return self.changed_at_s is not None and self.at_s - self.changed_at_s < NEWS_S


@dataclass(frozen=True, slots=True)
class Window:
    """Counts of downloaded, sent and found documents in a time window, and the copies at its end.

    `freshness` in [0, 1] and `age_s` ≥ 0 are None without copies. The copy of a page that no longer
    exists is not fresh, and has no age.
    """

    end_s: float
    downloaded: int
    sent: int
    found: int
    freshness: float | None
    age_s: float | None


def sent_and_found(downloads: Iterable[Download]) -> tuple[list[Download], list[Download]]:
    """Return the sent downloads, and the first sent download of each document, in order."""
    sent: dict[tuple[AgentId, Fingerprint, float | None], Download] = {}
    found: dict[tuple[Fingerprint, float | None], Download] = {}
    for each in downloads:
        if each.is_news:
            sent.setdefault((each.agent, each.page, each.changed_at_s), each)
            found.setdefault((each.page, each.changed_at_s), each)
    return list(sent.values()), list(found.values())


def over_time(downloads: Sequence[Download], changed_at: ChangedAt, until_s: float) -> list[Window]:
    """Return the windows up to `until_s`: at most 100, of three hours or more.

    The last window ends at `until_s`. `downloads` must be sorted by time. Calls `changed_at` once
    for each copy and window.
    """
    every_s = WINDOW_S * max(math.ceil(until_s / WINDOW_S / _MOST_WINDOWS), 1)
    ends = [min(end * every_s, until_s) for end in range(1, math.ceil(until_s / every_s) + 1)]
    sent, found = sent_and_found(downloads)
    states = _states(_kept(downloads, found), changed_at, ends)
    counts = [_counts(each, ends) for each in (downloads, sent, found)]
    return [
        Window(end_s, counts[0][number], counts[1][number], counts[2][number], share, age_s)
        for number, (end_s, (share, age_s)) in enumerate(zip(ends, states, strict=True))
    ]


def efficiency(found: int, of: int) -> float | None:
    """Return found / downloaded or found / sent, in [0, 1]; None if the divisor is 0."""
    return found / of if of else None


def mean_of(values: Iterable[float | None]) -> float | None:
    """Return the mean of the values that are not None; None if there are none."""
    there = [value for value in values if value is not None]
    return float(np.mean(there)) if there else None


def relative_found_url(found: int, downloaded: int) -> float:
    """Return the number of URLs found for each downloaded document."""
    return found / downloaded if downloaded else 0.0


def _counts(downloads: Sequence[Download], ends: Sequence[float]) -> list[int]:
    """Return the number of downloads in each of the windows that end at `ends`."""
    until = np.searchsorted([each.at_s for each in downloads], ends, side="right")
    counts: list[int] = np.diff(until, prepend=0).tolist()
    return counts


def _kept(downloads: Iterable[Download], found: Iterable[Download]) -> Iterator[Download]:
    """Return the downloads of pages of which news was found by that time."""
    since: dict[Fingerprint, float] = {}
    for each in found:
        since.setdefault(each.page, each.at_s)
    return (each for each in downloads if each.at_s >= since.get(each.page, math.inf))


def _states(
    kept: Iterator[Download], changed_at: ChangedAt, ends: Iterable[float]
) -> Iterator[tuple[float | None, float | None]]:
    """Return freshness and age of the last copies at each of `ends`."""
    copies: dict[Fingerprint, float | None] = {}
    upcoming = next(kept, None)
    for end_s in ends:
        while upcoming is not None and upcoming.at_s <= end_s:
            copies[upcoming.page] = upcoming.changed_at_s
            upcoming = next(kept, None)
        yield _state(copies, changed_at, end_s)


def _state(
    copies: dict[Fingerprint, float | None], changed_at: ChangedAt, at_s: float
) -> tuple[float | None, float | None]:
    """Return freshness and mean age of the copies."""
    fresh, ages = 0, []
    for page, copied in copies.items():
        changed = changed_at(page, at_s)
        if changed is None:
            continue
        fresh += changed == copied
        ages.append(0.0 if changed == copied else at_s - changed)
    return (fresh / len(copies) if copies else None), mean_of(ages)
