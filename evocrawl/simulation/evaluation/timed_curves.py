"""Curves over simulated time: news found, freshness and age."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from evocrawl.simulation.evaluation.curves import Chart, Curve, named
from evocrawl.simulation.evaluation.freshness import efficiency
from evocrawl.simulation.evaluation.measures import Row

_Point: TypeAlias = Sequence[Any]
"""Hours; documents downloaded, sent and found since the previous point; freshness; age in hours."""

_KINDS: tuple[tuple[str, str, str, Callable[[_Point], float | None]], ...] = (
    ("freshness", "Freshness", "share of the copies that are fresh", lambda point: point[4]),
    ("age", "Age", "mean age of the copies, hours", lambda point: point[5]),
    ("download_efficiency", "Download efficiency", "documents found / downloaded",
     lambda point: efficiency(point[3], point[1])),
    ("sent_efficiency", "Sent efficiency", "documents found / sent",
     lambda point: efficiency(point[3], point[2])),
)  # fmt: skip


def timed_charts(rows: Sequence[Row]) -> list[Chart]:
    """Return the charts of runs in changing worlds; rows without timed points are ignored."""
    drawn = [row for row in rows if row.get("news")]
    longest: list[_Point] = max(
        (row["news"] for row in drawn), key=lambda points: float(points[-1][0]), default=[]
    )
    hours = np.array([point[0] for point in longest], dtype=np.float64)
    found = []
    for name, title, y_label, value in _KINDS:
        curves = [
            _curve(label, hours, values)
            for label, own in named(drawn).items()
            if len(values := [v for row in own if (v := _values(row, hours, value)) is not None])
        ]
        if curves:
            found.append(Chart(name, title, "simulated hours", y_label, tuple(curves)))
    return found


def _curve(name: str, hours: NDArray[np.float64], values: Sequence[NDArray[np.float64]]) -> Curve:
    low, high = np.quantile(values, [0.25, 0.75], axis=0)
    return Curve(name, hours, np.mean(values, axis=0), low, high)


def _values(
    row: Row, hours: NDArray[np.float64], value: Callable[[_Point], float | None]
) -> NDArray[np.float64] | None:
    """Return the values of a row at `hours`, after its end the last one; None without values."""
    there = [(point[0], found) for point in row["news"] if (found := value(point)) is not None]
    if not there:
        return None
    at, values = zip(*there, strict=True)
    interpolated: NDArray[np.float64] = np.interp(hours, at, values)
    return interpolated
