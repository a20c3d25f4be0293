"""Measures how near the words of links are to the query by meaning.

While a crawl has found nothing, it has no examples of good links, and most links share no word with
the query. Word vectors compare them nevertheless. Of each hashed word w, with the vector v(w), two
numbers are kept: v(w)·q for the query's direction q, and |v(w)|². The words of a field (anchor,
context or URL) have about the cosine ::

    cos = Σ v(w)·q / √(Σ |v(w)|²)        exact for words whose vectors are at right angles

The usual cosine differs from web to web: in a wiki about one subject, all links are near. So
each field's cosine is compared with those of the crawl's latest links ::

    z = (cos − their mean) / their standard deviation        in [−3, 3]; 0 without a known word
    near = (0.47 z_anchor + 0.21 z_context + 0.32 z_url) / 3        in [−1, 1]

The feature has the strength 1 until the first good page. It falls with each good page, to the
generality of the web when there are `NEEDED`::

    generality = (0.26 − m) / 0.06        in [0, 1]; m: the mean cosine of the latest links

On a general web few links are near the query, and nearness tells them apart for the whole crawl. On
a web about one subject most links are (m ≥ 0.26), and the words of good pages are better evidence.

Several populations of a crawl have one mean, standard deviation and generality: those of the latest
links of all.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import numpy as np
import numpy.typing as npt

from evocrawl.species.evo.link_model.hashing import (
    ANCHOR_COLUMNS,
    BUCKETS,
    CONTEXT_COLUMNS,
    TERM,
    URL_COLUMNS,
    Ids,
    Reals,
    plain,
)
from evocrawl.species.evo.link_model.profile import NEEDED

Vector = npt.NDArray[np.float64]
Cosines = tuple[Vector, npt.NDArray[np.bool_]]
"""Those of anchor, context and URL of links, shape (n, 3), and which have a known word."""

GOOD = 0.5
"""Least label of a good page."""

_FIELDS = (ANCHOR_COLUMNS, CONTEXT_COLUMNS, URL_COLUMNS)
_FIRST_COLUMNS = [0, CONTEXT_COLUMNS.start, CONTEXT_COLUMNS.stop, URL_COLUMNS.start]
_OF_FIELDS = [0, 1, 3]
"""The fields among the parts that begin at `_FIRST_COLUMNS`; the third part is the tag path."""
_SHARES = np.array([0.47, 0.21, 0.32])
_NOTHING = np.array(0.0, np.float32)
_USUAL_MEAN, _USUAL_SPREAD, _TRUST = 0.1, 0.15, 20.0
"""Mean and standard deviation before there are links, and their weight in links."""
_LEAST_SPREAD = 0.01
_ONE_SUBJECT, _GENERAL = 0.26, 0.20
"""Mean cosine from which a web is about one subject, and below which it is general."""
_USUAL_MEAN_OF_ONE_SUBJECT, _DOUBT = 0.3, 100.0
"""A web is taken to be about one subject before there are links; the weight of that in links."""
_LEAST_SQUARE = np.array(1e-12, np.float32)
_FARTHEST = np.array(3.0)


class WordVectors(Protocol):
    """The vectors of words: `evocrawl.relevance.vectors.model.QueryVectors`."""

    @property
    def query(self) -> Reals:
        """The vector of the query, shape (d,), not zero."""

    def of_words(self, words: Sequence[str]) -> Reals:
        """Return the vectors of words, shape (n, d), zeros for an unknown word."""


class Nearness:
    """Nearness of links to the query; 0 for every link if there are no word vectors.

    `sums` are of the cosines of the latest links: links with a known word, the sum of their
    cosines, that of the squares, for anchor, context and URL, shape (3, 3).
    """

    of_run = ("_latest", "_latest_of")
    """Attributes that are no part of a snapshot."""

    def __init__(self, vectors: WordVectors | None) -> None:
        self.sums = np.zeros((3, len(_FIELDS)))
        self._sums_elsewhere = np.zeros_like(self.sums)
        self._vectors = vectors
        self._good = self._good_elsewhere = 0
        self._generality = 0.0
        self._is_known = bytearray(BUCKETS)
        if vectors is None:
            return
        self._direction = vectors.query / np.linalg.norm(vectors.query)
        self._waiting: list[tuple[str, int]] = []
        self._products = np.zeros(BUCKETS, np.float32)
        self._squares = np.zeros(BUCKETS, np.float32)
        self._latest: Cosines = np.zeros((0, len(_FIELDS))), np.zeros((0, len(_FIELDS)), np.bool_)
        self._latest_of = 0
        """The number of links at the last comparison; `_latest` is of the last of them."""
        self._mean = np.full(len(_FIELDS), _USUAL_MEAN)
        self._spread = np.full(len(_FIELDS), _USUAL_SPREAD)

    @property
    def has_vectors(self) -> bool:
        """Whether there are word vectors."""
        return self._vectors is not None

    @property
    def strength(self) -> float:
        """The factor of the feature, from 1 to the generality of the web; 0 without vectors."""
        if self._vectors is None:
            return 0.0
        return max(self._generality, 1 - (self._good + self._good_elsewhere) / NEEDED)

    def note_words(self, keys: Sequence[str], buckets: Sequence[int]) -> None:
        """Note the hasher's keys of words, with their buckets. O(words)."""
        if self._vectors is None:
            return
        is_known = self._is_known
        for key, bucket in zip(keys, buckets, strict=True):
            if not is_known[bucket]:
                is_known[bucket] = 1
                self._waiting.append((key.removeprefix(TERM), bucket))

    def note_label(self, label: float) -> None:
        """Note the label of a page that was found."""
        self._good += label >= GOOD

    def note_others(self, good: int, sums: Vector) -> None:
        """Note how many good pages the other populations have found, and the sum of their `sums`.

        From now on the links are compared with theirs, too.
        """
        self._good_elsewhere = good
        self._sums_elsewhere = sums
        if self._vectors is not None:
            self._compare()

    def stop(self) -> None:
        """Begin with the strength of the generality: good pages of an earlier crawl are known."""
        self._good = NEEDED

    def compare(self, words: Ids, links: int) -> None:
        """Set mean, standard deviation and generality by the latest of so many `links`.

        `words` are theirs, with marks, shape (n, WIDTH). O(n + WIDTH · links since the last call).
        """
        cosines, are_known = self._cosines_of_latest(words, links)
        self.sums = np.stack((are_known.sum(0), cosines.sum(0), (cosines * cosines).sum(0)))
        self._compare()

    def _compare(self) -> None:
        """Set mean, standard deviation and generality by the links of all populations."""
        known, total, squares = self.sums + self._sums_elsewhere
        counts = _TRUST + known
        mean = (total + _TRUST * _USUAL_MEAN) / counts
        squares = squares + _TRUST * (_USUAL_MEAN**2 + _USUAL_SPREAD**2)
        self._mean = mean
        self._spread = np.sqrt(np.maximum(squares / counts - mean * mean, _LEAST_SPREAD**2))
        careful = (total + _DOUBT * _USUAL_MEAN_OF_ONE_SUBJECT) / (known + _DOUBT)
        below = (_ONE_SUBJECT - float(careful @ _SHARES)) / (_ONE_SUBJECT - _GENERAL)
        self._generality = min(1.0, max(0.0, below))

    def of_links(self, words: Ids) -> Vector:
        """Return the feature of links, words of shape (n, WIDTH) without marks, shape (n,)."""
        strength = self.strength
        if not strength:
            return np.zeros(len(words))
        cosines, are_known = self._cosines(words)
        z = (cosines - self._mean) / self._spread * are_known
        near: Vector = np.minimum(np.maximum(z, -_FARTHEST), _FARTHEST) @ (
            _SHARES * (strength / _FARTHEST)
        )
        return near

    def _cosines_of_latest(self, words: Ids, links: int) -> Cosines:
        """Return what `_cosines` does for the latest links; those of a link stay as they are."""
        new = min(links - self._latest_of, len(words))
        cosines, are_known = self._cosines(plain(words[len(words) - new :]))
        old = len(words) - new
        if old:
            last = slice(len(self._latest[0]) - old, None)
            cosines = np.concatenate((self._latest[0][last], cosines))
            are_known = np.concatenate((self._latest[1][last], are_known))
        self._latest, self._latest_of = (cosines, are_known), links
        return self._latest

    def _cosines(self, words: Ids) -> Cosines:
        """Return the cosines of anchor, context and URL, shape (n, 3); 0 without a known word.

        Return also which of them have a known word.
        """
        if self._waiting:
            self._look_up()
        products, squares = self._products.take(words), self._squares.take(words)
        lengths = np.add.reduceat(squares, _FIRST_COLUMNS, axis=1)[:, _OF_FIELDS]
        cosines = np.add.reduceat(products, _FIRST_COLUMNS, axis=1)[:, _OF_FIELDS].astype(float)
        cosines /= np.sqrt(np.maximum(lengths, _LEAST_SQUARE))
        return cosines, lengths > _NOTHING

    def _look_up(self) -> None:
        """Set the numbers of the words that are new since the last time."""
        assert self._vectors is not None
        words, buckets = zip(*self._waiting, strict=True)
        self._waiting.clear()
        vectors = self._vectors.of_words(words)
        at = np.array(buckets)
        self._products[at] = vectors @ self._direction
        self._squares[at] = (vectors * vectors).sum(1)
