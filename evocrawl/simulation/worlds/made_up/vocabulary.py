"""Synthetic words, and random draws that depend only on their keys.

A large synthetic world stores no text. The text of a page is drawn on request, from the seed of the
world and the number of the page, so it is always the same.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

_CONSONANTS = "bdfgklmnprstvz"
_VOWELS = "aeiou"
_SYLLABLES = [c + v for c in _CONSONANTS for v in _VOWELS]
_MASK = (1 << 64) - 1
_FACTORS = tuple(
    np.uint64(factor)
    for factor in (0x9E3779B97F4A7C15, 0xD1342543DE82EF95, 0xF1357AEA2E62A9C5, 0xAF251AF3B0F025B5)
)
_M1, _M2 = np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB)
_S11, _S27, _S30, _S31, _S32 = map(np.uint64, (11, 27, 30, 31, 32))
_LOW = np.uint64(0xFFFFFFFF)

COMMON = 400
"""Number of words that every page uses."""

PER_TOPIC = 60
"""Number of words of one topic."""


def noise(seed: int, *keys: ArrayLike) -> NDArray[np.uint64]:
    """Return 64 uniform bits for each tuple of at most four integer `keys`, broadcast together.

    The keys are added up with odd factors of 64 bits and mixed as SplitMix64 does (Steele, Lea &
    Flood 2014).
    """
    state = np.full(1, seed & _MASK, np.uint64)
    for key, factor in zip(keys, _FACTORS, strict=False):
        state = state + np.atleast_1d(np.asarray(key, dtype=np.uint64)) * factor
    state = (state ^ (state >> _S30)) * _M1
    state = (state ^ (state >> _S27)) * _M2
    return state ^ (state >> _S31)


def chance(seed: int, *keys: ArrayLike) -> NDArray[np.float64]:
    """Return numbers in [0, 1), one for each tuple of `keys`, as `noise` does."""
    return (noise(seed, *keys) >> _S11).astype(np.float64) * 2.0**-53


class Vocabulary:
    """Words of `topics` topics, and common words. The first words of each list are frequent."""

    def __init__(self, topics: int, seed: int) -> None:
        self._seed = seed
        self._words = [_word(number, seed) for number in range(COMMON + topics * PER_TOPIC)]

    def of(self, topic: int) -> list[str]:
        """Return the words of a topic, frequent ones first."""
        start = COMMON + topic * PER_TOPIC
        return self._words[start : start + PER_TOPIC]

    def draw(
        self,
        keys: ArrayLike,
        salt: int,
        main: ArrayLike,
        side: ArrayLike,
        count: int,
        topical: float,
    ) -> list[list[str]]:
        """Draw `count` words for each of `keys`; equal keys and salts draw equal words.

        A share `topical` of the words belongs to topics, three in four of these to `main` and the
        others to `side`; all three arguments have the shape (n,).
        """
        rows = np.asarray(keys)[:, None]
        bits = noise(self._seed, rows, salt, np.arange(count))
        kind = (bits >> _S32) * 2.0**-32
        rank = ((bits & _LOW) * 2.0**-32) ** 2  # small ranks are frequent
        topic = np.where(
            kind < 0.75 * topical, np.asarray(main)[:, None], np.asarray(side)[:, None]
        )
        start = np.where(kind < topical, COMMON + topic * PER_TOPIC, 0)
        numbers = start + (rank * np.where(kind < topical, PER_TOPIC, COMMON)).astype(np.int64)
        word = self._words.__getitem__
        return [list(map(word, row)) for row in numbers.tolist()]


def _word(number: int, seed: int) -> str:
    """Return a word of three syllables and a consonant; unique for numbers below 274 625."""
    base = len(_SYLLABLES)
    spread = (number * 7919 + seed) % base**3  # 7919 is prime and does not divide base
    first, rest = divmod(spread, base * base)
    second, third = divmod(rest, base)
    syllables = _SYLLABLES[first] + _SYLLABLES[second] + _SYLLABLES[third]
    return syllables + _CONSONANTS[spread % len(_CONSONANTS)]
