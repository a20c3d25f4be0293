"""Runs many trials in parallel processes; a trial that is in the table is not run again."""

from __future__ import annotations

import multiprocessing
import signal
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from typing import TypeAlias

from evocrawl.core.errors import EvocrawlError
from evocrawl.simulation.evaluation.measures import Row
from evocrawl.simulation.evaluation.results import ResultTable
from evocrawl.simulation.laboratory import Laboratory, SearchableWorld
from evocrawl.simulation.pace import ONE_AT_A_TIME, Pace
from evocrawl.simulation.trials import Trial, TrialError

Opener: TypeAlias = Callable[[], SearchableWorld]
"""Opens the world; with several processes it must be picklable."""

_laboratory: Laboratory | TrialError | None = None


def missing(trials: Sequence[Trial], table: ResultTable, world: str) -> list[Trial]:
    """Return the trials in `world` that are not in the table, each once, in their order."""
    return [each for each in dict.fromkeys(trials) if not table.has(each.key(world))]


def run_trials(
    trials: Sequence[Trial],
    world: str,
    opener: Opener,
    table: ResultTable,
    *,
    processes: int = 1,
    pace: Pace = ONE_AT_A_TIME,
) -> Iterator[Row]:
    """Run the trials; append the row of each finished run to `table` and yield it.

    `world` is the name of the world that `opener` opens, such as its path; it is part of the key of
    a trial in the table. Every process opens the world itself. Rows are yielded in the order in
    which runs end; their content does not depend on that order. Raises TrialError for a trial that
    cannot be run; earlier rows stay in the table, also if the caller stops.
    """
    runs = (
        _in_this_process(trials, opener, pace)
        if processes == 1
        else _in_processes(trials, opener, pace, processes)
    )
    for trial, row in runs:
        named = {"trial": trial.key(world)} | row
        table.append(named)
        yield named


def _in_this_process(
    trials: Sequence[Trial], opener: Opener, pace: Pace
) -> Iterator[tuple[Trial, Row]]:
    laboratory = Laboratory(opener(), pace)
    for trial in trials:
        yield trial, _run_trial(laboratory, trial)


def _in_processes(
    trials: Sequence[Trial], opener: Opener, pace: Pace, processes: int
) -> Iterator[tuple[Trial, Row]]:
    executor = ProcessPoolExecutor(
        processes,
        mp_context=multiprocessing.get_context("spawn"),
        initializer=_start_worker,
        initargs=(opener, pace),
    )
    try:
        futures = {executor.submit(_run_in_worker, trial): trial for trial in trials}
        for future in as_completed(futures):
            yield futures[future], future.result()
    finally:
        executor.shutdown(wait=True, cancel_futures=True)


def _start_worker(opener: Opener, pace: Pace) -> None:
    # The worker process keeps its laboratory here between trials.
    global _laboratory
    # Ctrl-C reaches every process of the terminal; the parent process stops the workers.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        _laboratory = Laboratory(opener(), pace)
    except (EvocrawlError, OSError) as error:
        # An error raised here would break the pool without its message.
        _laboratory = TrialError(str(error))


def _run_in_worker(trial: Trial) -> Row:
    if not isinstance(_laboratory, Laboratory):
        raise _laboratory or TrialError("no world was opened")
    return _run_trial(_laboratory, trial)


def _run_trial(laboratory: Laboratory, trial: Trial) -> Row:
    try:
        return laboratory.run(trial)
    except EvocrawlError as error:
        # A class that can be pickled.
        raise TrialError(f"{trial.species}, {trial.topic or trial.query}: {error}") from error
