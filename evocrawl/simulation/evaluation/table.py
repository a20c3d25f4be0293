"""Tables of many runs: the mean of a measure for each species, and their differences."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from evocrawl.simulation.evaluation.bootstrap import Difference, Interval, difference, interval
from evocrawl.simulation.evaluation.measures import Row
from evocrawl.simulation.evaluation.results import ResultsError, label_of

PRIMARY = "recall_auc"
WITHOUT_LABELS = "mean_bm25"


@dataclass(frozen=True, slots=True)
class Standing:
    """Mean of a measure for one species, and its difference to the reference (None for that one).

    A species with other settings is a separate entry, such as "energy gain=4".
    """

    species: str
    runs: int
    topics: int
    mean: Interval
    against: Difference | None


def measures_of(rows: Iterable[Row]) -> list[str]:
    """Return the sorted names of the fields that contain a number in at least one row."""
    names = {key for row in rows for key, value in row.items() if _is_number(value)}
    return sorted(names - {"seed", "budget"})


def standings(
    rows: Sequence[Row],
    *,
    measure: str = PRIMARY,
    against: str = "",
    start: str = "",
    seed: int = 0,
) -> list[Standing]:
    """Return the standing of every species, best mean first.

    `against` is the species to which the others are compared; "" selects the one with the best
    mean. `start` selects the runs of that start. Runs are paired by world, topic, start, seed and
    budget. `seed` seeds the bootstrap. Raises ResultsError if a row does not have the measure, or
    if two rows of a species have different results for the same trial.
    """
    values = _by_species([row for row in rows if not start or row.get("start") == start], measure)
    if not values:
        raise ResultsError(f"no runs{f' of the start {start!r}' if start else ''}")
    means = {name: interval(_nested(runs), _draws(seed)) for name, runs in values.items()}
    order = sorted(means, key=lambda name: (-means[name].mean, name))
    against = against or order[0]
    if against not in values:
        raise ResultsError(f"no runs of the species {against!r}; there are {', '.join(order)}")
    return [
        Standing(
            name,
            len(values[name]),
            len({topic for topic, _, _ in values[name]}),
            means[name],
            None if name == against else _compare(values[name], values[against], name, seed),
        )
        for name in order
    ]


def markdown(table: Sequence[Standing], measure: str = PRIMARY) -> str:
    """Return the table as Markdown, with a note for intervals above or below zero."""
    against = next((each.species for each in table if each.against is None), "")
    lines = [
        f"| species | runs | {measure} [95 %] | difference to {_cell(against)} [95 %] | "
        "topics won / tied / lost |",
        "| --- | ---: | --- | --- | --- |",
    ]
    for each in table:
        cells = ["–", "–"]
        if (found := each.against) is not None:
            cells = [f"{found.interval}{_verdict(found)}",
                    f"{found.wins} / {found.ties} / {found.losses}"]  # fmt: skip
        lines.append(
            f"| {_cell(each.species)} | {each.runs} | {each.mean} | {cells[0]} | {cells[1]} |"
        )
    return "\n".join(lines) + "\n"


_Key = tuple[str, int, str]
_Runs = dict[_Key, float]


def _by_species(rows: Iterable[Row], measure: str) -> dict[str, _Runs]:
    values: dict[str, _Runs] = {}
    for row in rows:
        value: Any = row.get(measure)
        if not _is_number(value):
            raise ResultsError(
                f"a run of {row['species']!r} (topic {row['topic']}) has no {measure!r}; measures "
                f"that runs have: {', '.join(measures_of([row]))}"
            )
        topic = f"{row['world']}: {row['topic'] or row['query']}"
        start = row.get("start", "")
        begun = f"{start} {row.get('seeds')}" if start == "given" else start
        key = (topic, int(row["seed"]), f"{begun} {row['budget']}")
        runs = values.setdefault(label_of(row), {})
        if runs.setdefault(key, float(value)) != float(value):
            raise ResultsError(
                f"two runs of {row['species']!r} differ ({topic}, seed {row['seed']}): "
                "use --by-directory to keep the directories apart"
            )
    return values


def _compare(ours: _Runs, theirs: _Runs, name: str, seed: int) -> Difference:
    both = ours.keys() & theirs.keys()
    if not both:
        raise ResultsError(f"{name!r} and the species it is compared with have no trial in common")
    return difference(
        _nested({key: ours[key] for key in ours if key in both}),
        _nested({key: theirs[key] for key in ours if key in both}),
        _draws(seed),
    )


def _nested(runs: _Runs) -> dict[str, dict[int, list[float]]]:
    nested: dict[str, dict[int, list[float]]] = {}
    for (topic, seed, _), value in sorted(runs.items()):
        nested.setdefault(topic, {}).setdefault(seed, []).append(value)
    return nested


def _draws(seed: int) -> np.random.Generator:
    return np.random.default_rng(seed)


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _verdict(found: Difference) -> str:
    return " better" if found.is_better else " worse" if found.interval.high < 0 else ""


def _cell(text: str) -> str:
    """Return a name as a table cell; escape it, since it may come from a file: no link, no column.

    >>> _cell("relevance=tfidf+2*vectors"), _cell("my.py:maker|x"), _cell("http://a.test/<b>")
    ('relevance=tfidf+2*vectors', 'my.py:maker?x', 'http?//a.test/?b?')
    """
    text = text.replace("://", "?//")
    return "".join(c if c.isalnum() or c in " _-+./=*:" else "?" for c in text)
