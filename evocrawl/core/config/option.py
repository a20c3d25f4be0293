"""How one option is declared, read from text and checked."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Mapping, Set
from dataclasses import dataclass, field
from pathlib import PurePath
from typing import Any

from evocrawl.core.errors import SettingError

_PARTING = re.compile(r"[,\s]*\s[,\s]*|,+(?=\w+://|\Z)|\A,+")
_URL = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*://")

Parser = Callable[[Any], Any]
"""Turns a raw value into the option's type; raises ValueError or TypeError when it cannot."""


@dataclass(frozen=True, slots=True)
class Option:
    """What an option accepts. `allowed` is said to the user when a value is refused."""

    read: Parser
    allowed: str
    meaning: str

    def value(self, name: str, raw: object) -> Any:
        """Return `raw` as the option's type; raises SettingError that names `name`."""
        try:
            return self.read(raw)
        except (ValueError, TypeError, OverflowError) as error:
            raise SettingError(name, raw, self.allowed) from error


def option(default: Any, read: Parser, allowed: str, meaning: str) -> Any:
    """Declare a dataclass field as an option."""
    return field(default=default, metadata={"option": Option(read, allowed, meaning)})


def number(low: float, high: float = math.inf, *, above: bool = False) -> Parser:
    """Return a reader of finite floats from `low` (excluded with `above`) to `high`, no True."""

    def read(raw: Any) -> float:
        if isinstance(raw, bool):
            raise TypeError(raw)
        value = float(raw)
        if not math.isfinite(value) or not low <= value <= high or (above and value == low):
            raise ValueError(value)
        return value

    return read


def whole(low: int, high: float = math.inf) -> Parser:
    """Return a reader of whole numbers from `low` to `high`; "3" counts, "3.5" and True do not."""

    def read(raw: Any) -> int:
        if isinstance(raw, bool) or (isinstance(raw, float) and not raw.is_integer()):
            raise ValueError(raw)
        value = int(raw)
        if not low <= value <= high:
            raise ValueError(value)
        return value

    return read


def one_of(names: Iterable[str]) -> Parser:
    """Return a reader that accepts the given names alone."""
    known = tuple(names)

    def read(raw: Any) -> str:
        if raw not in known:
            raise ValueError(raw)
        return str(raw)

    return read


def flag(raw: Any) -> bool:
    """Read a truth value, written as Scrapy accepts it: True, "true", 1, "0" and the like."""
    text = str(raw).strip().lower()
    if text in ("1", "true", "yes", "on"):
        return True
    if text in ("0", "false", "no", "off"):
        return False
    raise ValueError(raw)


def text(raw: Any) -> str:
    """Read a text, without the space around it; no NUL, and nothing that UTF-8 has not got."""
    if not isinstance(raw, str):
        raise TypeError(raw)
    if b"\0" in raw.encode("utf-8"):
        raise ValueError(raw)
    return raw.strip()


def path(raw: Any) -> str:
    """Read a path, a text or an object of pathlib; no URL is one."""
    read = text(str(raw) if isinstance(raw, PurePath) else raw)
    if _URL.match(read):
        raise ValueError(raw)
    return read


def path_ending(*endings: str) -> Parser:
    """Return a reader of a path that ends in one of `endings`, or of none."""

    def read(raw: Any) -> str:
        found = path(raw)
        if found and not found.endswith(endings):
            raise ValueError(raw)
        return found

    return read


def path_or_url(*schemes: str) -> Parser:
    """Return a reader of a path, or of a URL that begins with one of `schemes`."""

    def read(raw: Any) -> str:
        return text(raw) if str(raw).strip().startswith(schemes) else path(raw)

    return read


def words(raw: Any) -> tuple[str, ...]:
    """Read a list, or a text whose entries stand apart by spaces, commas or line ends.

    A comma within an entry, as some URLs have, parts nothing. A set is put in order, so that each
    run has the same.
    """
    if isinstance(raw, Mapping | bytes):
        raise TypeError(raw)
    if isinstance(raw, str):
        return tuple(filter(None, _PARTING.split(text(raw))))
    return tuple(text(entry) for entry in (sorted(raw) if isinstance(raw, Set) else raw))


def maybe(read: Parser) -> Parser:
    """Return a reader that takes None, "" and "none" as None and reads the rest."""

    def reader(raw: Any) -> Any:
        return None if raw is None or str(raw).lower() in ("", "none") else read(raw)

    return reader
