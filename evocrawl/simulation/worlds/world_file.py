"""Reads world files: JSON lines (plain, gzip or zstd), one page per line.

``{"url": str, "title": str, "text": str, "links": [{"url", "anchor", "context"}], "topics": […]}``

=============  ============================================================================
key            meaning; all keys except `url` may be missing or null
=============  ============================================================================
url            absolute http(s) address
title, text    title and main text
links          ``url``, ``anchor``, ``context``, ``rel`` (space-separated), ``tag_path``
topics         labels; dots separate levels
html           the page as HTML: it is extracted as in a crawl; title, text, links are ignored
lang           language code
formats        machine-readable content, a list such as ``["json-ld"]``
date           last change of the page: ISO 8601 (UTC without an offset) or Unix seconds
status         HTTP status, 200 by default
latency_s      seconds until the response
redirect_to    target of a redirect, absolute or relative
robots         "disallow" or false: robots.txt disallows it; or tokens of a robots meta tag
=============  ============================================================================

Other keys of a page are kept in `Record.extra`.

The recording of a crawl begins with an extra line, ``{"recording": {"version": 1, "query": str,
"timeout_s": float, …}}``. Such a file is only a part of a web: addresses that are not in it are
unknown, not dead. Its last line may be cut short if the crawl was killed.
"""

from __future__ import annotations

import gzip
import io
import json
import logging
import math
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import IO, Any, cast
from zlib import error as ZlibError  # noqa: N812

from evocrawl.core.errors import EvocrawlError
from evocrawl.core.urls.identity import identity
from evocrawl.simulation.worlds.packed_links import Words
from evocrawl.store.export.recording import RECORDING

logger = logging.getLogger(__name__)

_GZIP, _ZSTD = b"\x1f\x8b", b"\x28\xb5\x2f\xfd"
_FORBIDS = frozenset(("disallow", "disallowed", "forbidden"))
_KEEPS_LINKS = frozenset(("nofollow", "none"))
_ALLOWS = frozenset(("allow", "allowed", "all", "index", "follow", "noindex", "noarchive"))


class WorldError(EvocrawlError, ValueError):
    """A world cannot be read. `line` counts from 1; `field` is "" for the whole line."""

    def __init__(self, path: str | Path, line: int, field: str, problem: str) -> None:
        where = f"{path}, line {line}" if line else str(path)
        super().__init__(f"{where}: {f'{field}: ' if field else ''}{problem}")
        self.path = Path(path)
        self.line = line
        self.field = field
        self.problem = problem


@dataclass(frozen=True, slots=True)
class Record:
    """One checked line of a world file; a missing value is None."""

    line: int
    url: str
    title: str | None = None
    text: str | None = None
    html: str | None = None
    links: list[Words] | None = None
    topics: tuple[str, ...] = ()
    lang: str | None = None
    formats: tuple[str, ...] = ()
    date_s: float | None = None
    status: int | None = None
    latency_s: float | None = None
    redirect_to: str | None = None
    is_forbidden: bool | None = None
    extra: dict[str, Any] = field(default_factory=dict)


