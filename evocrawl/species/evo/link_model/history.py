"""The latest examples of the second level, with the words of their links to learn again."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from evocrawl.species.evo.link_model.hashing import WIDTH, Ids

_KEPT = 4096
_GOLDEN = 0.6180339887498949


class History:
    """The latest `_KEPT` examples: features, page reached (−1: none), words of the followed link.

    The words are kept here because those of old links are mostly on disk.
    """

    def __init__(self, width: int) -> None:
        self._features = np.zeros((_KEPT, width))
        self._pages = np.zeros(_KEPT, np.intp)
        self._words = np.zeros((_KEPT, WIDTH), np.uint16)
        self._count = 0
        self._mark = 0.0

    def add(self, features: npt.NDArray[np.float64], page: int, words: Ids) -> None:
        """Add an example; `words` has shape (WIDTH,). O(d)."""
        place = self._count % _KEPT
        self._features[place], self._pages[place], self._words[place] = features, page, words
        self._count += 1

    def examples(self) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.intp]]:
        """Return features, shape (n, d), and pages, shape (n,)."""
        kept = min(self._count, _KEPT)
        return self._features[:kept], self._pages[:kept]

    def replay(self, most: int) -> tuple[Ids, npt.NDArray[np.intp]]:
        """Return words, shape (n, WIDTH), and pages of at most `most` examples, spread evenly.

        Multiples of the golden ratio, modulo 1, select each example about equally often, without
        random draws.
        """
        kept = min(self._count, _KEPT)
        marks = self._mark + _GOLDEN * np.arange(1, min(most, kept) + 1)
        self._mark = float(marks[-1] % 1) if len(marks) else self._mark
        places = (marks % 1 * kept).astype(np.intp)
        return self._words.take(places, axis=0), self._pages[places]
