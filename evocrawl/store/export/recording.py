"""What a crawl fetched as a world file, so that other policies can replay it.

The first line says that the file is a recording, and of what; then comes a line for each address
that was asked for, in the order in which visits ended (see
`evocrawl.simulation.worlds.world_file`). A line
is with the operating system before the next one is written: a crawl that is killed loses that line
at most.
"""

from __future__ import annotations

import gzip
import json
import os
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, BinaryIO, Protocol

from evocrawl.core.errors import EvocrawlError
from evocrawl.core.fetch import KNOWN, NOWHERE, Fetch
from evocrawl.core.files import make_folder_of
from evocrawl.core.model import Dead, Fetched, Fingerprint, Link, Outcome, Page, Refused
from evocrawl.core.urls.identity import fingerprint
from evocrawl.core.urls.request_keys import is_page_of

RECORDING = "recording"
"""Key of the line that says that the file is a recording."""

VERSION = 1

_NO_HTML, _NO_ANSWER = 415, 502
_STATUS = "status "


class RecordingError(EvocrawlError, ValueError):
    """A recording cannot be begun at `path`; the message says why."""

    def __init__(self, path: str | Path, problem: str) -> None:
        super().__init__(f"{path}: {problem}")
        self.path = Path(path)
        self.problem = problem


class Recording:
    """A world file that grows. `about` is what its first line tells: query, species and so on.

    `timeout_s` is the longest fetch of the crawl; who replays it needs it. An address is written
    once, as it was the first time. It keeps 12 bytes an address. Raises RecordingError where a
    file that is not empty is in the way, and for zstd without its library, OSError for a path
    that cannot be written. The folder of `path` is made. With a `file` that is written to, and
    stays open, and the path only tells how it is packed.
    """

    def __init__(
        self,
        path: str | Path,
        about: Mapping[str, Any],
        timeout_s: float,
        file: BinaryIO | None = None,
    ) -> None:
        self._timeout_s = timeout_s
        self._known: set[Fingerprint] = set()
        self._sink = _created(Path(path), file)
        self._about = {"version": VERSION, **about, "timeout_s": timeout_s}

    def begin(self) -> None:
        """Write the first line. Raises OSError."""
        self._write({RECORDING: self._about})

    def note(self, flight: Fetch, outcome: Outcome) -> None:
        """Write what a visit met on its way and at its end. Raises OSError."""
        for url, row in self._rows(flight, outcome):
            key = fingerprint(url)
            if key not in self._known:
                self._known.add(key)
                self._write({"url": url, **row})

    def close(self) -> None:
        """End the file. Raises OSError."""
        self._sink.close()

    def _rows(self, flight: Fetch, outcome: Outcome) -> Iterator[tuple[str, dict[str, Any]]]:
        latency_s = round(min(flight.seconds / max(flight.requests, 1), self._timeout_s * 0.99), 6)
        # What is no GET of its address, such as a form, is no page of it.
        lead = flight.visit.lead
        is_page = is_page_of(lead.fingerprint, lead.url)
        for url, location in flight.hops[0 if is_page else 1 :]:
            yield url, {"redirect_to": location, "latency_s": latency_s}
        if not is_page_of(flight.address, flight.url):
            return
        match outcome:
            case Fetched(page) if page.fingerprint == flight.address:
                yield page.url, _page(page) | {"latency_s": latency_s}
            case Refused():
                yield flight.url, {"robots": "disallow"}
            case Dead(reason) if reason not in (KNOWN, NOWHERE):
                row = self._failure(reason)
                if row:
                    yield flight.url, {"latency_s": latency_s} | row

    def _failure(self, reason: str) -> dict[str, Any]:
        """What an address answers that answered `reason`; nothing for what was never sent."""
        if reason.startswith(_STATUS):
            status = int(reason.removeprefix(_STATUS))
            return {"status": status if 300 <= status < 600 else _NO_ANSWER}
        if reason == "no HTML":
            return {"status": _NO_HTML}
        if "Timeout" in reason:
            return {"latency_s": self._timeout_s, "failure": reason}
        return {"status": _NO_ANSWER, "failure": reason} if reason.isidentifier() else {}

    def _write(self, row: dict[str, Any]) -> None:
        # ASCII alone: a page may hold lone surrogates, which have no UTF-8.
        self._sink.write(json.dumps(row, allow_nan=False).encode() + b"\n")


def _page(page: Page) -> dict[str, Any]:
    content = page.content
    row = {"title": content.title, "text": content.text, "lang": content.language}
    return row | {"links": [_link(e) for e in page.links if is_page_of(e.fingerprint, e.url)]}


def _link(link: Link) -> dict[str, Any]:
    words = {
        "anchor": link.anchor,
        "context": link.context,
        "rel": " ".join(link.rel),
        "tag_path": link.tag_path,
    }
    said = {key: value for key, value in words.items() if value}
    return {"url": link.url, **said, "position": link.position}


class _Sink(Protocol):
    """Takes whole lines and hands each on at once."""

    def write(self, line: bytes) -> None: ...

    def close(self) -> None: ...


class _Flushed:
    """Writes to `packer` and flushes it, then the `file` below it."""

    def __init__(
        self, file: BinaryIO, packer: Any, flush: Callable[[], object], *, closes: bool
    ) -> None:
        self._file = file
        self._closes = closes
        self._packer = packer
        self._flush = flush

    def write(self, line: bytes) -> None:
        self._packer.write(line)
        self._flush()
        self._file.flush()

    def close(self) -> None:
        if self._packer is not self._file:
            self._packer.close()
        if self._closes:
            self._file.close()


def _created(path: Path, given: BinaryIO | None) -> _Sink:
    if path.suffix == ".zst":
        try:
            import zstandard
        except ImportError:
            raise RecordingError(path, "zstd needs the extra evocrawl[sim]") from None
    closes = given is None
    file = _opened(path) if given is None else given
    if path.suffix == ".gz":
        archive = gzip.GzipFile(fileobj=file, mode="wb", filename="", mtime=0)
        return _Flushed(file, archive, archive.flush, closes=closes)
    if path.suffix == ".zst":
        packed = zstandard.ZstdCompressor().stream_writer(file, closefd=False)
        return _Flushed(file, packed, packed.flush, closes=closes)
    return _Flushed(file, file, file.flush, closes=closes)


def _opened(path: Path) -> BinaryIO:
    make_folder_of(path)
    file = open(path, "ab")  # noqa: SIM115 - it is closed with the recording
    if os.fstat(file.fileno()).st_size:
        file.close()
        raise RecordingError(path, "there is a file already, and it is not overwritten")
    return file
