"""The words of the latest links in memory, since those of most links are on disk."""

from __future__ import annotations

import numpy as np

from evocrawl.species.evo.link_model.hashing import WIDTH, Ids

COMPARED = 1024
"""Number of the latest links with which nearness compares links."""


class LatestWords:
    """The words of at least the `most` links that were added last, with those of the URLs."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._words = np.zeros((2 * most, WIDTH), np.uint16)
        self._end = 0

    def __len__(self) -> int:
        return self._end

    def add(self, words: Ids) -> None:
        """Add the words of links, shape (n, WIDTH). O(n) amortised."""
        words = words[-self._most :]
        if self._end + len(words) > len(self._words):
            kept = self._words[self._end - self._most : self._end]
            self._words[: self._most] = kept
            self._end = self._most
        self._words[self._end : self._end + len(words)] = words
        self._end += len(words)

    def latest(self, count: int) -> Ids:
        """Return the words of the last `count` links, of at most `len` and `most`, oldest first."""
        return self._words[self._end - count : self._end]
