"""Reads the dictionaries of the program dictd, such as those of FreeDict that Debian packages.

============================  ==================================================================
file                          content
============================  ==================================================================
``NAME.index``                a line for each headword: the headword, where its text begins and
                              how long it is, with tabs between; both in bytes, as numbers with 64
                              digits (dictfmt(1))
``NAME.dict``, ``.dict.dz``   the texts; ``dz`` is gzip with a table of places (dictzip(1))
============================  ==================================================================

Headwords that begin with ``00database`` are about the dictionary itself.
"""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Iterator
from pathlib import Path

from evocrawl.core.errors import SettingError

MOST_BYTES = 500_000_000
"""Size of the largest index, and of the texts without compression."""
LONGEST_ENTRY = 20_000
"""Bytes of an entry that are read."""

_DIGITS = {
    digit: value
    for value, digit in enumerate(
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
    )
}
_MOST_DIGITS = 6
_ENDINGS = (".index", ".dict", ".dict.dz")
_ABOUT = "00database"


class Dictd:
    """One dictionary: the files ``NAME.index`` and ``NAME.dict`` or ``NAME.dict.dz``.

    `place` is the path of one of the files, or the path without its ending. Raises SettingError for
    files that are not there, are too large, or are no such dictionary.
    """

    def __init__(self, place: str) -> None:
        self._place = place
        path = Path(place).expanduser()
        for ending in _ENDINGS:
            if path.name.endswith(ending):
                path = path.with_name(path.name.removesuffix(ending))
        self.name = path.name
        self._lines = self._index(path.with_name(f"{path.name}.index"))
        self._texts = self._read_texts(path)

    def entries(self) -> Iterator[tuple[str, str]]:
        """Yield each headword with its text."""
        for headword, start, length in self._places():
            if headword and not headword.startswith(_ABOUT):
                yield headword, self._text(start, length)

    def about(self, what: str) -> str:
        """Return what the dictionary says of itself: "short", "url" or "info"; "" without that.

        The first line of the answer repeats the headword, and is left out.
        """
        for headword, start, length in self._places():
            if headword == f"{_ABOUT}{what}":
                lines = [line.strip() for line in self._text(start, length).splitlines()]
                return "\n".join(line for line in lines if not line.startswith("00-")).strip()
        return ""

    def _places(self) -> Iterator[tuple[str, int, int]]:
        for number, line in enumerate(self._lines, 1):
            headword, *places = line.split("\t")
            try:
                start, length = map(_number, places[:2])
            except ValueError:
                problem = f"line {number} of its index is no headword with two numbers"
                raise self._wrong(problem) from None
            if start + length > len(self._texts):
                raise self._wrong(f"line {number} of its index points outside the texts")
            yield headword.strip(), start, length

    def _text(self, start: int, length: int) -> str:
        part = self._texts[start : start + min(length, LONGEST_ENTRY)]
        try:
            return part.decode("utf-8", "strict" if length <= LONGEST_ENTRY else "ignore")
        except UnicodeDecodeError:
            raise self._wrong("its texts are not in UTF-8") from None

    def _index(self, path: Path) -> list[str]:
        try:
            with path.open("rb") as file:
                raw = file.read(MOST_BYTES + 1)
        except OSError as error:
            raise self._wrong(f"{path}: {error.strerror or error}") from None
        if len(raw) > MOST_BYTES:
            raise self._wrong(f"its index is larger than {MOST_BYTES} bytes")
        try:
            lines = raw.decode("utf-8").split("\n")
        except UnicodeDecodeError:
            raise self._wrong("its index is not in UTF-8") from None
        return [line for line in lines if line]

    def _read_texts(self, path: Path) -> bytes:
        packed = path.with_name(f"{path.name}.dict.dz")
        plain = path.with_name(f"{path.name}.dict")
        try:
            with gzip.open(packed) if packed.is_file() else plain.open("rb") as file:
                texts = file.read(MOST_BYTES + 1)
        except (OSError, EOFError, zlib.error) as error:
            problem = getattr(error, "strerror", None) or error
            raise self._wrong(f"{packed if packed.is_file() else plain}: {problem}") from None
        if len(texts) > MOST_BYTES:
            raise self._wrong(f"its texts are larger than {MOST_BYTES} bytes")
        return texts

    def _wrong(self, problem: str) -> SettingError:
        allowed = (
            "a dictionary of dictd, such as /usr/share/dictd/freedict-deu-eng with the files"
            f" .index and .dict.dz ({problem})"
        )
        return SettingError("the dictionary", self._place, allowed)


def _number(digits: str) -> int:
    """Return the value of a number with 64 digits; raises ValueError.

    >>> _number("A"), _number("BA"), _number("GHAt")
    (0, 64, 1601581)
    """
    if not 0 < len(digits) <= _MOST_DIGITS:
        raise ValueError(digits)
    value = 0
    for digit in digits:
        if digit not in _DIGITS:
            raise ValueError(digits)
        value = 64 * value + _DIGITS[digit]
    return value
