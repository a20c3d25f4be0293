"""A table of word vectors in two files; the vectors are mapped into memory and not read.

==============  ================================================================================
file            content
==============  ================================================================================
``keys.npy``    uint64, shape (n,), ascending: the hash of each term
``rows.npy``    int8, shape (n, d): the vector of each term, all to one scale
``about.json``  ``language``, a code such as "en"; ``source`` and ``licence`` in words
==============  ================================================================================

A term is a stem, as `evocrawl.relevance.terms` makes it. Its hash is BLAKE2b of its UTF-8, 8 bytes,
read as a little-endian number: among 50 000 terms two share a hash with a chance of 10⁻¹⁰.
"""

from __future__ import annotations

import json
from functools import lru_cache
from hashlib import blake2b
from importlib.resources import files
from importlib.resources.abc import Traversable
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from evocrawl.core.errors import SettingError

KEYS, ROWS, ABOUT = "keys.npy", "rows.npy", "about.json"

_SHORTEST_PART = 3
_SHORTEST_SPLIT = 7
"""Letters of a part of a compound, and of the shortest compound that is split."""

Rows = npt.NDArray[np.int8]


class WordTable:
    """The vectors of terms, found by the term's hash. `language` is "" for a table of any.

    ``rows[i]`` is the vector of term i: the product of how much the term says and its direction.
    Raises SettingError for a folder that has no such table.
    """

    def __init__(self, folder: Traversable) -> None:
        self.rows: Rows = _mapped(folder, ROWS)
        keys: npt.NDArray[np.uint64] = _mapped(folder, KEYS)
        if self.rows.ndim != 2 or self.rows.dtype != np.int8:
            raise _wrong(folder, f"{ROWS} has to hold int8 in 2 dimensions")
        if keys.shape != self.rows.shape[:1] or keys.dtype != np.uint64:
            raise _wrong(folder, f"{KEYS} has to hold one uint64 for each row of {ROWS}")
        self._row_of: dict[int, int] = dict(zip(keys.tolist(), range(len(keys)), strict=True))
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
        row = self._row(term)
        return (row,) if row >= 0 else self._parts(term)

    def _parts(self, term: str) -> tuple[int, ...]:
        """Split a term that is not known, as "seafloor", so that its end is as long as can be."""
        if len(term) < _SHORTEST_SPLIT or not term.isalpha():
            return ()
        for place in range(_SHORTEST_PART, len(term) - _SHORTEST_PART + 1):
            end = self._row(term[place:])
            begin = self._row(term[:place]) if end >= 0 else -1
            if begin >= 0:
                return begin, end
        return ()

    def _row(self, term: str) -> int:
        return self._row_of.get(key_of(term), -1)


def key_of(term: str) -> int:
    """Return the hash of a term."""
    digest = blake2b(term.encode("utf-8", "replace"), digest_size=8).digest()
    return int.from_bytes(digest, "little")


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
    keys = np.array([key_of(term) for term in terms], np.uint64)
    order = np.argsort(keys)
    scale = 127 / max(float(np.abs(vectors).max()), 1e-12)
    np.save(folder / KEYS, keys[order])
    np.save(folder / ROWS, np.round(vectors[order] * scale).astype(np.int8))
    (folder / ABOUT).write_text(json.dumps(about, indent=2) + "\n", encoding="utf-8")


def _mapped(folder: Traversable, name: str) -> Any:
    file = folder / name
    try:
        if isinstance(file, Path):
            return np.load(file, mmap_mode="r", allow_pickle=False)
        return np.load(BytesIO(file.read_bytes()), allow_pickle=False)
    except (OSError, ValueError, EOFError) as error:
        raise _wrong(folder, f"{name} cannot be read: {error}") from error


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
