"""Curves of many runs: the mean of each species, as numbers to plot."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from evocrawl.simulation.evaluation.measures import Row, hits_within
from evocrawl.simulation.evaluation.results import label_of

_POINTS = 200


@dataclass(frozen=True, slots=True)
class Curve:
    """Mean of a species over its runs, with the quartiles of the runs.

    `name` is the name of the species, with that of the start if there are several starts. `x` is a
    share of the budget if budgets differ; all arrays have the shape (points,).
    """

    name: str
    x: NDArray[np.float64]
    mean: NDArray[np.float64]
    low: NDArray[np.float64]
    high: NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Chart:
    """Curves of one measure."""

    name: str
    title: str
    x_label: str
    y_label: str
    curves: tuple[Curve, ...]


_Value = Callable[[Row, NDArray[np.int64]], NDArray[np.float64] | None]


def charts(rows: Sequence[Row]) -> list[Chart]:
    """Return the charts for which `rows` have data; rows without curves are ignored."""
    drawn = [row for row in rows if row.get("budget") and isinstance(row.get("hits"), list)]
    kinds: list[tuple[str, str, str, _Value]] = [
        ("recall", "Recall", "share of the topic's pages found", _recall),
        ("harvest_rate", "Harvest rate", "relevant pages for each request", _harvest_rate),
        ("precision", "Precision over pages", "share of relevant among the pages", _precision),
        ("population", "Population", "agents alive", _life(1)),
        ("energy", "Energy", "energy of all agents", _life(2)),
        ("births", "Births", "agents born so far", _life(3)),
        ("generation", "Genealogy", "mean generation of the agents alive", _life(4)),
    ]
    found = []
    for name, title, y_label, value in kinds:
        curves, is_share = _curves(drawn, value)
        if curves:
            unit = "pages fetched" if name == "precision" else "requests"
            x_label = f"{unit}, as share of the budget" if is_share else unit
            found.append(Chart(name, title, x_label, y_label, curves))
    return found


def _curves(rows: Sequence[Row], value: _Value) -> tuple[tuple[Curve, ...], bool]:
    """Return the curves, and True if their x is a share of the budget."""
    budgets = {row["budget"] for row in rows}
    is_share = len(budgets) > 1
    shares = np.linspace(0, 1, min(_POINTS, min(budgets, default=1)) + 1)[1:]
    curves = []
    for name, own in named(rows).items():
        values = []
        for row in own:
            at = np.maximum(np.rint(shares * row["budget"]), 1).astype(np.int64)
            if (found := value(row, at)) is not None:
                values.append(found)
        if values:
            low, high = np.nanquantile(values, [0.25, 0.75], axis=0)
            x = shares if is_share else shares * next(iter(budgets))
            curves.append(Curve(name, x, np.mean(values, axis=0), low, high))
    return tuple(curves), is_share


def named(rows: Sequence[Row]) -> dict[str, list[Row]]:
    """Return the rows of each curve, sorted by name, since runs end in any order."""
    starts = {row.get("start") for row in rows}
    named: dict[str, list[Row]] = {}
    for row in rows:
        label = label_of(row)
        name = f"{label}, {row.get('start')}" if len(starts) > 1 else label
        named.setdefault(name, []).append(row)
    return dict(sorted(named.items()))


def _hits(row: Row, at: NDArray[np.int64]) -> NDArray[np.float64]:
    return hits_within(row["hits"], int(row["budget"]))[at - 1].astype(np.float64)


def _recall(row: Row, at: NDArray[np.int64]) -> NDArray[np.float64] | None:
    pages = row.get("topic_pages")
    return _hits(row, at) / pages if pages else None


def _harvest_rate(row: Row, at: NDArray[np.int64]) -> NDArray[np.float64]:
    # A run that ended early made no more requests, so its rate stays the same.
    return _hits(row, at) / np.minimum(at, max(row["requests"], 1))


def _precision(row: Row, at: NDArray[np.int64]) -> NDArray[np.float64]:
    pages = max(int(row["pages"]), 1)
    hits = np.searchsorted(row["hit_pages"], at, side="right")
    share: NDArray[np.float64] = hits / np.minimum(at, pages)
    return share


def _life(column: int) -> _Value:
    def value(row: Row, at: NDArray[np.int64]) -> NDArray[np.float64] | None:
        points = np.array(row.get("life") or (), dtype=np.float64)
        if not len(points):
            return None
        return np.interp(at, points[:, 0], points[:, column])

    return value
