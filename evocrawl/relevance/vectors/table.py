"""A table of word vectors in three files; the vectors are mapped into memory and not read.

==============  ================================================================================
file            content
==============  ================================================================================
``terms.txt``   the n terms in UTF-8, one a line
``rows.npy``    int8, shape (n, d): the vector of each term, all to one scale
``about.json``  ``language``, a code such as "en"; ``source`` and ``licence`` in words
==============  ================================================================================

A term is a stem, as `evocrawl.relevance.terms` makes it.
"""

from __future__ import annotations

import json
from functools import lru_cache
from importlib.resources import files
from importlib.resources.abc import Traversable
from io import BytesIO
from pathlib import Path
from sys import intern
from typing import Any

import numpy as np
import numpy.typing as npt

from evocrawl.core.errors import SettingError

TERMS, ROWS, ABOUT = "terms.txt", "rows.npy", "about.json"

_SHORTEST_PART = 3
_SHORTEST_SPLIT = 7
"""Letters of a part of a compound, and of the shortest compound that is split."""

Rows = npt.NDArray[np.int8]


class WordTable:
    """The vectors of terms. `language` is "" for a table of any.

    ``rows[i]`` is the vector of term i: the product of the weight of the term and its direction.
    Raises SettingError for a folder that has no such table.
    """

    def __init__(self, folder: Traversable) -> None:
        self.rows: Rows = _mapped(folder, ROWS)
        if self.rows.ndim != 2 or self.rows.dtype != np.int8 or not self.rows.size:
            raise _wrong(folder, f"{ROWS} has to hold int8 in 2 dimensions, none of them empty")
        terms = _terms(folder)
        self._row_of = dict(zip(terms, range(len(terms)), strict=True))
        self.row_of = self._row_of.get
        """Returns the row of a term, None if the table lacks it."""
        if not len(terms) == len(self._row_of) == len(self.rows):
            raise _wrong(folder, f"{TERMS} has to hold one term for each row of {ROWS}, none twice")
        self.about = _about(folder)
        self.language = str(self.about.get("language", ""))

    @property
    def dimensions(self) -> int:
        """The number of dimensions of each vector, d."""
        return int(self.rows.shape[1])

    def __len__(self) -> int:
        return len(self._row_of)

    def find(self, term: str) -> tuple[int, ...]:
        """Return the row of a term, the rows of its two parts if it is a compound, or nothing.

        Runtime complexity: O(letters).
        """
        row = self.row_of(term)
        return (self.parts(term) or ()) if row is None else (row,)

    def parts(self, term: str) -> tuple[int, int] | None:
        """Split an unknown term, such as "seafloor", so that its end is as long as possible."""
        if len(term) < _SHORTEST_SPLIT or not term.isalpha():
            return None
        row_of = self.row_of
        for place in range(_SHORTEST_PART, len(term) - _SHORTEST_PART + 1):
            end = row_of(term[place:])
            begin = row_of(term[:place]) if end is not None else None
            if begin is not None and end is not None:
                return begin, end
        return None


@lru_cache(maxsize=1)
def shipped() -> WordTable:
    """Return the table of English words that comes with evocrawl; mapped once a process.

    From a zipped egg, as Scrapyd runs projects, it is read into memory.
    """
    return WordTable(files("evocrawl.relevance.vectors").joinpath("english"))


def save_table(
    folder: Path, terms: list[str], vectors: npt.NDArray[Any], about: dict[str, str]
) -> None:
    """Write the table of `terms` with their `vectors`, shape (n, d), rounded to 8 bits."""
    folder.mkdir(parents=True, exist_ok=True)
    scale = 127 / max(float(np.abs(vectors).max()), 1e-12)
    np.save(folder / ROWS, np.round(vectors * scale).astype(np.int8))
    (folder / TERMS).write_text("".join(f"{term}\n" for term in terms), encoding="utf-8")
    (folder / ABOUT).write_text(json.dumps(about, indent=2) + "\n", encoding="utf-8")


def _mapped(folder: Traversable, name: str) -> Any:
    file = folder / name
    try:
        if isinstance(file, Path):
            return np.load(file, mmap_mode="r", allow_pickle=False)
        return np.load(BytesIO(file.read_bytes()), allow_pickle=False)
    except (OSError, ValueError, EOFError) as error:
        raise _wrong(folder, f"{name} cannot be read: {error}") from error


def _terms(folder: Traversable) -> list[str]:
    try:
        text = (folder / TERMS).read_text(encoding="utf-8")
    except (OSError, ValueError, KeyError) as error:
        raise _wrong(folder, f"{TERMS} cannot be read: {error}") from error
    return [*map(intern, text.removesuffix("\n").split("\n"))]


def _about(folder: Traversable) -> dict[str, Any]:
    try:
        about = json.loads((folder / ABOUT).read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise _wrong(folder, f"{ABOUT} cannot be read: {error}") from error
    if not isinstance(about, dict):
        raise _wrong(folder, f"{ABOUT} has to hold an object")
    return about


def _wrong(folder: Traversable, problem: str) -> SettingError:
    return SettingError("relevance", f"vectors:{folder}", f"a folder of word vectors ({problem})")
