"""Groups links with similar tag paths: the arms of the bandit.

In the manner of SB-CLASSIFIER (Gauquier, Manolescu & Senellart 2026, Efficient Crawling for
Scalable Web Data Acquisition, arXiv 2602.11874): a path of tags such as ``html/body/div/ul/li``
is a bag of its bigrams. A path joins the group whose centre is most similar by cosine; if no centre
has at least the similarity `threshold`, the path starts a new group.
"""

from __future__ import annotations

import math
from collections import Counter
from itertools import pairwise

_MOST_TAGS = 64
_MOST_GROUPS = 128
_MOST_KNOWN_PATHS = 20_000


class TagPathGroups:
    """Numbers groups of tag paths from 0, at most 128; then every path joins the nearest.

    Centres are the sums of their members' bags. Paths are read up to 64 tags from the link's end.
    """

    def __init__(self, threshold: float) -> None:
        self._threshold = threshold
        self._centres: list[Counter[tuple[str, str]]] = []
        self._known: dict[str, int] = {}

    def group(self, tag_path: str) -> int:
        """Return the group of a path. O(1) for a path met before, else O(groups · tags)."""
        known = self._known.get(tag_path)
        if known is None:
            known = self._join(_bigrams(tag_path))
            if len(self._known) < _MOST_KNOWN_PATHS:
                self._known[tag_path] = known
        return known

    def _join(self, bag: Counter[tuple[str, str]]) -> int:
        likeness = [_cosine(bag, centre) for centre in self._centres]
        nearest = max(range(len(likeness)), key=likeness.__getitem__, default=0)
        if len(likeness) < _MOST_GROUPS and (not likeness or likeness[nearest] < self._threshold):
            self._centres.append(bag)
            return len(self._centres) - 1
        # A heavy centre does not move any more, so that it cannot grow without bound.
        if self._centres[nearest].total() < 64 * _MOST_TAGS:
            self._centres[nearest].update(bag)
        return nearest


def _bigrams(tag_path: str) -> Counter[tuple[str, str]]:
    tags = ["", *tag_path.rsplit("/", _MOST_TAGS)[-_MOST_TAGS:], "a"]
    return Counter(pairwise(tags))


def _cosine(one: Counter[tuple[str, str]], other: Counter[tuple[str, str]]) -> float:
    dot = sum(count * other[pair] for pair, count in one.items())
    return dot / math.sqrt(_square(one) * _square(other)) if dot else 0.0


def _square(bag: Counter[tuple[str, str]]) -> int:
    return sum(count * count for count in bag.values())
