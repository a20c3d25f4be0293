"""How near the words of a link are to the query, and to the pages that were good, by word vectors.

With v(t) the vector of word t, q the vector of the query and g that of the good pages, the
similarity of a text is a cosine ::

    cos(text, q) = Σ v(t)·q / |Σ v(t)|        over the words t of the text

The length |Σ v(t)| never changes: it is computed when a link is read, and kept with the link. Of
each word only the two products with q and g are kept, so that scoring a link takes one look-up a
word and no vector. The good pages are chosen in the manner of Rocchio (1971)::

    g = q + Σ label(page) · (v(page) − mean of all pages)        over the best pages

All similarities are 0 where no word of the query has a vector.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from evocrawl.species.evo.link_model.hashing import (
    ANCHOR_COLUMNS,
    BUCKETS,
    CONTEXT_COLUMNS,
    URL_COLUMNS,
    Ids,
    plain_links,
    plain_urls,
)
from evocrawl.species.evo.link_model.profile import MOST_GOOD, REMEMBERED

Reals = npt.NDArray[np.float32]
VectorOf = Callable[[str], Reals]
"""Returns the vector of a word in lower case, shape (dimensions,); zeros for an unknown word."""

SIMILARITIES = 6
"""Anchor, context and URL, each to the query, then each to the good pages."""
_SCALE = 3.0
"""Brings cosines of links, mostly within ±0.3, to the range of other features."""
_FIELDS = (ANCHOR_COLUMNS, CONTEXT_COLUMNS, URL_COLUMNS)
_PART = 512


class WordSimilarity:
    """Keeps the vectors of the words that the crawl has met, by bucket.

    `query` is the vector of the query, shape (dimensions,). The first word that a bucket meets
    gives it its vector. Without arguments there are no vectors.
    """

    def __init__(self, query: Reals | None = None, vector_of: VectorOf | None = None) -> None:
        self._vector_of = vector_of or _nothing
        self._query = _unit(_nothing("") if query is None else query)
        self.is_blind = not self._query.any()
        self._good = self._query
        width = len(self._query)
        self._place_of = np.full(BUCKETS, -1, np.int32)
        self._place_of[0] = 0
        self._vectors = np.zeros((64, width), np.float32)
        """Row 0 is that of words without a vector."""
        self._count = 1
        self._products = np.zeros((2, BUCKETS), np.float32)
        self._pages = np.zeros((0, width), np.float32)
        self._page_count = 0

    def meet(self, word: str, bucket: int) -> None:
        """Give `bucket` the vector of `word` unless it has met a word before. O(dimensions)."""
        if self.is_blind or self._place_of[bucket] >= 0:
            return
        vector = self._vector_of(word)
        if not vector.any():
            self._place_of[bucket] = 0
            return
        if self._count == len(self._vectors):
            self._vectors = np.concatenate((self._vectors, np.zeros_like(self._vectors)))
        self._vectors[self._count] = vector
        self._place_of[bucket] = self._count
        self._count += 1
        self._products[:, bucket] = vector @ self._query, vector @ self._good

    def link_lengths(self, words: Ids) -> tuple[Reals, Reals]:
        """Return the lengths of anchors and contexts, given the words of links (n, LINK_WIDTH)."""
        ids = plain_links(words)
        return self._lengths(ids[:, ANCHOR_COLUMNS]), self._lengths(ids[:, CONTEXT_COLUMNS])

    def url_lengths(self, words: Ids) -> Reals:
        """Return the lengths of URLs, given their words (n, URL.width)."""
        return self._lengths(plain_urls(words))

    def of_links(self, ids: Ids, lengths: Reals) -> Reals:
        """Return the scaled cosines of links, shape (n, SIMILARITIES).

        `ids` are buckets as `hashing.plain` returns them, `lengths` those of anchor, context and
        URL, shape (n, 3).
        """
        cosines = np.zeros((len(ids), SIMILARITIES), np.float32)
        if self.is_blind:
            return cosines
        for at, products in zip((0, 3), self._products, strict=True):
            near = products.take(ids)
            for field, columns in enumerate(_FIELDS):
                near[:, columns].sum(1, out=cosines[:, at + field])
        cosines *= _SCALE / np.maximum(np.tile(lengths, 2), 1e-6)
        return cosines

    def add_page(self, ids: Ids, values: Reals) -> None:
        """Keep the vector of a page, given its words and their weights (see `Hasher.page`)."""
        if self.is_blind:
            return
        if self._page_count >= len(self._pages) and len(self._pages) < REMEMBERED:
            more = max(len(self._pages), 64)
            self._pages = np.pad(self._pages, ((0, more), (0, 0)))[:REMEMBERED]
        vector = values @ self._vectors[self._places(ids)]
        self._pages[self._page_count % REMEMBERED] = _unit(vector)
        self._page_count += 1

    def refit(self, labels: npt.NDArray[np.float64]) -> None:
        """Choose the good pages anew, by `labels` in [0, 1] of the pages kept, oldest first.

        O(pages kept · dimensions + words met · dimensions).
        """
        if self.is_blind or not len(labels):
            return
        kept = min(self._page_count, REMEMBERED)
        order = (np.arange(kept) + (self._page_count - kept)) % REMEMBERED
        best = np.argsort(-labels, kind="stable")[: min(MOST_GOOD, len(labels) * 3 // 20 + 2)]
        best = best[labels[best] >= 0.5]
        good = self._query
        if len(best):
            away = self._pages[order[best]] - self._pages[:kept].mean(0)
            good = good + labels[best].astype(np.float32) @ away
        self._good = _unit(good)
        met = np.flatnonzero(self._place_of > 0)
        self._products[1, met] = self._vectors[self._place_of[met]] @ self._good

    def _places(self, ids: Ids) -> npt.NDArray[np.int32]:
        return np.maximum(self._place_of[ids], 0)

    def _lengths(self, ids: Ids) -> Reals:
        lengths = np.zeros(len(ids), np.float32)
        if self.is_blind:
            return lengths
        for at in range(0, len(ids), _PART):
            sums = self._vectors[self._places(ids[at : at + _PART])].sum(1)
            lengths[at : at + _PART] = np.sqrt((sums * sums).sum(1))
        return lengths


def _nothing(_word: str) -> Reals:
    return np.zeros(1, np.float32)


def _unit(vector: Reals) -> Reals:
    unit: Reals = (vector / max(float(np.linalg.norm(vector)), 1e-9)).astype(np.float32)
    return unit
