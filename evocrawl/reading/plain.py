"""Plain text as a page: its first line is the title."""

from __future__ import annotations

from evocrawl.reading.decoding import decoded
from evocrawl.reading.guards import is_markup
from evocrawl.reading.language import language_of
from evocrawl.reading.limits import Limits
from evocrawl.reading.page import Reading, content_fingerprint

_BYTES_A_CHAR = 4


def read_plain(body: bytes, encoding: str | None, content_language: str, limits: Limits) -> Reading:
    """Read text without markup; nothing where it is JSON or holds what no text does."""
    if not is_markup(body):
        return Reading.nothing()
    most = _BYTES_A_CHAR * limits.text_chars
    lines = decoded(body[:most], encoding).splitlines()
    title = next((line.strip() for line in lines if line.strip()), "")
    text = " ".join(" ".join(lines).split())
    is_cut = len(body) > most or len(text) > limits.text_chars
    text = text[: limits.text_chars]
    return Reading(
        title=title[: limits.words_chars].encode("utf-8", "replace").decode(),
        text=text.encode("utf-8", "replace").decode(),
        language=language_of(content_language, text),
        truncated=("text_chars",) if is_cut else (),
        content_fingerprint=content_fingerprint(text),
    )
