"""Reads documents in a separate process, which ends after a limit of processor time.

A parser written in C holds the interpreter while it runs: in a thread it would still block the
event loop and could not be stopped.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from contextlib import suppress
from typing import BinaryIO, cast

from evocrawl.extraction.document import Document
from evocrawl.extraction.html import ParsedPage
from evocrawl.extraction.subprocess import protocol

TOO_LONG = "takes too long to read"
BROKE = "broke what read it"
CANNOT = "cannot be read: no process to read it in"

_START_S = 60.0
_WALL_LIMITS = 30.0
"""A process is killed after so many times its limit of processor time, by the clock. A busy machine
reads slowly, and systems without timers of processor time have no other limit."""
_END_S = 10.0
_OUT_OF_TIME = -int(getattr(signal, "SIGPROF", 0)) or None
"""Exit status of a process that its timer has ended."""
_JOBS = 1_000
"""Documents after which a new process begins, to free memory."""


class ReadingProcess:
    """Reads in one process, which starts with the first document and after each that ended it.

    Do not use it in several threads at once.
    """

    def __init__(self, limit_s: float) -> None:
        self._limit_s = limit_s
        self._process: subprocess.Popen[bytes] | None = None
        self._jobs = 0

    def read(self, document: Document) -> ParsedPage:
        """Read a document within `limit_s` seconds of processor time; never raises.

        A document that takes longer, or that ends the process, is unread. The start of the process
        does not count.
        """
        try:
            process = self._running()
        except (OSError, EOFError):
            self.close()
            return ParsedPage.nothing(CANNOT)
        in_time = _Alarm(process, _WALL_LIMITS * self._limit_s)
        try:
            limit = str(self._limit_s).encode()
            protocol.send(_end(process.stdin), limit, *protocol.pack_document(document))
            reading = protocol.unpack_reading(protocol.receive(_end(process.stdout)))
        except (OSError, EOFError, ValueError, TypeError, KeyError):
            is_too_long = self._status() == _OUT_OF_TIME or not in_time.cancel()
            in_time.cancel()
            self.close()
            return ParsedPage.nothing(TOO_LONG if is_too_long else BROKE)
        in_time.cancel()
        self._jobs += 1
        if self._jobs >= _JOBS:
            self.close()
        return reading

    def close(self) -> None:
        """Kill the process if it runs."""
        process, self._process, self._jobs = self._process, None, 0
        if process is None:
            return
        process.kill()
        for end in (process.stdin, process.stdout):
            with suppress(OSError):
                _end(end).close()
        process.wait()

    def _status(self) -> int | None:
        """Return the exit status of a process that has just closed its output."""
        if self._process is None:
            return None
        with suppress(subprocess.TimeoutExpired):
            return self._process.wait(_END_S)
        return None

    def _running(self) -> subprocess.Popen[bytes]:
        """Return the process, ready to read; raises OSError or EOFError if it cannot start."""
        if self._process is not None and self._process.poll() is not None:
            self.close()
        if self._process is None:
            paths = os.pathsep.join(filter(None, sys.path))
            self._process = subprocess.Popen(
                [sys.executable, "-m", "evocrawl.extraction.subprocess.server"],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                env={**os.environ, "PYTHONPATH": paths},
            )
            alarm = _Alarm(self._process, _START_S)
            protocol.receive(_end(self._process.stdout))
            alarm.cancel()
        return self._process


class _Alarm:
    """Kills a process after a number of seconds, unless it is cancelled before."""

    def __init__(self, process: subprocess.Popen[bytes], seconds: float) -> None:
        self._rang = False
        self._process = process
        self._timer = threading.Timer(seconds, self._ring)
        self._timer.daemon = True
        self._timer.start()

    def cancel(self) -> bool:
        """Cancel the timer; return True if it had not fired."""
        self._timer.cancel()
        return not self._rang

    def _ring(self) -> None:
        self._rang = True
        self._process.kill()


def _end(pipe: object) -> BinaryIO:
    return cast("BinaryIO", pipe)
