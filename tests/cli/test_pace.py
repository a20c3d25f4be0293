"""The progress of a simulation: how many runs are done, and how long the others take."""

from __future__ import annotations

from io import StringIO
from itertools import count

from evocrawl.cli.pace import paced


class Terminal(StringIO):
    def isatty(self) -> bool:
        return True


def lines(runs: int, seconds: float, stream: StringIO | None = None) -> list[str]:
    out = stream or StringIO()
    clock = count(0)
    found = list(paced(range(runs), runs, 2, out, lambda: seconds * next(clock) / 2))
    assert found == list(range(runs))
    return out.getvalue().split("\n")[:-1]


def test_the_first_run_shows_how_long_all_take() -> None:
    """After it there is a line every few seconds, and one at the end."""
    first, second, *_, last = lines(20, 1.0)
    assert first == "20 runs, 2 at a time; the first one shows how long they take"
    assert second.startswith("1 of 20 runs in ")
    assert "about " in second
    assert last.startswith("20 of 20 runs in ")
    assert last.endswith("all done")
    assert len(lines(1000, 0.001)) == 3


def test_a_terminal_has_one_line() -> None:
    """It is written again after each run."""
    (_, text) = lines(3, 1.0, Terminal())
    assert text.count("\r\x1b[K") == 3


def test_without_runs_nothing_is_printed() -> None:
    """All runs exist already."""
    assert lines(0, 1.0) == []
