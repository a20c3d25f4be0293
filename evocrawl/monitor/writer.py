"""Writes lines to a stream whose reader may be slow or gone, without delaying the crawl."""

from __future__ import annotations

import os
import select
from contextlib import suppress
from queue import Empty, Full, Queue
from threading import Thread
from typing import TextIO, cast

_PATIENCE_S = 2.0


class FileDescriptor:
    """A text stream on a file descriptor, without a buffer and so without a lock.

    A thread that is blocked in a write to `sys.stderr` would hold its lock, and Python aborts if it
    ends while a thread holds that lock.
    """

    encoding = "utf-8"

    def __init__(self, stream: TextIO) -> None:
        self._number = stream.fileno()
        self._is_terminal = stream.isatty()

    def write(self, text: str) -> int:
        """Write all of `text`. Raises OSError if the reader is gone."""
        rest = memoryview(text.encode("utf-8", "backslashreplace"))
        while rest:
            rest = rest[os.write(self._number, rest) :]
        return len(text)

    def flush(self) -> None:
        """Do nothing: there is no buffer."""

    def isatty(self) -> bool:
        """Return True for a terminal."""
        return self._is_terminal

    def fileno(self) -> int:
        """Return the file descriptor."""
        return self._number


def without_lock(stream: TextIO) -> TextIO:
    """Return a stream that writes to the file of `stream`; `stream` itself if it has no file."""
    try:
        return cast("TextIO", FileDescriptor(stream))
    except (OSError, ValueError, AttributeError):
        return stream


class PatientWriter:
    """Passes texts to a thread that writes them; drops a text while an earlier one is written."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = without_lock(stream)
        self._texts: Queue[str | None] = Queue(maxsize=2)
        self._thread = Thread(target=self._write, name="evocrawl-view", daemon=True)
        self._thread.start()

    def write(self, text: str) -> None:
        """Write `text` and a line end; return at once."""
        with suppress(Full):
            self._texts.put_nowait(text)

    @staticmethod
    def write_last(stream: TextIO, text: str) -> None:
        """Write one text at the end of the process, when no thread may be started any more.

        Nothing is written to a terminal or pipe that takes no text.
        """
        out = without_lock(stream)
        try:
            _, ready, _ = select.select([], [out], [], _PATIENCE_S)
            if ready:
                out.write(f"{text}\n")
        except (OSError, ValueError):  # the reader is gone, or the stream is closed
            return

    def close(self, last: str = "") -> None:
        """Write the `last` text; wait for the reader for two seconds at most."""
        with suppress(Full):
            if last:
                self._texts.put(last, timeout=_PATIENCE_S)
            self._texts.put(None, timeout=_PATIENCE_S)
        self._thread.join(_PATIENCE_S)

    def _write(self) -> None:
        while True:
            try:
                text = self._texts.get(timeout=3600)
            except Empty:
                continue
            if text is None:
                return
            try:
                self._stream.write(f"{text}\n")
                self._stream.flush()
            except (OSError, ValueError):  # the reader is gone, or the stream is closed
                return
