"""Quantiles of the negative binomial distribution: a Poisson count whose rate is Gamma distributed.

Its mean is m and its variance m + m²/k, k being the shape of the Gamma distribution.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from statistics import NormalDist

_EXACT = 2000.0
"""Mean up to which probabilities are summed; above, the count is as good as its rate."""


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
    ratio = mean / (mean + shape)
    probability = math.exp(shape * math.log1p(-ratio))
    total, count, found = probability, 0, []
    for level in levels:
        while total < level and count < 50 * _EXACT:
            probability *= ratio * (shape + count) / (count + 1)
            count += 1
            total += probability
        found.append(count)
    return found


def _gamma_quantile(shape: float, level: float) -> float:
    """Return a quantile of a Gamma distribution with mean 1 (Wilson and Hilferty 1931)."""
    z = NormalDist().inv_cdf(level)
    return float(max(1 - 1 / (9 * shape) + z / (3 * math.sqrt(shape)), 0.0) ** 3)
