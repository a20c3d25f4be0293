"""Is what was fetched still true, and how well did the fetches pay.

*Freshness* and *age* are those of Cho & Garcia-Molina 2000 (Synchronizing a database to improve
freshness): at time t a copy is fresh when its page has not changed since it was fetched, and its
age is the time since the first change it missed, 0 when fresh. Both are means over the copies.
The *efficiencies* are those of Palotai, Farkas & Lőrincz (Is selection optimal for scale-free
small worlds?, §4.2.2), who plot them in windows of three hours.

`copies` maps a page to when it was last fetched, `changes` a page to its times of change,
ascending; both in seconds of the world's time. A page that is not in `changes` never changes.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from evocrawl.model import Fingerprint

WINDOW_S = 3 * 3600.0

Copies = Mapping[Fingerprint, float]
Changes = Mapping[Fingerprint, Sequence[float]]


def freshness(copies: Copies, changes: Changes, at_s: float) -> float:
    """Return the share of copies that are up to date at `at_s`, in [0, 1]; 1 without copies."""
    ages = _ages(copies, changes, at_s)
    return float(np.mean(ages == 0)) if len(ages) else 1.0


def age_s(copies: Copies, changes: Changes, at_s: float) -> float:
    """Return the mean age of the copies at `at_s`, in seconds; 0 without copies."""
    ages = _ages(copies, changes, at_s)
    return float(np.mean(ages)) if len(ages) else 0.0


def over_time(
    fetches: Iterable[tuple[float, Fingerprint]],
    changes: Changes,
    until_s: float,
    every_s: float = WINDOW_S,
) -> list[tuple[float, float, float]]:
    """Return (time, freshness, mean age) every `every_s` > 0 up to `until_s`.

    `fetches` are (time, page) in the order of time. Runtime complexity: O(copies · log changes)
    for each point.
    """
    waiting = iter(sorted(fetches))
    upcoming = next(waiting, None)
    copies: dict[Fingerprint, float] = {}
    points = []
    for at_s in np.arange(every_s, until_s + every_s / 2, every_s).tolist():
        while upcoming is not None and upcoming[0] <= at_s:
            copies[upcoming[1]] = upcoming[0]
            upcoming = next(waiting, None)
        points.append((at_s, freshness(copies, changes, at_s), age_s(copies, changes, at_s)))
    return points


def efficiency(
    good_at_s: Sequence[float],
    all_at_s: Sequence[float],
    until_s: float,
    window_s: float = WINDOW_S,
) -> NDArray[np.float64]:
    """Return the ratio of good to all events in each window of time, shape (windows,).

    Download efficiency: relevant documents to downloads. Sent efficiency: relevant documents to
    documents sent. A window without events has 0.
    """
    edges = np.arange(0.0, until_s + window_s, window_s)
    good, every = np.histogram(good_at_s, edges)[0], np.histogram(all_at_s, edges)[0]
    ratio: NDArray[np.float64] = good / np.maximum(every, 1)
    return ratio


def relative_found_url(found: int, downloaded: int) -> float:
    """Return the URLs found for each document downloaded."""
    return found / downloaded if downloaded else 0.0


def _ages(copies: Copies, changes: Changes, at_s: float) -> NDArray[np.float64]:
    ages = []
    for page, fetched_at_s in copies.items():
        times = changes.get(page, ())
        missed = bisect_right(times, fetched_at_s)
        # A change at the very time t is not yet missed: the age of a copy is 0 exactly when fresh.
        is_stale = missed < len(times) and times[missed] < at_s
        ages.append(at_s - times[missed] if is_stale else 0.0)
    return np.array(ages, dtype=np.float64)
