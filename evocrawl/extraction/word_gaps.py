"""Inserts spaces where words end without one: at the edges of blocks, and between inline elements.

Style sheets, which are not read, display adjacent links and spans as separate words: chips, dates,
menus. So a word ends between an end tag and the next start tag if both are links, or if one is an
element that is usually styled. Bold, italic and the like only change the look of letters, and a
single letter beside others is a drop cap or an animated letter.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache
from html import unescape
from itertools import groupby

from evocrawl.extraction.possessive import compiled
from evocrawl.extraction.visibility import INLINE, READINGS

_WITHIN_A_LINE = sorted((*INLINE, *READINGS, "a", "script", "style", "wbr"))
_BY_LETTER = "|".join(
    f"[{letter}{letter.upper()}](?i:{'|'.join(name[1:] for name in names)})"
    for letter, names in groupby(_WITHIN_A_LINE, lambda name: name[0])
)
_EDGE = re.compile(rf"<(?!/?(?:{_BY_LETTER})(?![\w-]))(?=[/a-zA-Z])".encode())
"""The start of a tag that is not inline. Grouping by first letters halves the time."""
_NEIGHBOURS = compiled(
    rb"</(?<=[0-9A-Za-z\x80-\xff;]</)[^<>]*+>(?:<[^<>]*+>){1,12}+(?=[0-9A-Za-z\x80-\xff&])"
)
"""Tags between two words, the first of them an end tag. Their number is limited for speed."""
_ENDS = re.compile(rb"</([a-zA-Z]+)")
_STARTS = re.compile(rb"<([a-zA-Z]+)")
_STYLED = frozenset((b"a", b"cite", b"data", b"small", b"span", b"time"))
_REFERENCE = re.compile(r"&#?\w{1,8};", re.A)
_NEAR = 24
"""Bytes that are read on either side: enough for two character references."""


def with_gaps(html: bytes) -> bytes:
    """Return `html` with a space inserted where a word ends. O(bytes)."""
    return between_neighbours(_EDGE.sub(b" <", html))


def between_neighbours(html: bytes) -> bytes:
    """Return `html` with a space between inline elements that are displayed as separate words.

    >>> between_neighbours(b"<span>Monday</span><span>Storm</span> word<a>s</a>")
    b'<span>Monday</span> <span>Storm</span> word<a>s</a>'
    """
    return _NEIGHBOURS.sub(_parted, html)


def _parted(between: re.Match[bytes]) -> bytes:
    tags = between[0]
    parted, are_links = _parting(tags)
    if not parted:
        return tags
    html, (start, end) = between.string, between.span()
    if html[start - 2 : start].isalnum() and html[end : end + 2].isalnum():
        return parted  # Two ASCII letters on each side: the usual and fastest case.
    before, after = html[max(start - _NEAR, 0) : start], html[end : end + _NEAR]
    return parted if _parts_words(before, after, are_links=are_links) else tags


@lru_cache(maxsize=1024)
def _parting(tags: bytes) -> tuple[bytes, bool]:
    """Return the tags with a space, b"" if they separate no words; whether both are links."""
    ends, starts = _names(_ENDS, tags), _names(_STARTS, tags)
    if not starts or _STYLED.isdisjoint(ends | starts):
        return b"", False
    return tags.replace(b">", b"> ", 1), b"a" in ends & starts


def _names(pattern: re.Pattern[bytes], tags: bytes) -> set[bytes]:
    return {name.lower() for name in pattern.findall(tags)}


def _parts_words(before: bytes, after: bytes, *, are_links: bool) -> bool:
    """Return whether the texts before and after are separate words, not letters of one word."""
    left, right = _letters(before), _letters(after)
    if not (_is_of_word(left[-1:]) and _is_of_word(right[:1])):
        return False
    if are_links or left[-1].isdigit() != right[0].isdigit():
        return True
    return _is_of_word(left[-2:-1]) and _is_of_word(right[1:2])


def _letters(html: bytes) -> str:
    """Return the text; a character reference becomes its letter or digit, any other a space."""
    return _REFERENCE.sub(_letter, html.decode("utf-8", "ignore"))


def _letter(reference: re.Match[str]) -> str:
    text = unescape(reference[0])
    return text if all(unicodedata.category(char)[0] in "LMN" for char in text) else " "


def _is_of_word(character: str) -> bool:
    return character > "\x7f" or character.isalnum()
