"""What an experiment is, and what it brings: claims held against figures, plots, rows."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from evocrawl.evaluation.results import Row
from evocrawl.simulation.answers import AnsweringWorld

Progress: TypeAlias = Callable[[str], None]
"""Is told, in a few words, what has been done."""


@dataclass(frozen=True, slots=True)
class Setup:
    """How an experiment is run.

    At the paper's scale unless `small`, which is for tests and a first look. Once for each of the
    `seeds`. `world` is the web for experiments on text; those on made-up webs make their own.
    """

    seeds: Sequence[int] = (1, 2, 3, 4, 5)
    small: bool = False
    world: AnsweringWorld | None = None
    query: str = ""
    topic: str = ""
    told: Progress = field(default=lambda _: None)


@dataclass(frozen=True, slots=True)
class Claim:
    """A claim of a paper, its figure, ours with the spread over the seeds, and whether it holds.

    `note` says what was tried, and why it may differ, where it does not hold.
    """

    what: str
    paper: str
    ours: str
    holds: bool
    note: str = ""


@dataclass(frozen=True, slots=True)
class Plot:
    """Lines of (x, y) points by name; several lines of a name's seeds are averaged before."""

    name: str
    title: str
    x: str
    y: str
    lines: Mapping[str, Sequence[tuple[float, float]]]


@dataclass(frozen=True, slots=True)
class Findings:
    """What came out: claims, plots, and one row a run with every number behind them."""

    claims: Sequence[Claim]
    plots: Sequence[Plot] = ()
    rows: Sequence[Row] = ()
    notes: str = ""


@dataclass(frozen=True, slots=True)
class Experiment:
    """A published experiment: `paper` cites it, `title` says what it shows in one line.

    `needs_text`: runs on the world given, else on one it makes.
    """

    name: str
    paper: str
    title: str
    run: Callable[[Setup], Findings]
    needs_text: bool = False


def mean_and_spread(values: Sequence[float], digits: int = 3) -> str:
    """Return the mean with the least and greatest value, for a table.

    >>> mean_and_spread([1.0, 2.0, 6.0], 1)
    '3.0 (1.0 to 6.0, n = 3)'
    """
    mean, least, most = (
        f"{value:.{digits}f}" for value in (sum(values) / len(values), min(values), max(values))
    )
    return f"{mean} ({least} to {most}, n = {len(values)})"
