"""Runs a child process that ends cleanly on Ctrl-C."""

from __future__ import annotations

import signal
import subprocess
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import FrameType

INTERRUPTED = 130
"""Exit code of a command stopped by Ctrl-C, as in shells."""


def run(command: Sequence[str], environment: Mapping[str, str], folder: Path) -> int:
    """Run `command` in `folder`; return its exit code, or 130 if the user stopped it.

    The child has its own session, so each SIGINT or SIGTERM from a terminal or a kill reaches it
    exactly once; then the function waits for its end. Call it from the main thread.
    """
    stops: list[int] = []
    children: list[subprocess.Popen[bytes]] = []

    def forward(number: int, _: FrameType | None) -> None:
        stops.append(number)
        for child in children:
            child.send_signal(number)

    with _handling(forward):  # before the child starts, so that no signal is lost
        child = subprocess.Popen(
            command,
            env=dict(environment),
            cwd=folder,
            start_new_session=True,
            stdin=subprocess.DEVNULL,
        )
        if stops:
            child.send_signal(stops[-1])
        children.append(child)
        code = child.wait()
    return INTERRUPTED if stops else code


@contextmanager
def _handling(handler: Callable[[int, FrameType | None], None]) -> Iterator[None]:
    """Pass SIGINT and SIGTERM to `handler` during the with block."""
    before = {number: signal.signal(number, handler) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield
    finally:
        for number, old in before.items():
            signal.signal(number, old)
