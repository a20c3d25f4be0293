"""Curves of several runs, averaged."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

_POINTS = 200


def average(
    curves: Sequence[Sequence[tuple[float, float]]], points: int = _POINTS
) -> list[tuple[float, float]]:
    """Return the mean of step curves of rising x, at up to `points` values of x.

    A curve that has ended holds its last value; before its first point, its first. An empty
    curve is left out.

    >>> average([[(1, 2.0), (3, 4.0)], [(1, 0.0)]], points=2)
    [(1.0, 1.0), (3.0, 2.0)]
    """
    kept = [np.asarray(curve, dtype=float) for curve in curves if curve]
    if not kept:
        return []
    first, last = min(each[0, 0] for each in kept), max(each[-1, 0] for each in kept)
    xs = np.unique(np.linspace(first, last, points))
    rows = []
    for each in kept:
        places = np.clip(np.searchsorted(each[:, 0], xs, side="right") - 1, 0, None)
        rows.append(each[places, 1])
    means = np.mean(rows, axis=0)
    return list(zip(xs.tolist(), means.tolist(), strict=True))
