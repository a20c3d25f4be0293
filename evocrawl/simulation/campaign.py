"""Many trials, in parallel processes, resumable: what is in the table is not done again."""

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
from evocrawl.simulation.trials import Trial, TrialError

Opener: TypeAlias = Callable[[], SearchableWorld]
"""Opens the world; to be pickled where there are several processes."""

_laboratory: Laboratory | TrialError | None = None


def missing(trials: Sequence[Trial], table: ResultTable, world: str) -> list[Trial]:
    """Return the trials in `world` that the table lacks, each once, in their order."""
    return [each for each in dict.fromkeys(trials) if not table.has(each.key(world))]


def run_trials(
    trials: Sequence[Trial],
    world: str,
    opener: Opener,
    table: ResultTable,
    *,
    processes: int = 1,
    concurrency: int = 1,
) -> Iterator[Row]:
    """Hold the trials, append each row to `table` as its run ends, and yield it.

    `world` names what `opener` opens, a path say, and tells trials of one table apart. Every
    process opens the world for itself. The rows come in the order in which runs end; what is in
    them does not depend on it. Raises TrialError for a trial that cannot be held; the rows before
    it are kept, as they are when the caller stops.
    """
    runs = (
        _in_this_process(trials, opener, concurrency)
        if processes == 1
        else _in_processes(trials, opener, concurrency, processes)
    )
    for trial, row in runs:
        named = {"trial": trial.key(world)} | row
        table.append(named)
        yield named


def _in_this_process(
    trials: Sequence[Trial], opener: Opener, concurrency: int
) -> Iterator[tuple[Trial, Row]]:
    laboratory = Laboratory(opener(), concurrency)
    for trial in trials:
        yield trial, _run_trial(laboratory, trial)


def _in_processes(
    trials: Sequence[Trial], opener: Opener, concurrency: int, processes: int
) -> Iterator[tuple[Trial, Row]]:
    executor = ProcessPoolExecutor(
        processes,
        mp_context=multiprocessing.get_context("spawn"),
        initializer=_start_worker,
        initargs=(opener, concurrency),
    )
    try:
        futures = {executor.submit(_run_in_worker, trial): trial for trial in trials}
        for future in as_completed(futures):
            yield futures[future], future.result()
    finally:
        executor.shutdown(wait=True, cancel_futures=True)


def _start_worker(opener: Opener, concurrency: int) -> None:
    # A worker process has one, and no other way to keep it between trials.
    global _laboratory
    # Ctrl-C reaches every process of a terminal: the one that hands out the trials stops them.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        _laboratory = Laboratory(opener(), concurrency)
    except (EvocrawlError, OSError) as error:
        # An error here would break the pool without saying why.
        _laboratory = TrialError(str(error))


def _run_in_worker(trial: Trial) -> Row:
    if not isinstance(_laboratory, Laboratory):
        raise _laboratory or TrialError("no world was opened")
    return _run_trial(_laboratory, trial)


def _run_trial(laboratory: Laboratory, trial: Trial) -> Row:
    try:
        return laboratory.hold(trial)
    except EvocrawlError as error:
        # Of one class that survives the way between processes.
        raise TrialError(f"{trial.species}, {trial.topic or trial.query}: {error}") from error
