"""Records the fetches of a crawl as a world file, so that other policies can replay it.

The first line marks the file as a recording and describes the crawl. Then comes one line for each
requested URL, in the order in which visits ended (see `evocrawl.simulation.worlds.world_file`).
Each line is flushed to the operating system before the next one is written, so a killed crawl
loses at most one line.
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
from evocrawl.core.sanitize import public
from evocrawl.core.urls.identity import fingerprint
from evocrawl.core.urls.request_keys import is_page_of

RECORDING = "recording"
"""Key of the line that marks the file as a recording."""

VERSION = 1

_NO_HTML, _NO_ANSWER = 415, 502
_STATUS = "status "


class RecordingError(EvocrawlError, ValueError):
    """A recording cannot be created at `path`; the message says why."""

    def __init__(self, path: str | Path, problem: str) -> None:
        super().__init__(f"{path}: {problem}")
        self.path = Path(path)
        self.problem = problem


class Recording:
    """A world file to which a crawl appends. `about` is its first line: query, species and so on.

    `timeout_s` is the longest fetch of the crawl; a replay needs it. Each URL is written once, with
    its first result. The recording keeps 12 bytes per URL in memory. It creates the folder of
    `path`. With `file` it writes to that file and leaves it open; `path` then only selects the
    compression. Raises RecordingError if `path` is a file that is not empty or if the library for
    zstd is missing, and OSError if `path` cannot be written.
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
        if "seeds" in about:
            self._about["seeds"] = public(about["seeds"])

    def begin(self) -> None:
        """Write the first line. Raises OSError."""
        self._write({RECORDING: self._about})

    def note(self, fetch: Fetch, outcome: Outcome) -> None:
        """Write the redirects and the result of a visit. Raises OSError."""
        for url, row in self._rows(fetch, outcome):
            key = fingerprint(url)
            if key not in self._known:
                self._known.add(key)
                self._write({"url": url, **row})

    def close(self) -> None:
        """End the file. Raises OSError."""
        self._sink.close()

    def _rows(self, fetch: Fetch, outcome: Outcome) -> Iterator[tuple[str, dict[str, Any]]]:
        latency_s = round(min(fetch.seconds / max(fetch.requests, 1), self._timeout_s * 0.99), 6)
        # A request that is not a plain GET, such as a form, is not the page of its URL.
        lead = fetch.visit.lead
        is_page = is_page_of(lead.fingerprint, lead.url)
        for url, location in fetch.hops[0 if is_page else 1 :]:
            yield url, {"redirect_to": location, "latency_s": latency_s}
        if not is_page_of(fetch.address, fetch.url):
            return
        match outcome:
            case Fetched(page) if page.fingerprint == fetch.address:
                yield page.url, _page(page) | {"latency_s": latency_s}
            case Refused():
                yield fetch.url, {"robots": "disallow"}
            case Dead(reason) if reason not in (KNOWN, NOWHERE):
                row = self._failure(reason)
                if row:
                    yield fetch.url, {"latency_s": latency_s} | row

    def _failure(self, reason: str) -> dict[str, Any]:
        """Return the fields of a failed fetch; empty if the request was never sent."""
        if reason.startswith(_STATUS):
            status = int(reason.removeprefix(_STATUS))
            return {"status": status if 300 <= status < 600 else _NO_ANSWER}
        if reason == "no HTML":
            return {"status": _NO_HTML}
        if "Timeout" in reason:
            return {"latency_s": self._timeout_s, "failure": reason}
        return {"status": _NO_ANSWER, "failure": reason} if reason.isidentifier() else {}

    def _write(self, row: dict[str, Any]) -> None:
        # ASCII only: a page may hold lone surrogates, which have no UTF-8.
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
    known = {key: value for key, value in words.items() if value}
    return {"url": link.url, **known, "position": link.position}


class _Sink(Protocol):
    """Writes whole lines and flushes each at once."""

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
    file = open(path, "ab")  # noqa: SIM115 - the recording closes it
    if os.fstat(file.fileno()).st_size:
        file.close()
        raise RecordingError(path, "the file exists and is not overwritten")
    return file
