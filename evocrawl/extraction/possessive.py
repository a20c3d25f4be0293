"""Compiles patterns that repeat a group possessively, such as ``(?:<[^<>]*+>)*+``.

Python's `re` is wrong about them in early versions of 3.11, such as that of Debian 12: it keeps a
part of a last repetition that failed (gh-100061, gh-106052). There `regex` takes its place, which
is right and takes two to three times as long. A repetition of one character, ``[^>]*+``, is right
everywhere.
"""

from __future__ import annotations

import re
from typing import AnyStr, cast

import regex

_IS_RIGHT = all(
    cast("re.Match[str]", re.match(pattern, text)).end() == 2
    for pattern, text in (
        ("(?:(?!c).)*+", "abc"),
        ("(?:a(?!b)c*+)*+", "acab"),
        ("(?:ab?c)*+", "aca"),
    )
)


def compiled(pattern: AnyStr, flags: int = 0) -> re.Pattern[AnyStr]:
    """Return the compiled pattern; `flags` are those of `re`, and the same numbers in `regex`.

    >>> compiled("(?:ab)*+").match("ababa").end()
    4
    """
    if _IS_RIGHT:
        return re.compile(pattern, flags)
    return cast("re.Pattern[AnyStr]", regex.compile(pattern, int(flags) | regex.V0))
