"""Reads plain text as a page; its first line is the title."""

from __future__ import annotations

from evocrawl.extraction.decoding import decoded
from evocrawl.extraction.html import ParsedPage, content_fingerprint
from evocrawl.extraction.language import language_of
from evocrawl.extraction.limits import Limits
from evocrawl.extraction.parser_guards import is_markup

_BYTES_A_CHAR = 4


def read_plain(
    body: bytes, encoding: str | None, content_language: str, limits: Limits
) -> ParsedPage:
    """Read text without markup; return an empty reading for JSON and binary files."""
    if not is_markup(body):
        return ParsedPage.nothing()
    most = _BYTES_A_CHAR * limits.text_chars
    lines = decoded(body[:most], encoding).splitlines()
    title = next((line.strip() for line in lines if line.strip()), "")
    text = " ".join(" ".join(lines).split())
    is_cut = len(body) > most or len(text) > limits.text_chars
    text = text[: limits.text_chars]
    return ParsedPage(
        title=title[: limits.words_chars].encode("utf-8", "replace").decode(),
        text=text.encode("utf-8", "replace").decode(),
        language=language_of(content_language, text),
        truncated=("text_chars",) if is_cut else (),
        content_fingerprint=content_fingerprint(text),
    )
