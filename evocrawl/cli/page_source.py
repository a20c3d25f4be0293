"""Reads the page of a command's argument: an address, a file, or standard input."""

from __future__ import annotations

import sys
import urllib.error
import urllib.request
from pathlib import Path
from typing import Any

from evocrawl.core.errors import SettingError
from evocrawl.core.model import Content
from evocrawl.core.text.binary import is_binary
from evocrawl.extraction.document import Document, read
from evocrawl.politeness.robots.rules import RobotsRules, authority

_TIMEOUT_S = 30.0
_MOST_BYTES = 10_000_000
_MOST_ROBOTS_BYTES = 500 * 1024
"""Bytes of robots.txt that are read (RFC 9309 §2.5)."""
_READ_ALL_THE_SAME = (b"%PDF", b"\x1f\x8b")
"""How PDF files and files of gzip begin."""
_AGENT = "evocrawl"


def page_at(place: str) -> Content:
    """Return the content of the page at `place`.

    Raises SettingError for an address that cannot be fetched or that robots.txt forbids, for a file
    that is not there, for a binary one, and for a page without text.
    """
    body, kind, language = _fetched(place) if "://" in place else _opened(place)
    if is_binary(body) and not body.startswith(_READ_ALL_THE_SAME):
        raise _wrong(place, "a page with text, and this is a binary file")
    reading = read(
        Document(
            body,
            place if "://" in place else "http://file.invalid/",
            content_type=kind,
            content_language=language,
            any_text=True,
            is_text=True,
        )
    )
    if not reading.title and not reading.text:
        raise _wrong(place, "a page with text")
    return Content(reading.title, reading.text, reading.language, reading.formats)


def _opened(place: str) -> tuple[bytes, str, str]:
    try:
        if place == "-":
            return sys.stdin.buffer.read(_MOST_BYTES), "", ""
        path = Path(place).expanduser()
        with path.open("rb") as file:
            body = file.read(_MOST_BYTES)
    except OSError as error:
        problem = f"{error.strerror or error}"
        raise _wrong(
            place, f"an address with http:// or a file that can be read ({problem})"
        ) from None
    return body, "text/plain" if path.suffix.lower() in (".txt", ".md") else "", ""


def _fetched(url: str) -> tuple[bytes, str, str]:
    if not url.lower().startswith(("http://", "https://")):
        raise _wrong(url, "an http or https address, or a file")
    try:
        if not _robots(url).allows(url):
            raise _wrong(url, "a page that robots.txt allows; save it as a file")
        with _open(url) as response:
            headers = response.headers
            body = response.read(_MOST_BYTES)
            return body, headers.get("Content-Type", ""), headers.get("Content-Language", "")
    except urllib.error.HTTPError as error:
        raise _wrong(url, f"a page that can be fetched (the server answers {error.code})") from None
    except (OSError, ValueError) as error:
        problem = getattr(error, "reason", error)
        raise _wrong(url, f"an address that can be fetched ({problem})") from None


def _robots(url: str) -> RobotsRules:
    """Return the rules of the server of `url`. Raises OSError if it cannot be reached."""
    try:
        with _open(f"{authority(url)}/robots.txt") as response:
            body = response.read(_MOST_ROBOTS_BYTES)
            return RobotsRules.from_response(response.status, body, _AGENT)
    except urllib.error.HTTPError as error:
        return RobotsRules.from_response(error.code, b"", _AGENT)


def _open(url: str) -> Any:
    request = urllib.request.Request(url, headers={"User-Agent": _AGENT})
    return urllib.request.urlopen(request, timeout=_TIMEOUT_S)


def _wrong(place: str, allowed: str) -> SettingError:
    return SettingError("the page", place, allowed)
