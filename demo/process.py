"""A child process that ends well when the user presses Ctrl-C."""

from __future__ import annotations

import signal
import subprocess
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import FrameType

INTERRUPTED = 130
"""The exit code of a command that was stopped by Ctrl-C, as shells give it."""


def run(command: Sequence[str], environment: Mapping[str, str], folder: Path) -> int:
    """Run `command` in `folder`; return its exit code, or 130 when it was asked to stop.

    The child has a session of its own, so that each SIGINT or SIGTERM reaches it exactly once,
    whether a terminal or a kill sent it, and is waited for. To be called from the main thread.
    """
    stops: list[int] = []
    children: list[subprocess.Popen[bytes]] = []

    def forward(number: int, _: FrameType | None) -> None:
        stops.append(number)
        for child in children:
            child.send_signal(number)

    with _handling(forward):  # before the child is there, so that no signal is missed
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
    """Give SIGINT and SIGTERM to `handler` for the time of the with block."""
    before = {number: signal.signal(number, handler) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield
    finally:
        for number, old in before.items():
            signal.signal(number, old)
