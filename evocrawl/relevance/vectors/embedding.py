"""Texts as vectors: the sum of the vectors of their words.

::

    v(d) = Σ_t n(t, d) · row(t)        n(t, d): mentions of term t in d, at most 20

A row's length falls with the frequency of its term, a/(a + p(t)) with a = 10⁻⁴ (Arora, Liang & Ma
2017, A simple but tough-to-beat baseline for sentence embeddings). A term that the table lacks is
split into two that it has, as "seafloor"; a word without either adds nothing.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from evocrawl.core.model import Content
from evocrawl.relevance.reading import Reading
from evocrawl.relevance.terms import Analyser
from evocrawl.relevance.vectors.table import WordTable

Vector: TypeAlias = npt.NDArray[np.float32]
"""Shape (d,). A vector of zeros is the vector of a text without a known word."""

_KNOWN_TERMS = 50_000
_UNKNOWN = -1
_MOST_MENTIONS = 20
"""A word that is stuffed into a page does not drown the others."""


class Embedding:
    """Turns texts, or the counts of their terms, into vectors of `table.dimensions` numbers.

    >>> from evocrawl.relevance.vectors import shipped
    >>> embedding = Embedding(shipped(), Analyser("en"))
    >>> near = cosine(embedding.of_text("coral reef"), embedding.of_text("marine corals"))
    >>> far = cosine(embedding.of_text("coral reef"), embedding.of_text("railway company"))
    >>> near > 0.5 > far
    True
    """

    def __init__(self, table: WordTable, analyser: Analyser) -> None:
        self.table = table
        self.language = table.language
        self._analyser = analyser
        self._rows = np.asarray(table.rows)
        self._known = _KnownRows(table)

    @property
    def dimensions(self) -> int:
        """The number of dimensions of each vector, d."""
        return self.table.dimensions

    def of_text(self, text: str) -> Vector:
        """Return the vector of a text. O(characters)."""
        return self.of_counts(self._analyser.count_few(self._analyser.words(text)))

    def of_counts(self, mentions: Mapping[str, int]) -> Vector:
        """Return the vector of a text by how often it mentions each term. O(terms · d)."""
        known, count = self._known, len(mentions)
        known.shrink()
        rows = np.fromiter(map(known.__getitem__, mentions), np.int64, count)
        times = np.minimum(np.fromiter(mentions.values(), np.float64, count), _MOST_MENTIONS)
        there = rows >= 0
        found = self._rows.take(rows[there], 0).astype(np.float64)
        # All of these are integers below 2**53, so that the sum is exact in any order.
        total = times[there] @ found
        for place in np.flatnonzero(rows < _UNKNOWN).tolist():
            total += times[place] * known.compound(int(rows[place]))
        vector: Vector = total.astype(np.float32)
        return vector

    def shares(self, mentions: Mapping[str, int], query: Vector) -> dict[str, float]:
        """Return what each term adds to the cosine of a text and `query`. O(terms · d)."""
        vectors = {
            term: min(times, _MOST_MENTIONS) * self._rows[[*rows]].sum(0, dtype=np.float32)
            for term, times in mentions.items()
            if (rows := self.table.find(term))
        }
        whole = sum(vectors.values(), np.zeros(self.dimensions, np.float32))
        length = float(np.linalg.norm(whole) * np.linalg.norm(query)) or 1.0
        return {term: float(vector @ query) / length for term, vector in vectors.items()}

    def of_page(self, content: Content, reading: Reading) -> Vector:  # noqa: ARG002
        """Return the vector of a page. O(terms · d)."""
        return self.of_counts(reading.mentions)

    def knows(self, content: Content, reading: Reading) -> bool:
        """Return whether the page is in the table's language, as far as that can be seen.

        A page of which the language is not known has to have a vector for half of its terms.
        """
        if not self.language or content.language:
            return self.language in ("", content.language.partition("-")[0].lower())
        known = self._known
        return 2 * sum(known[term] != _UNKNOWN for term in reading.mentions) >= len(
            reading.mentions
        )


def cosine(one: Vector, other: Vector) -> float:
    """Return the cosine of the angle of two vectors, in [-1, 1]; 0 if one of them is zero."""
    length = math.sqrt(float(one @ one) * float(other @ other))
    return min(max(float(one @ other) / length, -1.0), 1.0) if length > 0 else 0.0


def centroid(vectors: Iterable[Vector], weights: Iterable[float] | None = None) -> Vector:
    """Return the weighted mean of the directions of `vectors`, which have to be at least one.

    Each vector counts by its direction and weight (1 by default), not by its length: a long page
    counts as much as a short one.
    """
    rows = np.array([*vectors], np.float32)
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    shares = np.ones(len(rows), np.float32) if weights is None else np.fromiter(weights, np.float32)
    mean: Vector = shares @ (rows / np.maximum(lengths, 1e-12)) / max(float(shares.sum()), 1e-12)
    return mean


class _KnownRows(dict[str, int]):
    """The row of each term met so far; `_UNKNOWN`, or less for a compound. Bounded in size."""

    def __init__(self, table: WordTable) -> None:
        super().__init__()
        self._table = table
        self._compounds: list[Vector] = []

    def __missing__(self, term: str) -> int:
        rows = self._table.find(term)
        row = rows[0] if len(rows) == 1 else self._add(rows) if rows else _UNKNOWN
        self[term] = row
        return row

    def shrink(self) -> None:
        """Forget all terms if there are too many; to be called before a text, not within it."""
        if len(self) >= _KNOWN_TERMS:
            self.clear()
            self._compounds.clear()

    def compound(self, row: int) -> Vector:
        """Return the vector of a compound, the sum of its parts."""
        return self._compounds[_UNKNOWN - 1 - row]

    def _add(self, rows: tuple[int, ...]) -> int:
        self._compounds.append(self._table.rows[[*rows]].sum(0, dtype=np.float32))
        return _UNKNOWN - len(self._compounds)
