"""Defines an experiment and its findings: claims with figures, plots and rows."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

import numpy as np

from evocrawl.simulation.evaluation.measures import Row
from evocrawl.simulation.worlds.answers import AnsweringWorld

Progress: TypeAlias = Callable[[str], None]
"""Gets a short description of each finished step."""


@dataclass(frozen=True, slots=True)
class Setup:
    """Parameters of an experiment.

    The scale is that of the paper unless `small` is set, for tests and a first look. The experiment
    runs once for each of the `seeds`. `world` is the web of experiments on text; the other
    experiments generate a web.
    """

    seeds: Sequence[int] = (1, 2, 3, 4, 5)
    small: bool = False
    world: AnsweringWorld | None = None
    query: str = ""
    topic: str = ""
    progress: Progress = field(default=lambda _: None)


@dataclass(frozen=True, slots=True)
class Claim:
    """A claim of a paper: its figure, our figure with the spread over the seeds, and the verdict.

    If the claim does not hold, `note` describes what was tried and a possible reason.
    """

    what: str
    paper: str
    ours: str
    holds: bool
    note: str = ""


@dataclass(frozen=True, slots=True)
class Plot:
    """Lines of (x, y) points by name; the lines of several seeds are averaged."""

    name: str
    title: str
    x: str
    y: str
    lines: Mapping[str, Sequence[tuple[float, float]]]


@dataclass(frozen=True, slots=True)
class Findings:
    """Results of an experiment: claims, plots, and one row of numbers for each run."""

    claims: Sequence[Claim]
    plots: Sequence[Plot] = ()
    rows: Sequence[Row] = ()
    notes: str = ""


@dataclass(frozen=True, slots=True)
class Experiment:
    """A published experiment; `paper` is the citation, `title` describes it in one line.

    With `needs_text` it runs on the world of the setup, else on a world that it generates.
    """

    name: str
    paper: str
    title: str
    run: Callable[[Setup], Findings]
    needs_text: bool = False


def mean_and_spread(values: Sequence[float], digits: int = 3) -> str:
    """Return the mean with the least and the greatest value as text for a table.

    >>> mean_and_spread([1.0, 2.0, 6.0], 1)
    '3.0 (1.0 to 6.0, n = 3)'
    """
    mean, least, most = (
        f"{value:.{digits}f}" for value in (sum(values) / len(values), min(values), max(values))
    )
    return f"{mean} ({least} to {most}, n = {len(values)})"


_POINTS = 200


def average(
    curves: Sequence[Sequence[tuple[float, float]]], points: int = _POINTS
) -> list[tuple[float, float]]:
    """Return the mean of step curves with rising x, at up to `points` values of x.

    A curve has its last value after its end, and its first value before its start. Empty curves
    are ignored.

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
