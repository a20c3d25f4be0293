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
from dataclasses import dataclass
from dataclasses import field as default

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
)

Places = npt.NDArray[np.intp]
Sums = npt.NDArray[np.float64]

NEEDED = 3
REMEMBERED = 8192
"""Number of the latest pages whose words are kept."""

_COLUMNS = (ANCHOR_COLUMNS, CONTEXT_COLUMNS, URL_COLUMNS)
_IS_OF_FIELD = np.zeros((WIDTH, len(_COLUMNS)), np.float32)
for _field, _columns in enumerate(_COLUMNS):
    _IS_OF_FIELD[_columns, _field] = 1

_PART = 512
_TERMS = 80
_MOST_GOOD = 40
_LABEL_SHARE = 0.7
_FULL_SHARE_AT = 10
_NONE = np.zeros(0)


@dataclass(frozen=True, slots=True)
class OthersPages:
    """The pages of other populations: words of all, and the good ones.

    `count` pages have the words `sums` and `pages_with`, shape (BUCKETS,): the sum of each word's
    weights, and the number of its pages. `good` are relevances, shape (n,); `ids` and `values` the
    words of these pages, shape (n, PAGE_WORDS).
    """

    count: int = 0
    sums: Sums = default(default_factory=lambda: np.zeros(BUCKETS))
    pages_with: Sums = default(default_factory=lambda: np.zeros(BUCKETS))
    good: Sums = default(default_factory=lambda: np.zeros(0))
    ids: Ids = default(default_factory=lambda: np.zeros((0, PAGE_WORDS), np.uint16))
    values: Reals = default(default_factory=lambda: np.zeros((0, PAGE_WORDS), np.float32))


class Background:
    """The words of some pages: a population's own ones.

    `sums` are each word's weights, summed over pages; `pages_with` the numbers of its pages. Shape
    (BUCKETS,). Weights are of single precision, so sums of `REMEMBERED` pages are exact, in any
    order.
    """

    def __init__(self) -> None:
        self.sums = np.zeros(BUCKETS)
        self.pages_with = np.zeros(BUCKETS)
        self.pages = 0

    def add(self, ids: Ids, values: Reals, times: int) -> None:
        """Add the words of a page (`times` 1), or take them away (−1). O(words of the page)."""
        are_words = ids > 0
        words = ids[are_words]
        self.sums[words] += times * values[are_words]
        self.pages_with[words] += times
        self.pages += times