def read_lines(path: str | Path) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield the number and the object of each line that is not blank.

    Raises WorldError for a line that is not a JSON object and for a damaged archive, OSError for a
    file that cannot be opened. If a recording is cut short, the lines end with a warning.
    """
    number, is_recording = 0, False
    try:
        with opened(path) as lines:
            for number, line in enumerate(lines, 1):
                if is_recording and not line.endswith(b"\n"):
                    raise EOFError("the last line is cut short")
                if line.strip():
                    row = _object(path, number, line)
                    is_recording = is_recording or RECORDING in row
                    yield number, row
    except (EOFError, gzip.BadGzipFile, ZlibError) as error:
        if is_recording and isinstance(error, EOFError):
            logger.warning("%s: the recording is cut short after line %d: %s", path, number, error)
            return
        raise WorldError(path, number + 1, "", f"the archive is damaged: {error}") from error


def read_records(path: str | Path) -> Iterator[Record]:
    """Yield the pages of a world file; raises WorldError with line and field."""
    for number, row in read_lines(path):
        if number > 1 or RECORDING not in row:
            yield Fields(path, number, row).record()


class Fields:
    """The fields of one line, removed by type; the remaining fields are extra."""

    def __init__(self, path: str | Path, line: int, row: dict[str, Any]) -> None:
        self._path = path
        self._line = line
        self._row = {key: value for key, value in row.items() if value is not None}

    def record(self) -> Record:
        """Return the page of the line."""
        robots = self._robots()
        links = self.links("links")
        return Record(
            line=self._line,
            url=self.url("url"),
            title=self.text("title"),
            text=self.text("text"),
            html=self.text("html"),
            links=[] if robots & _KEEPS_LINKS else links,
            topics=self._names("topics"),
            formats=self._names("formats"),
            lang=self.text("lang"),
            date_s=self._date(),
            status=self._status(),
            latency_s=self.number("latency_s"),
            redirect_to=self.text("redirect_to") or None,
            is_forbidden=bool(robots & _FORBIDS) if robots else None,
            extra=self._row,
        )

    def fail(self, field: str, problem: str) -> WorldError:
        """Return the error for a field; the caller raises it."""
        return WorldError(self._path, self._line, field, problem)

    def url(self, field: str) -> str:
        """Return an address; it is required."""
        url = self.text(field)
        if url is None:
            raise self.fail(field, "is missing")
        self._check_url(field, url)
        return url

    def text(self, field: str) -> str | None:
        """Return a string; lone surrogates become question marks."""
        value = self._row.pop(field, None)
        if value is None:
            return None
        if not isinstance(value, str):
            raise self.fail(field, f"must be a string, not {_shown(value)}")
        return value if value.isascii() else value.encode("utf-8", "replace").decode()

    def number(self, field: str, least: float = 0.0) -> float | None:
        """Return a finite number of at least `least`."""
        value = self._row.pop(field, None)
        if value is None:
            return None
        if not isinstance(value, int | float) or isinstance(value, bool):
            raise self.fail(field, f"must be a number, not {_shown(value)}")
        if not least <= value < math.inf or value > 1e18:
            raise self.fail(field, f"must be a number of at least {least:g}, not {_shown(value)}")
        return float(value)

    def links(self, field: str) -> list[Words] | None:
        """Return a list of links; packing drops targets that are not http(s) URLs."""
        value = self._row.pop(field, None)
        if value is None:
            return None
        if not isinstance(value, list):
            raise self.fail(field, f"must be a list of objects, not {_shown(value)}")
        return [self._link(f"{field}[{place}]", link) for place, link in enumerate(value)]

    def _link(self, place: str, link: object) -> Words:
        if not isinstance(link, dict):
            raise self.fail(place, f"must be an object with a url, not {_shown(link)}")
        if not isinstance(link.get("url"), str):
            raise self.fail(f"{place}.url", f"must be a string, not {_shown(link.get('url'))}")
        words = []
        for key in Words._fields:
            value = link.get(key)
            if key == "rel" and isinstance(value, list):
                value = " ".join(map(str, value))
            if value is not None and not isinstance(value, str):
                raise self.fail(f"{place}.{key}", f"must be a string, not {_shown(value)}")
            words.append(value or "")
        if not all(map(str.isascii, words)):
            words = [word.encode("utf-8", "replace").decode() for word in words]
        return Words(*words)

    def _names(self, field: str) -> tuple[str, ...]:
        value = self._row.pop(field, ())
        if isinstance(value, list) and all(isinstance(name, str) and name for name in value):
            return tuple(value)
        if value != ():
            raise self.fail(field, f"must be a list of names, not {_shown(value)}")
        return ()

    def _date(self) -> float | None:
        value = self._row.get("date")
        if not isinstance(value, str):
            return self.number("date", -1e12)
        del self._row["date"]
        try:
            date = datetime.fromisoformat(value)
        except ValueError:
            raise self.fail("date", f"must be ISO 8601, not {_shown(value)}") from None
        return (date if date.tzinfo else date.replace(tzinfo=UTC)).timestamp()

    def _status(self) -> int | None:
        status = self.number("status")
        if status is None:
            return None
        if status != int(status) or not 100 <= status <= 599:
            raise self.fail("status", f"must be an HTTP status, not {_shown(status)}")
        return int(status)

    def _robots(self) -> frozenset[str]:
        value = self._row.pop("robots", None)
        if isinstance(value, bool):
            value = "allow" if value else "disallow"
        if value is not None and not isinstance(value, str):
            raise self.fail("robots", f"must be a string, not {_shown(value)}")
        tokens = frozenset(token.strip() for token in (value or "").lower().split(",")) - {""}
        if unknown := tokens - _FORBIDS - _KEEPS_LINKS - _ALLOWS:
            known = "allow, disallow, index, noindex, follow, nofollow"
            raise self.fail("robots", f"must be one of {known}, not {_shown(min(unknown))}")
        return tokens

    def _check_url(self, field: str, url: str) -> None:
        try:
            identity(url)
        except ValueError as error:
            raise self.fail(field, str(error)) from None


@contextmanager
def opened(path: str | Path) -> Iterator[Iterable[bytes]]:
    """Open a plain, gzip or zstd file for reading; the first bytes decide the format.

    Raises OSError if the file cannot be opened, WorldError for zstd without the library.
    """
    with open(path, "rb") as file:
        magic = file.read(4)
        file.seek(0)
        if magic.startswith(_GZIP):
            with gzip.open(file) as lines:
                yield cast("IO[bytes]", lines)
        elif magic == _ZSTD:
            with _unpack_zstd(path, file) as lines:
                yield lines
        else:
            yield file


@contextmanager
def _unpack_zstd(path: str | Path, file: IO[bytes]) -> Iterator[Iterable[bytes]]:
    try:
        import zstandard
    except ImportError:
        raise WorldError(path, 0, "", "zstd needs the extra evocrawl[sim]") from None
    unpacker = zstandard.ZstdDecompressor().stream_reader(file, read_across_frames=True)
    try:
        yield io.BufferedReader(unpacker)
    except zstandard.ZstdError as error:
        raise EOFError(str(error)) from error


def _object(path: str | Path, number: int, line: bytes) -> dict[str, Any]:
    try:
        row = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise WorldError(path, number, "", f"not JSON: {error}") from None
    if not isinstance(row, dict):
        raise WorldError(path, number, "", f"must be a JSON object, not {_shown(row)}")
    return row


def _shown(value: object) -> str:
    """Return a value for a message: short, and safe for a terminal."""
    text = ascii(value)
    return text if len(text) <= 60 else f"{text[:57]}..."
