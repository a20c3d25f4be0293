"""Reads word lists of languages by frequency, from wordfreq (Speer 2021).

If a language has a file, it is read here. Importing the package itself takes 0.2 s of processor
time; it is imported only for languages that use the list of a related language.
"""

from __future__ import annotations

import gzip
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any, cast

import msgpack

_FORMAT = {"format": "cB", "version": 1}


def frequency_list(language: str, size: str = "small") -> list[list[str]]:
    """Return the words of a language (a primary subtag) by their frequency.

    List number n has the words that are n centibels below "every word", 100 to a factor of ten.
    `size` is "small" (to one in a million words), "large" or "best", the largest that there is.
    Nothing is kept in memory. Raises LookupError for a language without a list.
    """
    for name in ("large", "small") if size == "best" else (size,):
        path = _folder() / f"{name}_{language}.msgpack.gz"
        if path.is_file():
            return _read(path)
    import wordfreq

    read: Any = wordfreq.get_frequency_list
    return cast("list[list[str]]", read.__wrapped__(language, size))


@cache
def _folder() -> Path:
    spec = find_spec("wordfreq")
    assert spec is not None
    assert spec.origin is not None
    return Path(spec.origin).parent / "data"


def _read(path: Path) -> list[list[str]]:
    """Read a file as `wordfreq.read_cBpack` does, whose docstring has the format."""
    header, *lists = msgpack.unpackb(gzip.decompress(path.read_bytes()))
    if header != _FORMAT:
        raise ValueError(f"{path}: its header is {header!r}, not {_FORMAT!r}")
    return cast("list[list[str]]", lists)
