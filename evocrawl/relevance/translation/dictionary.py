"""A file of translations between two languages, for both directions: SQLite, looked up by word.

========  ======================================================================================
table     content
========  ======================================================================================
`about`   `format`; the two `languages`; `source` and `licence`, as the dictionaries give them
`words`   `language`, `form` (a word, or a stem behind ``~``) and its `best` translation
========  ======================================================================================

`evocrawl dictionary` makes it (`evocrawl.relevance.translation.making`).
"""

from __future__ import annotations

import logging
import sqlite3
from pathlib import Path

from evocrawl.core.errors import SettingError

logger = logging.getLogger(__name__)

FORMAT = "evocrawl dictionary 1"
STEM = "~"
"""Stands before a stem, which no word begins with."""

_FIND = "SELECT best FROM words WHERE language = ? AND form = ?"


class Dictionary:
    """The translations in the file at `place`; raises SettingError if it is no such file."""

    def __init__(self, place: str) -> None:
        path = Path(place).expanduser()
        if not path.is_file():
            raise _wrong(place, "a file that is there")
        try:
            self._file = sqlite3.connect(
                f"{path.resolve().as_uri()}?mode=ro&immutable=1", uri=True, check_same_thread=False
            )
            about = dict(self._file.execute("SELECT name, value FROM about"))
            self._file.execute(_FIND, ("", "")).fetchone()
            one, other = about["languages"].split()
        except (sqlite3.Error, KeyError, ValueError, AttributeError) as error:
            raise _wrong(place, f"a file that `evocrawl dictionary` wrote ({error})") from None
        if about.get("format") != FORMAT:
            raise _wrong(place, "a file that this version of evocrawl wrote: make it anew")
        self.place = place
        self._has_warned = False
        self.languages: tuple[str, str] = (one, other)

    def find(self, language: str, form: str) -> str | None:
        """Return the best translation of a word of `language`; a stem has `STEM` before it.

        None without one, and where the file is damaged.
        """
        try:
            row = self._file.execute(_FIND, (language, form)).fetchone()
        except sqlite3.Error as error:
            if not self._has_warned:
                self._has_warned = True
                logger.warning("dictionary %s: a word cannot be read: %s", self.place, error)
            return None
        return None if row is None else str(row[0])


def changed_ns(place: str) -> int:
    """Return when the file was written, in nanoseconds; 0 for one that is not there."""
    path = Path(place).expanduser()
    return path.stat().st_mtime_ns if path.is_file() else 0


def _wrong(place: str, allowed: str) -> SettingError:
    return SettingError("dictionaries", place, allowed)
