"""Prints every few seconds what is waited for, so that no step of `make` is silent for long.

`python demo/waiting.py TEXT COMMAND …` runs a command and returns its exit code. It needs nothing
but Python, since `make venv` runs it before anything is installed.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Event, Thread
from time import monotonic

PERIOD_S = 4.0


@contextmanager
def announced(
    text: str, is_over: Callable[[], bool] = lambda: False, period_s: float = PERIOD_S
) -> Iterator[None]:
    """Print `text` now, and every `period_s` seconds until the block ends or `is_over` is True."""
    ended = Event()
    began_s = monotonic()
    print(f"{text} …", file=sys.stderr, flush=True)

    def repeat() -> None:
        while not ended.wait(period_s) and not is_over():
            print(f"{text} … {monotonic() - began_s:.0f} s", file=sys.stderr, flush=True)

    thread = Thread(target=repeat, daemon=True)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()


def main(words: list[str]) -> int:
    """Run the command after the text."""
    text, *command = words
    with announced(text):
        return subprocess.run(command, check=False).returncode


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
