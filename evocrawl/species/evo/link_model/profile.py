"""The words that distinguish good pages from the others: relevance feedback without a user.

After Rocchio (1971), with the best pages of the relevance model in place of the user's choice
("pseudo-relevance feedback"). With c the mean vector of good pages and b that of all pages ::

    profile(t) = max(0, c(t) − b(t)) · idf(t)        of the 80 heaviest terms, length 1
    like(page) = min(1, page · profile / (mean of good pages · profile))

The profile has no weight in a page's label before `NEEDED` good pages are found, and more weight
with more of them, so that a crawl without good pages cannot drift. A profile of an earlier crawl of
the topic (`inherit`) has weight from the start; the crawl's own good pages gradually replace it.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from evocrawl.species.evo.link_model.hashing import (
    ANCHOR_COLUMNS,
    BUCKETS,
    CONTEXT_COLUMNS,
    PAGE_WORDS,
    URL_COLUMNS,
    WIDTH,
    Ids,
    Reals,
    plain,
)

Places = npt.NDArray[np.intp]

NEEDED = 3
REMEMBERED = 8192
"""Number of the latest pages whose words are kept."""

_COLUMNS = (ANCHOR_COLUMNS, CONTEXT_COLUMNS, URL_COLUMNS)
_IS_OF_FIELD = np.zeros((WIDTH, len(_COLUMNS)))
for _field, _columns in enumerate(_COLUMNS):
    _IS_OF_FIELD[_columns, _field] = 1

_PART = 512
_TERMS = 80
_MOST_GOOD = 40
_SAY = 0.7
_FULL_SAY = 10


class Profile:
    """The words of the latest pages, and those that good pages share."""

    def __init__(self) -> None:
        self.weights = np.zeros(BUCKETS, np.float32)
        self.say = self.scale = 0.0
        self._top = 0.0
        self._inherited: tuple[Reals, float] | None = None
        self._ids = np.zeros((0, PAGE_WORDS), np.uint16)
        self._values = np.zeros((0, PAGE_WORDS), np.float32)
        self._count = 0

    def terms(self) -> tuple[Ids, Reals]:
        """Return the words of the profile and their weights, shape (terms,)."""
        ids = np.flatnonzero(self.weights).astype(np.uint16)
        return ids, self.weights[ids]

    def inherit(self, ids: Ids, weights: Reals, scale: float) -> None:
        """Begin with a profile of finite weights; `scale` ≥ 0 is its match with good pages."""
        if not len(ids) or scale <= 0:
            return
        everywhere = np.zeros(BUCKETS, np.float32)
        everywhere[ids] = weights
        self._inherited = everywhere, scale
        self._begin()

    def add(self, ids: Ids, values: Reals) -> float:
        """Add the words of a page; return its likeness to the good pages, in [0, 1]."""
        if self._count >= len(self._ids) and len(self._ids) < REMEMBERED:
            more = max(len(self._ids), 64)
            self._ids = np.pad(self._ids, ((0, more), (0, 0)))[:REMEMBERED]
            self._values = np.pad(self._values, ((0, more), (0, 0)))[:REMEMBERED]
        place = self._count % REMEMBERED
        self._ids[place], self._values[place] = ids, values
        self._count += 1
        return float(self._likeness(ids, values))

    def matches(self, words: Ids) -> npt.NDArray[np.float32]:
        """Return the match ≥ 0 of the profile with anchor, context and URL of links.

        Shapes (n, WIDTH) and (n, 3). The heaviest term alone gives 1; each of several words counts
        1/√words.
        """
        ids = plain(words)
        weights = self.weights.take(ids)
        sums = np.empty((len(ids), len(_COLUMNS)), np.float32)
        for field, columns in enumerate(_COLUMNS):
            sums[:, field] = weights[:, columns].sum(-1)
        counts = np.maximum((ids > 0).astype(float) @ _IS_OF_FIELD, 1)
        return (sums / np.sqrt(counts) / max(self._top, 1e-9)).astype(np.float32)

    def refit(self, relevances: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
        """Choose the good pages by `relevances` in [0, 1] of the pages kept, oldest first.

        Return the likeness of each page to the profile, in [0, 1]. O(pages kept).
        """
        order = self._order()
        best = np.argsort(-relevances, kind="stable")[: min(_MOST_GOOD, len(order) * 3 // 20 + 2)]
        good = best[relevances[best] >= 0.5]
        if len(good) < NEEDED:
            self._begin()
            return self._scaled(self._overlaps(order))
        share = min(1.0, len(good) / _FULL_SAY)
        self._weigh(order, order[good])
        if self._inherited is not None:
            self.weights *= share
            self.weights += (1 - share) * self._inherited[0]
            self._top = float(self.weights.max())
            share = 1.0
        likeness = self._overlaps(order)
        self.scale = float(likeness[good].mean())
        self.say = _SAY * share if self.scale > 0 else 0.0
        return self._scaled(likeness)

    def _begin(self) -> None:
        """Reset the profile to the inherited one."""
        weights, self.scale = self._inherited or (np.float32(0), 0.0)
        self.weights[:] = weights
        self._top = float(self.weights.max())
        self.say = _SAY if self._inherited else 0.0

    def _weigh(self, pages: Places, good: Places) -> None:
        """Compute the weights from the words of all pages and of the good ones."""
        everywhere = np.zeros(BUCKETS)
        pages_with = np.zeros(BUCKETS, np.intp)
        for part in _parts(pages):
            flat = self._ids[part].ravel().astype(np.intp)
            np.add.at(everywhere, flat, self._values[part].ravel().astype(float))
            pages_with += np.bincount(flat, minlength=BUCKETS)
        everywhere /= len(pages)
        ids, values = self._ids[good].ravel(), self._values[good].ravel()
        among_good = np.bincount(ids, values, BUCKETS) / len(good)
        idf = np.log((len(pages) + 1) / (pages_with + 0.5))
        weights = np.maximum(among_good - everywhere, 0) * np.maximum(idf, 0)
        weights[0] = 0
        self.weights[:] = 0
        top = np.argpartition(-weights, _TERMS)[:_TERMS]
        length = float(np.linalg.norm(weights[top]))
        if length > 0:
            self.weights[top] = weights[top] / length
        self._top = float(self.weights.max())

    def _order(self) -> Places:
        """Return the places of the kept pages, the oldest first."""
        kept = min(self._count, REMEMBERED)
        return (np.arange(kept) + (self._count - kept)) % REMEMBERED

    def _overlaps(self, pages: Places) -> Reals:
        """Return the products of profile and pages at some places."""
        overlaps = np.zeros(len(pages), np.float32)
        for at, part in zip(range(0, len(pages), _PART), _parts(pages), strict=True):
            products = self.weights.take(self._ids[part]) * self._values[part]
            overlaps[at : at + _PART] = products.sum(1)
        return overlaps

    def _likeness(self, ids: Ids, values: Reals) -> npt.NDArray[np.float64]:
        return self._scaled((self.weights[ids] * values).sum(-1))

    def _scaled(self, likeness: npt.NDArray[np.float32]) -> npt.NDArray[np.float64]:
        if self.scale <= 0:
            return np.zeros(np.shape(likeness))
        scaled: npt.NDArray[np.float64] = np.minimum(1.0, likeness / self.scale).astype(float)
        return scaled


def _parts(places: Places) -> Iterator[Places]:
    """Split places into parts, so that intermediate results take little memory."""
    return (places[at : at + _PART] for at in range(0, len(places), _PART))