class Profile:
    """The words of the latest pages, and those that good pages share.

    `others` are the pages of other populations of the crawl, `background` has the words of the
    population's own pages kept.
    """

    def __init__(self) -> None:
        self.others = OthersPages()
        self.weights = np.zeros(BUCKETS, np.float32)
        self.label_share = self.scale = 0.0
        self._top = 0.0
        self._inherited: tuple[Reals, float] | None = None
        self._ids = np.zeros((0, PAGE_WORDS), np.uint16)
        self._values = np.zeros((0, PAGE_WORDS), np.float32)
        self._is_own = np.zeros(0, np.bool_)
        self._count = 0
        self.background = Background()

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

    def add(self, ids: Ids, values: Reals, *, is_own: bool = True) -> float:
        """Add the words of a page; return its likeness to the good pages, in [0, 1].

        A page that is not the population's own counts for no word and is no good page.
        """
        if self._count >= len(self._ids) and len(self._ids) < REMEMBERED:
            more = max(len(self._ids), 64)
            self._ids = np.pad(self._ids, ((0, more), (0, 0)))[:REMEMBERED]
            self._values = np.pad(self._values, ((0, more), (0, 0)))[:REMEMBERED]
            self._is_own = np.pad(self._is_own, (0, more))[:REMEMBERED]
        place = self._count % REMEMBERED
        if self._count >= REMEMBERED and self._is_own[place]:
            self.background.add(self._ids[place], self._values[place], -1)
        self._ids[place], self._values[place], self._is_own[place] = ids, values, is_own
        self._count += 1
        if is_own:
            self.background.add(ids, values, 1)
        return self.likeness(ids, values)

    def likeness(self, ids: Ids, values: Reals) -> float:
        """Return the likeness of a page of these words to the good pages, in [0, 1]."""
        return float(self._scaled((self.weights[ids] * values).sum(-1)))

    def matches(self, ids: Ids) -> npt.NDArray[np.float32]:
        """Return the match ≥ 0 of the profile with anchor, context and URL of links.

        Shapes (n, WIDTH), as `plain` returns them, and (3, n). The heaviest term alone gives 1;
        each of several words counts 1/√words.
        """
        matches = np.zeros((len(_COLUMNS), len(ids)), np.float32)
        if self._top > 0:
            weights = self.weights.take(ids)
            counts = (ids > 0).astype(np.float32) @ _IS_OF_FIELD
            for field, columns in enumerate(_COLUMNS):
                matches[field] = weights[:, columns].sum(-1)
            matches[:] = (
                matches / np.sqrt(np.maximum(counts.T, 1), dtype=float) / max(self._top, 1e-9)
            )
        return matches

    def refit(
        self, relevances: npt.NDArray[np.float64], others: npt.NDArray[np.float64] = _NONE
    ) -> npt.NDArray[np.float64]:
        """Choose the good pages by `relevances` in [0, 1] of the pages kept, oldest first.

        `others` are those of the good pages of other populations. Return the likeness of each page
        kept to the profile, in [0, 1]. O(pages kept).
        """
        order = self._order()
        own, theirs = self._good(order, relevances, others)
        good = len(own) + len(theirs)
        if good < NEEDED:
            self._begin()
            return self._scaled(self._overlaps(order))
        share = min(1.0, good / _FULL_SHARE_AT)
        pages = self.others
        ids = np.concatenate((self._ids[order[own]], pages.ids[theirs]))
        values = np.concatenate((self._values[order[own]], pages.values[theirs]))
        self._weigh(ids, values)
        if self._inherited is not None:
            self.weights *= share
            self.weights += (1 - share) * self._inherited[0]
            self._top = float(self.weights.max())
            share = 1.0
        likeness = self._overlaps(order)
        of_theirs = (self.weights.take(pages.ids[theirs]) * pages.values[theirs]).sum(1)
        self.scale = float(np.concatenate((likeness[own], of_theirs)).mean())
        self.label_share = _LABEL_SHARE * share if self.scale > 0 else 0.0
        return self._scaled(likeness)

    def _begin(self) -> None:
        """Reset the profile to the inherited one."""
        weights, self.scale = self._inherited or (np.float32(0), 0.0)
        self.weights[:] = weights
        self._top = float(self.weights.max())
        self.label_share = _LABEL_SHARE if self._inherited else 0.0

    def good(self, relevances: Sums) -> Places:
        """Return which of the pages kept, oldest first, the others get as good ones. See `refit`.

        Only the population's own pages are.
        """
        own = np.where(self._is_own[self._order()], relevances, -1.0)
        best = np.argsort(-own, kind="stable")[:_MOST_GOOD]
        good: Places = best[own[best] >= 0.5]
        return good

    def words(self, pages: Places) -> tuple[Ids, Reals]:
        """Return words and weights of some of the pages kept, by their places from the oldest."""
        places = self._order()[pages]
        return self._ids[places], self._values[places]

    def _good(self, order: Places, relevances: Sums, others: Sums) -> tuple[Places, Places]:
        """Return the places of the good pages: in `order`, and among those of the others."""
        is_own = self._is_own[order]
        pages = int(is_own.sum()) + self.others.count
        both = np.concatenate((np.where(is_own, relevances, -1.0), others))
        best = np.argsort(-both, kind="stable")[: min(_MOST_GOOD, pages * 3 // 20 + 2)]
        good = best[both[best] >= 0.5]
        return good[good < len(order)], good[good >= len(order)] - len(order)

    def _weigh(self, ids: Ids, values: Reals) -> None:
        """Compute the weights from the words of all pages, and those of the good ones.

        Only a word of a good page can have a weight. O(words of the good pages).
        """
        own, others = self.background, self.others
        among_good = np.bincount(ids.ravel(), values.ravel(), BUCKETS)
        words = np.flatnonzero(among_good)
        pages = own.pages + others.count
        everywhere = (own.sums[words] + others.sums[words]) / pages
        idf = np.log((pages + 1) / (own.pages_with[words] + others.pages_with[words] + 0.5))
        weights = np.maximum(among_good[words] / len(ids) - everywhere, 0) * np.maximum(idf, 0)
        if len(words) > _TERMS:
            top = _greatest(weights, _TERMS)
            words, weights = words[top], weights[top]
        length = float(np.linalg.norm(weights))
        self.weights[:] = 0
        if length > 0:
            self.weights[words] = weights / length
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

    def _scaled(self, likeness: npt.NDArray[np.float32]) -> npt.NDArray[np.float64]:
        if self.scale <= 0:
            return np.zeros(np.shape(likeness))
        scaled: npt.NDArray[np.float64] = np.minimum(1.0, likeness / self.scale).astype(float)
        return scaled


def _greatest(values: Sums, most: int) -> Places:
    """Return the places of the `most` greatest values, in order; of equal ones the first."""
    least = np.partition(values, len(values) - most)[len(values) - most]
    above, equal = np.flatnonzero(values > least), np.flatnonzero(values == least)
    return np.sort(np.concatenate((above, equal[: most - len(above)])))


def _parts(places: Places) -> Iterator[Places]:
    """Split places into parts, so that intermediate results take little memory."""
    return (places[at : at + _PART] for at in range(0, len(places), _PART))
