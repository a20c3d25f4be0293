"""Where words end that no space parts: at the edges of blocks, and between neighbours in a line.

Style sheets, which are not read, show links and spans beside each other apart: chips, dates,
menus. So a word ends between an element's end and the start of the next where both are links, or
one is an element that is there to be styled. Bold, italic and the like only change how letters
look, and a single letter beside others is a drop cap, or one that moves.
"""

from __future__ import annotations

import re
from functools import lru_cache
from itertools import groupby

from evocrawl.reading.inline import INLINE, READINGS

_WITHIN_A_LINE = sorted((*INLINE, *READINGS, "a", "script", "style", "wbr"))
_BY_LETTER = "|".join(
    f"[{letter}{letter.upper()}](?i:{'|'.join(name[1:] for name in names)})"
    for letter, names in groupby(_WITHIN_A_LINE, lambda name: name[0])
)
_EDGE = re.compile(rf"<(?!/?(?:{_BY_LETTER})(?![\w-]))(?=[/a-zA-Z])".encode())
"""Where a tag begins that is not inline. By first letters, it takes half the time."""
_NEIGHBOURS = re.compile(
    rb"</(?<=[0-9A-Za-z\x80-\xff;]</)[^<>]*+>(?:<[^<>]*+>){1,12}+(?=[0-9A-Za-z\x80-\xff&])"
)
"""Tags between two words, the first of them an end. So many only, for the sake of time."""
_ENDS = re.compile(rb"</([a-zA-Z]+)")
_STARTS = re.compile(rb"<([a-zA-Z]+)")
_STYLED = frozenset((b"a", b"cite", b"data", b"small", b"span", b"time"))
_LAST_REFERENCE = re.compile(r"&#?\w{1,8};\Z", re.A)
_REFERENCE = re.compile(r"&#?\w{1,8};", re.A)
_NEAR = 12


def with_gaps(html: bytes) -> bytes:
    """Return `html` with a space wherever a word ends. O(bytes)."""
    return between_neighbours(_EDGE.sub(b" <", html))


def between_neighbours(html: bytes) -> bytes:
    """Return `html` with a space between neighbours in a line that are shown apart.

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
        return parted  # Two letters of ASCII on each side: the usual case, and the quickest.
    before, after = html[max(start - _NEAR, 0) : start], html[end : end + _NEAR]
    return parted if _parts_words(before, after, are_links=are_links) else tags


@lru_cache(maxsize=1024)
def _parting(tags: bytes) -> tuple[bytes, bool]:
    """Return the tags with a space if they may part words, b"" if not; whether of two links."""
    ends, starts = _names(_ENDS, tags), _names(_STARTS, tags)
    if not starts or _STYLED.isdisjoint(ends | starts):
        return b"", False
    return tags.replace(b">", b"> ", 1), b"a" in ends & starts


def _names(pattern: re.Pattern[bytes], tags: bytes) -> set[bytes]:
    return {name.lower() for name in pattern.findall(tags)}


def _parts_words(before: bytes, after: bytes, *, are_links: bool) -> bool:
    """Whether what stands before and after are words of their own, not the letters of one."""
    left, right = before.decode("utf-8", "ignore"), after.decode("utf-8", "ignore")
    ends_in_reference = _LAST_REFERENCE.search(left) is not None
    begins_with_reference = _REFERENCE.match(right) is not None
    if not (ends_in_reference or _is_of_word(left[-1:])):
        return False
    if not (begins_with_reference or _is_of_word(right[:1])):
        return False
    if are_links or left[-1].isdigit() != right[0].isdigit():
        return True
    return (ends_in_reference or _is_of_word(left[-2:-1])) and (
        begins_with_reference or _is_of_word(right[1:2])
    )


def _is_of_word(character: str) -> bool:
    return character > "\x7f" or character.isalnum()
