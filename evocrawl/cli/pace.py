"""Estimates how long the runs of a simulation will take, from the runs that are done."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator
from time import monotonic
from typing import TextIO, TypeVar

from evocrawl.monitor.words import duration

T = TypeVar("T")

_LINE_S = 5.0
"""Least seconds between lines where each line stays, as in a pipe."""


def paced(
    runs: Iterable[T],
    todo: int,
    processes: int,
    stream: TextIO | None = None,
    now_s: Callable[[], float] = monotonic,
) -> Iterator[T]:
    """Yield the runs; print how many are done and about how long the others take.

    On a terminal the line is written again; elsewhere there is one after the first run, one every
    five seconds and one after the last.
    """
    if not todo:
        yield from runs
        return
    out = sys.stderr if stream is None else stream
    at_once = f", {processes} at a time" if processes > 1 else ""
    print(f"{todo} runs{at_once}; the first one shows how long they take", file=out, flush=True)
    began_s = last_s = now_s()
    is_terminal = out.isatty()
    for done, run in enumerate(runs, 1):
        elapsed_s = now_s() - began_s
        if is_terminal or done in (1, todo) or now_s() - last_s >= _LINE_S:
            last_s = now_s()
            # Runs that are under way at the same time end together.
            left_s = elapsed_s * (todo - done) / done
            left = f"about {duration(left_s)} left" if done < todo else "all done"
            text = f"{done} of {todo} runs in {duration(elapsed_s)}, {left}"
            print(f"\r\x1b[K{text}" if is_terminal else text, end="" if is_terminal else "\n",
                  file=out, flush=True)  # fmt: skip
        yield run
    if is_terminal:
        print(file=out)
