"""Compiles patterns that repeat a group possessively, such as ``(?:<[^<>]*+>)*+``.

Python's `re` before 3.11.5 leaves the place where a failed last repetition stopped, and not where
it began (gh-106052): Debian 12 has such a Python. There `regex` takes its place, which is right and
takes two to three times as long. A repetition of one character, ``[^>]*+``, is right everywhere.
"""

from __future__ import annotations

import re
from typing import AnyStr, cast

import regex

_IS_RIGHT = cast("re.Match[str]", re.match("(?:a(?!b)c*+)*+", "acab")).end() == 2


def compiled(pattern: AnyStr, flags: int = 0) -> re.Pattern[AnyStr]:
    """Return the compiled pattern; `flags` are those of `re`, and the same numbers in `regex`.

    >>> compiled("(?:ab)*+").match("ababa").end()
    4
    """
    if _IS_RIGHT:
        return re.compile(pattern, flags)
    return cast("re.Pattern[AnyStr]", regex.compile(pattern, int(flags) | regex.V0))
