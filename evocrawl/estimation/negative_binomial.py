"""Quantiles of the negative binomial distribution: a Poisson count whose rate is Gamma distributed.

Its mean is m and its variance m + m²/k, k being the shape of the Gamma distribution.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from statistics import NormalDist

import numpy as np
import numpy.typing as npt

_MORE, _DEVIATIONS, _MOST = 32, 3, 100_000
"""Bounds of the counts whose probabilities are summed first: standard deviations above the mean, a
number that is added, and the greatest number of counts."""
_EXACT = 2000.0
"""Mean up to which probabilities are summed; above it the rate replaces the count."""


def quantiles(mean: float, shape: float, levels: Sequence[float]) -> list[int]:
    """Return the smallest counts whose distribution functions reach the `levels`, in rising order.

    `mean` ≥ 0, `shape` > 0, `levels` in (0, 1). Runtime complexity: O(mean).

    >>> quantiles(10.0, 1e9, (0.05, 0.5, 0.95)), quantiles(10.0, 2.0, (0.05, 0.5, 0.95))
    ([5, 10, 15], [1, 8, 25])
    >>> quantiles(0.0, 2.0, (0.05, 0.95))
    [0, 0]
    """
    if mean <= 0:
        return [0 for _ in levels]
    if mean > _EXACT:
        return [round(mean * _gamma_quantile(shape, level)) for level in levels]
    deviation = math.sqrt(mean + mean * mean / shape)
    totals = _distribution(mean, shape, _MORE + int(mean + _DEVIATIONS * deviation))
    while totals[-1] < levels[-1] and len(totals) < _MOST:
        totals = _distribution(mean, shape, 4 * len(totals))
    found: list[int] = np.searchsorted(totals, levels).tolist()
    return found


def _distribution(mean: float, shape: float, size: int) -> npt.NDArray[np.float64]:
    """Return the distribution function at 0, 1, …, `size` − 1; by logarithms, against underflow."""
    ratio = mean / (mean + shape)
    counts = np.arange(size - 1)
    factors = np.log(ratio * (shape + counts) / (counts + 1))
    logarithms = np.concatenate(([shape * math.log1p(-ratio)], factors)).cumsum()
    totals: npt.NDArray[np.float64] = np.exp(logarithms).cumsum()
    return totals


def _gamma_quantile(shape: float, level: float) -> float:
    """Return a quantile of a Gamma distribution with mean 1 (Wilson and Hilferty 1931)."""
    z = NormalDist().inv_cdf(level)
    return float(max(1 - 1 / (9 * shape) + z / (3 * math.sqrt(shape)), 0.0) ** 3)
