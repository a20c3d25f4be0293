"""A neural net of one unit that estimates a link by the keywords around it (Menczer & Belew 2000).

Its inputs are keyword frequencies; an occurrence weighs less if it is farther from the link::

    in(k, l) = Σ 1/dist(o, l)    over the occurrences o of keyword k near link l
    λ(l) = tanh(b + Σ_k w_k · in(k, l))                  in (−1, 1)

The delta rule moves λ towards a target t, with a rate η::

    Δw_k = η · (t − λ) · (1 − λ²) · in(k, l),    Δb the same with an input of 1

Distance is counted in words (the sources differ on the unit): a word of the anchor has distance 1,
the word next to the anchor 2, and so on up to the window, since MySpiders uses "a small set of
words around each hyperlink" and its sources give anchor text the greatest weight. Every word counts
for the distance, but words that nearly every text has are left out.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import zip_longest
from typing import Protocol, TypeAlias

from evocrawl.core.model import Link

Near: TypeAlias = str
"""The terms near a link, separated by spaces, one line for each distance from 1, for its lead."""

_ANCHOR_TERMS = 16
"""Greatest number of terms read from an anchor, so that a stuffed anchor gains little."""
_CHARS_A_WORD = 12
"""Characters read for each word needed: twice the length of an English word."""
_STEEPEST = 8.0
"""Greatest size of a weight: tanh is flat beyond it, and weights must stay bounded."""


class Lexicon(Protocol):
    """The methods of a language that the net uses."""

    query: tuple[str, ...]
    common: frozenset[str]

    def read(self, text: str) -> list[str]:
        """Return the terms of a text in their order."""

    def count(self, text: str) -> dict[str, int]:
        """Return how often each term occurs in a text."""

    def weight(self, term: str) -> float:
        """Return how rare a term is, 0 for one that names no topic."""


def near(link: Link, lexicon: Lexicon, window: int) -> Near:
    """Return the terms at distances 1 to `window` of a link. O(window + words of the anchor).

    The first occurrence of the anchor in the context counts as the link.
    """
    common, anchor, context = lexicon.common, link.anchor, link.context
    levels = [[term for term in lexicon.read(anchor)[:_ANCHOR_TERMS] if term not in common]]
    place = context.find(anchor) if anchor else -1
    if place >= 0 and window > 1:
        reach, end = _CHARS_A_WORD * window, place + len(anchor)
        before = lexicon.read(context[max(place - reach, 0) : place])[:-window:-1]
        after = lexicon.read(context[end : end + reach])[: window - 1]
        for pair in zip_longest(before, after):
            levels.append([term for term in pair if term and term not in common])
    return "\n".join(map(" ".join, levels)).rstrip("\n")


@dataclass(slots=True)
class Net:
    """`weights` w_k by keyword and the `bias` b, each in [−8, 8]."""

    weights: dict[str, float]
    bias: float = 0.0

    def estimate(self, near: Near) -> float:
        """Return λ, in (−1, 1). O(terms near the link)."""
        total = self.bias
        for keyword, share in self.inputs(near):
            total += self.weights[keyword] * share
        return math.tanh(total)

    def learn(self, near: Near, target: float, rate: float) -> None:
        """Move λ towards a finite `target` by the delta rule, `rate` η ≥ 0."""
        output = self.estimate(near)
        step = rate * (target - output) * (1 - output * output)
        for keyword, share in self.inputs(near):
            self.weights[keyword] = _bounded(self.weights[keyword] + step * share)
        self.bias = _bounded(self.bias + step)

    def inputs(self, near: Near) -> list[tuple[str, float]]:
        """Return each occurrence of a keyword near a link, with 1/dist."""
        if self.weights.keys().isdisjoint(near.split()):
            return []  # true of most links
        return [
            (term, 1 / distance)
            for distance, terms in enumerate(near.split("\n"), 1)
            for term in terms.split()
            if term in self.weights
        ]


def _bounded(weight: float) -> float:
    return min(max(weight, -_STEEPEST), _STEEPEST)
