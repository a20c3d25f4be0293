"""Converts texts to vectors: the sum of the vectors of their words.

::

    v(d) = Σ_t n(t, d) · row(t)        n(t, d): mentions of term t in d, at most 20

A row's length falls with the frequency of its term, a/(a + p(t)) with a = 10⁻⁴ (Arora, Liang & Ma
2017, A simple but tough-to-beat baseline for sentence embeddings). A term that the table lacks is
split into two that it has, as "seafloor"; a word without either adds nothing.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
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
_FEW_COMPOUNDS = 256
_MOST_MENTIONS = 20
"""A word that is repeated very often must not outweigh the others."""


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
        times = np.minimum(np.fromiter(mentions.values(), np.float32, count), _MOST_MENTIONS)
        there = rows >= 0
        # All numbers are integers, and smaller than 2**24 as long as a page has fewer than 130 000
        # words: the sum is exact in any order.
        vector: Vector = times[there] @ self._rows.take(rows[there], 0).astype(np.float32)
        apart = rows < _UNKNOWN
        if apart.any():
            vector += times[apart] @ known.compounds(rows[apart])
        return vector

    def of_words(self, words: Sequence[str]) -> Vector:
        """Return the vectors of words, shape (n, d); zeros for an unknown word. O(n · d)."""
        known = self._known
        known.shrink()
        terms = self._analyser.first_terms(words)
        rows = np.array([known[term] if term else _UNKNOWN for term in terms], np.int64)
        vectors: Vector = self._rows.take(np.maximum(rows, 0), 0).astype(np.float32)
        vectors[rows == _UNKNOWN] = 0
        apart = rows < _UNKNOWN
        if apart.any():
            vectors[apart] = known.compounds(rows[apart])
        return vectors

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
        """Return whether the page is probably in the table's language.

        A page of unknown language must have a vector for half of its terms.
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
    """Return the weighted mean of the directions of `vectors`, at least one.

    Each vector counts by its direction and weight (1 by default), not by its length: a long page
    counts as much as a short one.
    """
    rows = np.array([*vectors], np.float32)
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    shares = np.ones(len(rows), np.float32) if weights is None else np.fromiter(weights, np.float32)
    mean: Vector = shares @ (rows / np.maximum(lengths, 1e-12)) / max(float(shares.sum()), 1e-12)
    return mean


class _KnownRows(dict[str, int]):
    """The row of each term seen so far; `_UNKNOWN`, or less for a compound. Bounded in size."""

    def __init__(self, table: WordTable) -> None:
        super().__init__()
        self._table = table
        self._row_of = table.row_of
        self._rows = np.asarray(table.rows)  # a memory map takes ten times as long to index
        self._compounds = np.empty((_FEW_COMPOUNDS, table.dimensions), np.int16)
        self._count = 0

    def __missing__(self, term: str) -> int:
        row = self._row_of(term)
        if row is None:
            parts = self._table.parts(term)
            row = self._add(parts) if parts else _UNKNOWN
        self[term] = row
        return row

    def shrink(self) -> None:
        """Forget all terms if there are too many; to be called before a text, not within it."""
        if len(self) >= _KNOWN_TERMS:
            self.clear()
            self._count = 0

    def compounds(self, rows: npt.NDArray[np.int64]) -> npt.NDArray[np.float32]:
        """Return the vectors of compounds, each the sum of its parts, shape (n, d)."""
        return self._compounds.take(_UNKNOWN - 1 - rows, 0).astype(np.float32)

    def _add(self, rows: tuple[int, int]) -> int:
        if self._count == len(self._compounds):
            self._compounds = np.concatenate((self._compounds, np.empty_like(self._compounds)))
        first, second = rows
        np.add(self._rows[first], self._rows[second], self._compounds[self._count], dtype=np.int16)
        self._count += 1
        return _UNKNOWN - self._count
