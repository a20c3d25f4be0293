"""Writes lines to a stream whose reader may be slow or gone, without holding up the crawl."""

from __future__ import annotations

from contextlib import suppress
from queue import Empty, Full, Queue
from threading import Thread
from typing import TextIO

_PATIENCE_S = 2.0


class PatientWriter:
    """Hands texts to a thread that writes them; drops a text while an earlier one is not taken."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._texts: Queue[str | None] = Queue(maxsize=2)
        self._thread = Thread(target=self._write, name="evocrawl-view", daemon=True)
        self._thread.start()

    def write(self, text: str) -> None:
        """Write `text` and a line end; return at once."""
        with suppress(Full):
            self._texts.put_nowait(text)

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
