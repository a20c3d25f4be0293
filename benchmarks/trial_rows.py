"""What scripts that run trials on a world share: arguments, stored rows, paired differences."""

from __future__ import annotations

import argparse
import json
import multiprocessing
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor, as_completed
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from evocrawl.simulation.trials import Trial

Row = dict[str, Any]


class Store(Protocol):
    """Appends rows to the file and to the list of rows."""

    def __call__(self, rows: Iterable[Row], /) -> None: ...


def parser_of(description: str | None, out: str) -> argparse.ArgumentParser:
    """Return a parser for world, topics, split, starts, runs and the file of rows.

    Its description is the first line of `description`; `out` is the default name of the file.
    """
    parser = argparse.ArgumentParser(description=(description or "").partition("\n")[0])
    parser.add_argument("world")
    parser.add_argument("topics", type=Path)
    parser.add_argument("--split", default="dev")
    parser.add_argument("--start", nargs="+", default=["search", "far"])
    parser.add_argument("--runs", type=int, default=1)
    parser.add_argument("--out", type=Path, default=Path(out))
    return parser


@contextmanager
def stored_rows(path: Path) -> Iterator[tuple[list[Row], Store]]:
    """Open a file of rows (JSON lines); give its rows, and a function that adds rows to both."""
    lines = path.read_text().splitlines() if path.exists() else []
    rows: list[Row] = [json.loads(line) for line in lines]
    with path.open("a") as file:

        def store(new: Iterable[Row]) -> None:
            found = [*new]
            rows.extend(found)
            file.writelines(json.dumps(row) + "\n" for row in found)
            file.flush()

        yield rows, store


def key(row: Row) -> tuple[str, str, str, int]:
    """Return the species, topic, start and seed of a row."""
    return row["species"], row["topic"], row["start"], row["seed"]


def run_trials(
    trials: Iterable[Trial], hold: Callable[[Trial], Row], processes: int, path: Path
) -> list[Row]:
    """Run the trials whose rows are not in the file yet; return all rows of the file.

    `hold` runs a trial, in a process of a pool, and returns its row.
    """
    with (
        ProcessPoolExecutor(processes, multiprocessing.get_context("spawn")) as pool,
        stored_rows(path) as (rows, store),
    ):
        done = {key(row) for row in rows}
        futures = [
            pool.submit(hold, each)
            for each in trials
            if (each.species, each.topic, each.start, each.seed) not in done
        ]
        for future in as_completed(futures):
            store([future.result()])
    return rows


def spent_ms(row: Row) -> float:
    """Return the processor time of choosing and settling a request, in milliseconds."""
    spent = row["cpu_seconds_by"]["choosing"] + row["cpu_seconds_by"]["settling"]
    return 1e3 * float(spent) / float(row["requests"])


def interval(by_topic: dict[str, list[float]]) -> str:
    """Return the mean difference, its 95 % interval over topics, and topics won and lost."""
    means = np.array([np.mean(each) for each in by_topic.values()])
    drawn = np.random.default_rng(0).choice(means, (4000, len(means))).mean(1)
    low, high = np.percentile(drawn, [2.5, 97.5])
    won, lost = (means > 0.0005).sum(), (means < -0.0005).sum()
    return f"{means.mean():+.3f} [{low:+.3f}, {high:+.3f}] won {won} lost {lost}"
