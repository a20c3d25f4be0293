"""Reads documents from stdin until it is closed, for `evocrawl.extraction.subprocess.client`."""

from __future__ import annotations

import os
import signal
import sys
from contextlib import suppress

from evocrawl.extraction.document import read
from evocrawl.extraction.subprocess import protocol

_MEMORY_BYTES = 2 * 1024**3


def main() -> None:
    """Answer each document with its reading; an empty first frame means "ready"."""
    # Ctrl-C is for the crawl, which first reads the pages that it has fetched.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    _bound_memory()
    # Output that a library prints must not mix with the frames.
    with os.fdopen(os.dup(1), "wb") as answers:
        os.dup2(2, 1)
        protocol.send(answers, b"")
        with suppress(EOFError, BrokenPipeError):
            while True:
                limit, fields, body = (protocol.receive(sys.stdin.buffer) for _ in range(3))
                _end_after(float(limit))
                reading = read(protocol.unpack_document(fields, body))
                _end_after(0)
                protocol.send(answers, protocol.pack_reading(reading))


def _end_after(limit_s: float) -> None:
    """End this process after `limit_s` seconds of processor time; 0: no limit.

    The system ends it even while a parser in C holds the interpreter. No effect on Windows.
    """
    with suppress(AttributeError):
        signal.setitimer(signal.ITIMER_PROF, limit_s)


def _bound_memory() -> None:
    """Limit memory, so that a document that needs more is unreadable. No effect on Windows."""
    with suppress(ImportError, ValueError, OSError):
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (_MEMORY_BYTES, _MEMORY_BYTES))


if __name__ == "__main__":
    main()
