"""Packs the words of a page for other populations, which need no text then.

A page has at most `PAGE_WORDS` words. Their numbers (2 bytes each) are followed by their weights
(4 bytes each), so that another population computes with exactly the same numbers.
"""

from __future__ import annotations

from typing import TypeAlias

import numpy as np

from evocrawl.species.evo.link_model.hashing import PAGE_WORDS, Ids, Reals

PageWords: TypeAlias = tuple[Ids, Reals]
"""The words of a page and their weights: see `Hasher.page`."""

_BYTES = 6
_LONGEST = 1.001
"""Greatest length of the weights: 1, with rounding."""


def pack_words(ids: Ids, weights: Reals) -> bytes:
    """Return the words of a page as bytes.

    >>> words = np.zeros(PAGE_WORDS, np.uint16), np.zeros(PAGE_WORDS, np.float32)
    >>> words[0][:2], words[1][:2] = (7, 9), (0.8, 0.6)
    >>> packed = pack_words(*words)
    >>> len(packed), [bool((a == b).all()) for a, b in zip(unpack_words(packed), words)]
    (12, [True, True])
    """
    count = int(np.count_nonzero(ids))
    return ids[:count].astype("<u2").tobytes() + weights[:count].astype("<f4").tobytes()


def unpack_words(packed: bytes) -> PageWords:
    """Return the words of a page. Raises ValueError: any client of Redis can write any bytes."""
    count, rest = divmod(len(packed), _BYTES)
    if rest or count > PAGE_WORDS:
        raise ValueError("the words of a page have a wrong size")
    ids, weights = np.zeros(PAGE_WORDS, np.uint16), np.zeros(PAGE_WORDS, np.float32)
    ids[:count] = np.frombuffer(packed, "<u2", count)
    weights[:count] = np.frombuffer(packed, "<f4", count, 2 * count)
    # A weight that is not a number fulfils no condition.
    are_parts = weights.min() >= 0 and weights.max() <= _LONGEST
    if not (are_parts and weights @ weights <= _LONGEST):
        raise ValueError("the weights of words are no vector of length 1")
    return ids, weights
