"""Confidence intervals of differences between species: paired bootstrap over topics, then seeds.

Both species ran the same topics, starts and seeds, so the difference is computed within each pair.
A replicate draws as many topics as there are, with replacement, and within each drawn topic as many
seeds as it has, with replacement; its value is the mean of the drawn differences. The interval
contains the middle 95 % of the replicates (Efron & Tibshirani 1993, §13; for the two stages Davison
& Hinkley 1997, §3.8, hierarchical data). With one topic the interval covers only the seeds of that
topic; with few topics it is too narrow.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

REPLICATES = 4000
TIE = 0.0005
"""Topics with a smaller mean difference count as ties: three digits do not show it."""


@dataclass(frozen=True, slots=True)
class Interval:
    """A mean, and the bounds that contain `share` of the bootstrap replicates."""

    mean: float
    low: float
    high: float

    def __str__(self) -> str:
        return f"{self.mean:.3f} [{self.low:.3f}, {self.high:.3f}]"


@dataclass(frozen=True, slots=True)
class Difference:
    """Difference between two species; wins, ties and losses count topics."""

    interval: Interval
    wins: int
    ties: int
    losses: int
    pairs: int

    @property
    def is_better(self) -> bool:
        """True when the interval is above zero."""
        return self.interval.low > 0


Values = Mapping[str, Mapping[int, Sequence[float]]]
"""Maps topic and seed to the values of the runs, one for each start."""


def interval(values: Values, rng: Generator, *, share: float = 0.95) -> Interval:
    """Return the mean of `values` and its bootstrap interval; `rng` draws the replicates.

    Raises ValueError when there are no values. Runtime complexity: O(replicates · values).
    """
    topics = [_by_seed(seeds) for seeds in values.values() if seeds]
    if not topics:
        raise ValueError("no runs to take a mean of")
    means = _replicates(topics, rng)
    low, high = np.quantile(means, [(1 - share) / 2, (1 + share) / 2])
    everything = [value for seeds in values.values() for runs in seeds.values() for value in runs]
    return Interval(float(np.mean(everything)), float(low), float(high))


def difference(ours: Values, theirs: Values, rng: Generator) -> Difference:
    """Return `ours` minus `theirs` over the topics, seeds and starts that both have.

    Raises ValueError if they have none in common.
    """
    paired = _paired(ours, theirs)
    by_topic = [_mean(value for runs in seeds.values() for value in runs)
                for seeds in paired.values()]  # fmt: skip
    wins = sum(each > TIE for each in by_topic)
    losses = sum(each < -TIE for each in by_topic)
    pairs = sum(len(runs) for seeds in paired.values() for runs in seeds.values())
    ties = len(by_topic) - wins - losses
    return Difference(interval(paired, rng), wins, ties, losses, pairs)


def _paired(ours: Values, theirs: Values) -> dict[str, dict[int, list[float]]]:
    paired: dict[str, dict[int, list[float]]] = {}
    for topic in ours.keys() & theirs.keys():
        for seed in ours[topic].keys() & theirs[topic].keys():
            both = zip(ours[topic][seed], theirs[topic][seed], strict=True)
            paired.setdefault(topic, {})[seed] = [mine - other for mine, other in both]
    # The order of a set differs between processes; the draws must not.
    return {topic: dict(sorted(paired[topic].items())) for topic in sorted(paired)}


def _by_seed(seeds: Mapping[int, Sequence[float]]) -> NDArray[np.float64]:
    """Return sums and counts of the runs of each seed; shape (seeds, 2)."""
    return np.array([(sum(runs), len(runs)) for runs in seeds.values()], dtype=np.float64)


def _replicates(topics: list[NDArray[np.float64]], rng: Generator) -> NDArray[np.float64]:
    """Return the means of the replicates, shape (REPLICATES,)."""
    totals = np.zeros((REPLICATES, 2))
    for _ in topics:
        drawn = rng.integers(len(topics), size=REPLICATES)
        for number, seeds in enumerate(topics):
            here = np.flatnonzero(drawn == number)
            picks = rng.integers(len(seeds), size=(len(here), len(seeds)))
            totals[here] += seeds[picks].sum(axis=1)
    means: NDArray[np.float64] = totals[:, 0] / totals[:, 1]
    return means


def _mean(values: Iterable[float]) -> float:
    return float(np.mean(list(values)))
