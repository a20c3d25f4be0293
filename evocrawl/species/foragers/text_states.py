"""Computes the state of a page: 50 numbers that describe its text.

Palotai, Farkas & Lőrincz (§3.1.2) classify texts by PrTFIDF (Joachims 1997) against 50 clusters of
Geocities pages, and take tanh of the outputs. Those clusters are not available, and a crawl should
not need a corpus. Here the 50 directions are fixed random ones: ::

    state_i = tanh(½ · Σ_w x_w s_i(w)),    x_w ∝ 1 + ln n(w),  |x| = 1,    i = 1 … 50

with n(w) the mentions of word w and s_i(w) = ±1 a bit of the word's hash. It is a random
projection (Achlioptas 2003) of the bag of words: texts that share words have similar states, so
that a linear value over states can prefer one kind of text to another. Differences: a direction has
no meaning of its own, common words count as much as rare ones (except words of up to three letters,
which do not count), and |state|² is about 9.
"""

from __future__ import annotations

import math
from collections import Counter
from hashlib import blake2b
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from evocrawl.core.model import Page
from evocrawl.core.text.words import words

State: TypeAlias = NDArray[np.float32]
"""Shape (50,), in [−1, 1]."""

STATE_SIZE = 50
_STEEPNESS = 0.5
_LONGEST_TEXT = 10_000
_LONGEST_WORD = 40
_KNOWN_WORDS = 20_000
_LEAST_LETTERS = 4


class TextStates:
    """Maps pages to states; caches up to 20 000 words."""

    def __init__(self) -> None:
        self._signs: dict[str, NDArray[np.int8]] = {}

    def __call__(self, page: Page) -> State:
        """Return the state of a page, zeros for a page without words. O(length of the text)."""
        text = f"{page.content.title}\n{page.content.text}"[:_LONGEST_TEXT]
        mentions = Counter(word[:_LONGEST_WORD] for word in words(text) if _is_long(word))
        if not mentions:
            return np.zeros(STATE_SIZE, dtype=np.float32)
        weights = np.array([1 + math.log(count) for count in mentions.values()])
        signs = np.array([self._signs_of(word) for word in mentions])
        evidence = weights @ signs / np.linalg.norm(weights)
        state: State = np.tanh(_STEEPNESS * evidence).astype(np.float32)
        return state

    def _signs_of(self, word: str) -> NDArray[np.int8]:
        known = self._signs.get(word)
        if known is None:
            if len(self._signs) >= _KNOWN_WORDS:
                self._signs.clear()
            known = self._signs[word] = _signs(word)
        return known


def _is_long(word: str) -> bool:
    """Return True for words of four letters and more, and in scripts other than a to z for any."""
    return not word.isdecimal() and (len(word) >= _LEAST_LETTERS or word > "z\uffff")


def _signs(word: str) -> NDArray[np.int8]:
    digest = blake2b(word.encode("utf-8", "replace"), digest_size=8).digest()
    bits = np.unpackbits(np.frombuffer(digest, dtype=np.uint8), count=STATE_SIZE)
    return bits.astype(np.int8) * 2 - 1
