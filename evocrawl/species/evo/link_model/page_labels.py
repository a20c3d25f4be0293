"""The labels of pages, in [0, 1]: how good each is, by its relevance and its likeness to good ones.

::

    label = (1 − w) · min(1, relevance / r) + w · like

with r the mean relevance of the best pages so far, those of other populations included, so that
"good" means the same for any query, and `like` the likeness to the profile, whose weight w is 0
until there are some good pages. A user's mark replaces the label of a page.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from evocrawl.species.evo.link_model.evidence import LinkGraph, Rows
from evocrawl.species.evo.link_model.hashing import Ids, Reals
from evocrawl.species.evo.link_model.profile import REMEMBERED, OthersPages, Profile

Vector = npt.NDArray[np.float64]

MARKED = 2.0
"""Relevance, for other populations, of a page that a user has marked as relevant."""

_BEST_SHARE = 0.05
_BEST_AT_LEAST = 3
_TRUST_IN_BAR = 2.0


class PageLabels:
    """Labels the pages of `evidence`.

    `reference` is r, initially `bar` > 0. `marks` are the labels that a user has given, by the
    number of the page. Without `has_profile` w is 0.
    """

    def __init__(
        self, evidence: LinkGraph, profile: Profile, bar: float, *, has_profile: bool
    ) -> None:
        self.reference = bar
        self.marks: dict[int, float] = {}
        self._evidence = evidence
        self._profile = profile
        self._bar = bar
        self._has_profile = has_profile
        self._best_of_others = np.zeros(0)

    def begin_near(self, reference: float) -> None:
        """Set the initial reference to the relevance of good pages of another crawl."""
        self._bar = self.reference = reference

    def label(self, relevance: float, like: float) -> float:
        """Return the label of a new page."""
        share = self._profile.label_share
        return (1 - share) * min(1.0, relevance / self.reference) + share * like

    def marked(self) -> list[int]:
        """Return the numbers of the latest pages that a user has marked."""
        return [number for number in self.marks if number >= self._first]

    def refit(self) -> None:
        """Recompute the reference, the profile, and the labels of the latest pages."""
        pages = self._evidence.pages
        relevances = self._latest("relevance").astype(float)
        self.reference = self._reference_of(relevances[self._latest("is_own")])
        relative = self._relative(relevances)
        if self._has_profile:
            theirs = np.minimum(1.0, self._profile.others.good / self.reference)
            pages["like"][self._first : len(pages)] = self._profile.refit(relative, theirs)
        share = self._profile.label_share
        labels = (1 - share) * relative + share * self._latest("like")
        for number in self.marked():
            labels[number - self._first] = self.marks[number]
        self._evidence.relabel(np.arange(self._first, len(pages)), labels)

    def use_others(self, pages: OthersPages, best: Vector) -> None:
        """Use the pages of other populations, and the relevances of their best, from now on."""
        self._profile.others = pages
        self._best_of_others = best

    def best(self) -> Vector:
        """Return the relevances of the best of this population's latest pages, the best first."""
        own = np.sort(self._latest("relevance")[self._latest("is_own")])[::-1]
        best: Vector = own[: max(_BEST_AT_LEAST, int(_BEST_SHARE * len(own)))].astype(float)
        return best

    def good_pages(self) -> tuple[Vector, Ids, Reals]:
        """Return this population's good pages, as `OthersPages` has them for another one.

        The relevance of a page that a user has marked as relevant is `MARKED`.
        """
        relevances = self._latest("relevance").astype(float)
        good: Rows = self._profile.good(self._relative(relevances))
        found = relevances[good]
        found[[number in self.marks for number in (good + self._first).tolist()]] = MARKED
        return found, *self._profile.words(good)

    @property
    def _first(self) -> int:
        """The number of the first of the latest pages."""
        return max(len(self._evidence.pages) - REMEMBERED, 0)

    def _latest(self, column: str) -> npt.NDArray[Any]:
        pages = self._evidence.pages
        values: npt.NDArray[Any] = pages[column][self._first : len(pages)]
        return values

    def _relative(self, relevances: Vector) -> Vector:
        """Return relevances of the latest pages by the reference, or the marks, in [0, 1]."""
        relative: Vector = np.minimum(1.0, relevances / self.reference)
        for number in self.marked():
            relative[number - self._first] = self.marks[number]
        return relative

    def _reference_of(self, relevances: Vector) -> float:
        """Return the mean relevance of the best pages, shrunk towards that of a good page."""
        pages = len(relevances) + self._profile.others.count
        best = max(_BEST_AT_LEAST, int(_BEST_SHARE * pages))
        top = np.sort(np.concatenate((relevances, self._best_of_others)))[-best:]
        return float((top.sum() + _TRUST_IN_BAR * self._bar) / (len(top) + _TRUST_IN_BAR))
