"""Measures of a crawl, from the requests that fetched relevant pages.

`hits` are the numbers, from 1, of the requests that fetched a relevant page for the first time,
in any order; `relevant` is |T|, the number of relevant pages in the world; `budget` is B. A run
that ended early keeps its hits. Functions of b take 1 ≤ b.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

from evocrawl.core.model import Fingerprint
from evocrawl.core.urls.identity import host_of

Row: TypeAlias = dict[str, Any]
"""Measures of one run by name: a row of the table of results."""

_Place = TypeVar("_Place", int, float)

CHECKPOINTS = (0.5, 1, 2, 5)
"""Multiples of |T| at which harvest rate and recall are reported."""


def hits_of(
    fetched: Iterable[tuple[_Place, Fingerprint]], relevant: Collection[Fingerprint]
) -> list[_Place]:
    """Return the places that first fetched a page of `relevant`, from (place, page) pairs.

    A place is the number of a request, or a time in seconds.
    """
    first: dict[Fingerprint, _Place] = {}
    for place, page in fetched:
        if page in relevant:
            first[page] = min(place, first.get(page, place))
    return sorted(first.values())


def hits_within(hits: Sequence[int], budget: int) -> NDArray[np.int64]:
    """Return hits(b) for b = 1 … `budget`, of shape (budget,).

    >>> hits_within([1, 3], 4).tolist()
    [1, 1, 2, 2]
    """
    return np.searchsorted(np.sort(hits), np.arange(1, budget + 1), side="right").astype(np.int64)


def hits_at(hits: Iterable[int], b: int) -> int:
    """Return hits(b): distinct relevant pages among the first `b` requests."""
    return sum(request <= b for request in hits)


def harvest_rate(hits: Iterable[int], b: int) -> float:
    """Return hits(b)/b, in [0, 1]."""
    return hits_at(hits, b) / b if b else 0.0


def recall(hits: Iterable[int], b: int, relevant: int) -> float:
    """Return hits(b)/|T|, in [0, 1]; 0 if nothing is relevant."""
    return hits_at(hits, b) / relevant if relevant else 0.0


def recall_auc(hits: Sequence[int], budget: int, relevant: int) -> float:
    """Return (1/B) Σ_{b=1..B} hits(b)/min(b, |T|), in [0, 1]; 1 if all hits come first.

    >>> recall_auc([1, 2], budget=4, relevant=2), recall_auc([2], budget=2, relevant=1)
    (1.0, 0.5)
    """
    if not budget or not relevant:
        return 0.0
    most = np.minimum(np.arange(1, budget + 1), relevant)
    return float(np.mean(hits_within(hits, budget) / most))


def checkpoints(relevant: int) -> dict[str, int]:
    """Return the requests b at which a topic of |T| pages is measured, by name.

    >>> checkpoints(10)
    {'T/2': 5, 'T': 10, '2T': 20, '5T': 50}
    """
    names = ("T/2", "T", "2T", "5T")
    return {
        name: max(round(times * relevant), 1)
        for name, times in zip(names, CHECKPOINTS, strict=True)
    }


def precision_over_pages(flags: Sequence[bool]) -> NDArray[np.float64]:
    """Return, for each page fetched so far, the share of them that are relevant; shape (pages,).

    The precision that Mouton & Marteau 2008 plot (figures 4 and 6).
    """
    return np.cumsum(flags) / np.arange(1, len(flags) + 1)


def requests_to(hits: Sequence[int], k: int) -> int | None:
    """Return the requests until the first `k` ≥ 1 relevant pages; None if the run found fewer."""
    return sorted(hits)[k - 1] if len(hits) >= k else None


def relevant_hosts(urls: Iterable[str]) -> int:
    """Return the number of different hosts among the `urls` of relevant pages."""
    return len({host_of(url) for url in urls})


def distinct_pages(fetched: Iterable[Fingerprint], groups: Mapping[Fingerprint, int]) -> int:
    """Return the number of fetched pages, where the pages of one group count once.

    `groups` contains the pages that count (see `evocrawl.simulation.evaluation.duplicates`).
    """
    return len({groups[page] for page in fetched if page in groups})


def s_throughput(energy_gained: float, connections: int) -> float:
    """Return the energy gained per HTTP connection (Batzios et al. 2008)."""
    return energy_gained / connections if connections else 0.0
