"""The other side of `evocrawl.reading.process`: reads documents from stdin until it is closed."""

from __future__ import annotations

import os
import signal
import sys
from contextlib import suppress

from evocrawl.reading import wire
from evocrawl.reading.document import read

_MEMORY_BYTES = 2 * 1024**3


def main() -> None:
    """Answer each document with its reading; a first, empty frame says that all is loaded."""
    # Who presses Ctrl-C means the crawl, which goes on until it has read what it has fetched.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    _bound_memory()
    # Whatever a library prints must not get between the frames.
    with os.fdopen(os.dup(1), "wb") as answers:
        os.dup2(2, 1)
        wire.send(answers, b"")
        with suppress(EOFError, BrokenPipeError):
            while True:
                told, body = wire.receive(sys.stdin.buffer), wire.receive(sys.stdin.buffer)
                reading = read(wire.unpack_document(told, body))
                wire.send(answers, wire.pack_reading(reading))


def _bound_memory() -> None:
    """A document that would take all memory is unreadable instead. Not known to Windows."""
    with suppress(ImportError, ValueError, OSError):
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (_MEMORY_BYTES, _MEMORY_BYTES))


if __name__ == "__main__":
    main()
