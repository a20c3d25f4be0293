"""Packs the words of a page for other populations, which need no text then.

The distance of the page from the last good one (1 byte) comes first: other populations do not know
the links that lead to the page. A page has at most `PAGE_WORDS` words. Their numbers (2 bytes each)
are followed by their weights (4 bytes each), so that another population computes with exactly the
same numbers.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from evocrawl.species.evo.link_model.evidence import FAR
from evocrawl.species.evo.link_model.hashing import PAGE_WORDS, Ids, Reals

_BYTES = 6
_LONGEST = 1.001
"""Greatest length of the weights: 1, with rounding."""


class PageWords(NamedTuple):
    """The words of a page and their weights (see `Hasher.page`), its distance (see `LinkGraph`)."""

    ids: Ids
    weights: Reals
    distance: int = FAR


def pack_words(words: PageWords) -> bytes:
    """Return the words of a page as bytes.

    >>> words = PageWords(np.zeros(PAGE_WORDS, np.uint16), np.zeros(PAGE_WORDS, np.float32), 2)
    >>> words.ids[:2], words.weights[:2] = (7, 9), (0.8, 0.6)
    >>> packed = pack_words(words)
    >>> len(packed), [bool(np.all(a == b)) for a, b in zip(unpack_words(packed), words)]
    (13, [True, True, True])
    """
    count = int(np.count_nonzero(words.ids))
    ids, weights = words.ids[:count].astype("<u2"), words.weights[:count].astype("<f4")
    return bytes([words.distance]) + ids.tobytes() + weights.tobytes()


def unpack_words(packed: bytes) -> PageWords:
    """Return the words of a page. Raises ValueError: any client of Redis can write any bytes."""
    count, rest = divmod(len(packed) - 1, _BYTES)
    if rest or not 0 <= count <= PAGE_WORDS:
        raise ValueError("the words of a page have a wrong size")
    if packed[0] > FAR:
        raise ValueError(f"the distance of a page is above {FAR}")
    ids, weights = np.zeros(PAGE_WORDS, np.uint16), np.zeros(PAGE_WORDS, np.float32)
    ids[:count] = np.frombuffer(packed, "<u2", count, 1)
    weights[:count] = np.frombuffer(packed, "<f4", count, 1 + 2 * count)
    # A weight that is not a number fulfils no condition.
    are_parts = weights.min() >= 0 and weights.max() <= _LONGEST
    if not (are_parts and weights @ weights <= _LONGEST):
        raise ValueError("the weights of words are no vector of length 1")
    return PageWords(ids, weights, packed[0])
