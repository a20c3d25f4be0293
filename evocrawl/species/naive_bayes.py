"""Hashes the words of a link, and classifies links by them with an online naive Bayes model."""

from __future__ import annotations

from collections.abc import Iterator
from urllib.parse import unquote, urlsplit
from zlib import crc32

import numpy as np

from evocrawl.core.model import Link
from evocrawl.core.text.words import words

FEATURES = 1 << 15
_MOST_WORDS = 24
_LONGEST_FIELD = 400

Words = tuple[int, ...]
"""Distinct numbers of words in [0, FEATURES), ascending; at most 72."""


def link_words(link: Link) -> Words:
    """Return the hashed words of a link's anchor, context and URL (Barbosa & Freire 2007).

    The three fields have separate features: a word in the URL differs from one in the anchor.
    At most 24 words and 400 characters of a field count. The hash (CRC-32) is the same in every
    process.
    """
    return tuple(sorted(set(_hashed(link))))


def _hashed(link: Link) -> Iterator[int]:
    path = urlsplit(link.url[:_LONGEST_FIELD]) if link.url.isprintable() else None
    url = f"{path.path} {path.query}" if path else ""
    for field, text in (("a", link.anchor), ("c", link.context), ("u", unquote(url))):
        for word in words(text[:_LONGEST_FIELD])[:_MOST_WORDS]:
            yield crc32(f"{field}:{word}".encode(errors="replace")) % FEATURES


class NaiveBayes:
    """Multinomial naive Bayes over `classes` classes, exact after every example.

    ::

        P(c | words) ∝ (N(c) + 1) · Π_w (n(w, c) + s) / (n(c) + s · FEATURES)

    N(c) counts examples, n(w, c) words, n(c) all words of class c. The smoothing s is positive
    and the prior counts from one, so that a class without examples has finite weights. With
    s = 1, as is usual, a class of few examples would hardly differ from an even spread.
    """

    def __init__(self, classes: int, smoothing: float = 0.3) -> None:
        self.examples = np.zeros(classes)
        self._smoothing = smoothing
        self._words = np.zeros((classes, FEATURES))
        self._totals = np.zeros(classes)

    def learn(self, words: Words, label: int, weight: float = 1.0) -> None:
        """Add one example; a weight of −1 removes one again. O(words)."""
        self.examples[label] += weight
        self._words[label, list(words)] += weight
        self._totals[label] += weight * len(words)

    def probabilities(self, words: Words) -> list[float]:
        """Return P(c | words) of every class; they add up to 1. O(words · classes)."""
        smoothing = self._smoothing
        logs = np.log(self.examples + 1)
        if words:
            counts = self._words[:, list(words)]
            logs += np.log(counts + smoothing).sum(axis=1)
            logs -= len(words) * np.log(self._totals + smoothing * FEATURES)
        odds = np.exp(logs - logs.max())
        shares: list[float] = (odds / odds.sum()).tolist()
        return shares
