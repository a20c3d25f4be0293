"""Declares one option, parses its value from text and checks it."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Mapping, Set
from dataclasses import dataclass, field
from pathlib import PurePath
from typing import Any

from evocrawl.core.config.hints import value_hint
from evocrawl.core.errors import SettingError

_PARTING = re.compile(r"[,\s]*\s[,\s]*|,+(?=\w+://|\Z)|\A,+")
_PLACES = re.compile(r"[,\s]*\s[,\s]*|,+(?=[A-Za-z][\w-]*:|\Z)|\A,+")
_URL = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*://")

Parser = Callable[[Any], Any]
"""Converts a raw value to the option's type; raises ValueError or TypeError if it is invalid."""


@dataclass(frozen=True, slots=True)
class Option:
    """What an option accepts and means; an error message for a refused value shows `allowed`."""

    read: Parser
    allowed: str
    meaning: str

    def value(self, name: str, raw: object) -> Any:
        """Return `raw` converted to the option's type; raises SettingError for option `name`."""
        try:
            return self.read(raw)
        except (ValueError, TypeError, OverflowError) as error:
            raise SettingError(
                name, raw, self.allowed, value_hint(name, raw, self.allowed)
            ) from error


def option(default: Any, read: Parser, allowed: str, meaning: str) -> Any:
    """Declare a dataclass field as an option."""
    return field(default=default, metadata={"option": Option(read, allowed, meaning)})


def number(low: float, high: float = math.inf, *, above: bool = False) -> Parser:
    """Return a parser of finite floats from `low` (excluded if `above`) to `high`; no booleans."""

    def read(raw: Any) -> float:
        if isinstance(raw, bool):
            raise TypeError(raw)
        value = float(raw)
        if not math.isfinite(value) or not low <= value <= high or (above and value == low):
            raise ValueError(value)
        return value

    return read


def whole(low: int, high: float = math.inf) -> Parser:
    """Return a parser of integers from `low` to `high`; accepts "3", refuses "3.5" and True."""

    def read(raw: Any) -> int:
        if isinstance(raw, bool) or (isinstance(raw, float) and not raw.is_integer()):
            raise ValueError(raw)
        value = int(raw)
        if not low <= value <= high:
            raise ValueError(value)
        return value

    return read


def one_of(names: Iterable[str]) -> Parser:
    """Return a parser that accepts only the given names."""
    known = tuple(names)

    def read(raw: Any) -> str:
        if raw not in known:
            raise ValueError(raw)
        return str(raw)

    return read


def flag(raw: Any) -> bool:
    """Parse a boolean in a spelling that Scrapy accepts: True, "true", 1, "0" and so on."""
    text = str(raw).strip().lower()
    if text in ("1", "true", "yes", "on"):
        return True
    if text in ("0", "false", "no", "off"):
        return False
    raise ValueError(raw)


def text(raw: Any) -> str:
    """Return a string without surrounding space; refuse NUL and what UTF-8 cannot encode."""
    if not isinstance(raw, str):
        raise TypeError(raw)
    if b"\0" in raw.encode("utf-8"):
        raise ValueError(raw)
    return raw.strip()


def text_up_to(chars: int) -> Parser:
    """Return a parser of strings of at most `chars` characters."""

    def read(raw: Any) -> str:
        found = text(raw)
        if len(found) > chars:
            raise ValueError(raw)
        return found

    return read


def path(raw: Any) -> str:
    """Return a path, given as a string or a pathlib object; refuse URLs."""
    read = text(str(raw) if isinstance(raw, PurePath) else raw)
    if _URL.match(read):
        raise ValueError(raw)
    return read


def path_ending(*endings: str) -> Parser:
    """Return a parser of paths that end in one of `endings`; the empty path is accepted."""

    def read(raw: Any) -> str:
        found = path(raw)
        if found and not found.endswith(endings):
            raise ValueError(raw)
        return found

    return read


def path_or_url(*schemes: str) -> Parser:
    """Return a parser of paths and of URLs that begin with one of `schemes`, such as ``a://``.

    A text that begins so but for the slashes is refused: it is no path.
    """
    begins = tuple(each.rstrip("/") for each in schemes)

    def read(raw: Any) -> str:
        given = str(raw).strip()
        if given.startswith(begins) and not given.startswith(schemes):
            raise ValueError(raw)
        return text(raw) if given.startswith(schemes) else path(raw)

    return read


def words(raw: Any) -> tuple[str, ...]:
    """Parse a list, or a string whose entries are separated by spaces, commas or line ends.

    A comma inside an entry, as in some URLs, does not separate. A set is sorted, so that the order
    is the same in each run.
    """
    if isinstance(raw, Mapping | bytes):
        raise TypeError(raw)
    if isinstance(raw, str):
        return tuple(filter(None, _PARTING.split(text(raw))))
    return tuple(text(entry) for entry in (sorted(raw) if isinstance(raw, Set) else raw))


def names(raw: Any) -> tuple[str, ...]:
    """Parse names that have no comma, such as domains, as `words` does; each comma separates."""
    return words(raw.replace(",", " ") if isinstance(raw, str) else raw)


def places(raw: Any) -> tuple[str, ...]:
    """Parse URLs and sources of seeds as `words` does; a comma also ends before ``NAME:``."""
    if not isinstance(raw, str):
        return words(raw)
    return tuple(filter(None, _PLACES.split(text(raw))))


def paths(raw: Any) -> tuple[str, ...]:
    """Parse paths as `names` does; in a list, each may be a pathlib object and contain spaces."""
    if isinstance(raw, str | PurePath):
        return names(str(raw))
    return tuple(map(path, raw))


def maybe(read: Parser) -> Parser:
    """Return a parser that maps None, "" and "none" to None and passes other values to `read`."""

    def reader(raw: Any) -> Any:
        return None if raw is None or str(raw).lower() in ("", "none") else read(raw)

    return reader
