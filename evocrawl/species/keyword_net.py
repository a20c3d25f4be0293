"""A net of one unit that estimates a link by the keywords around it (Menczer & Belew 2000).

Its inputs are keyword frequencies, each occurrence weighing less the farther it is from the link::

    in(k, l) = Σ 1/dist(o, l)    over the occurrences o of keyword k near link l
    λ(l) = tanh(b + Σ_k w_k · in(k, l))                  in (−1, 1)

The delta rule moves λ towards a target t, with a rate η::

    Δw_k = η · (t − λ) · (1 − λ²) · in(k, l),    Δb the same with an input of 1

Distance is counted in words, the unit the sources differ on: a word of the anchor has distance 1,
the one beside the anchor 2, and so on up to the window, for MySpiders looks at "a small set of
words around each hyperlink" and its sources give anchor text the greatest weight. Every word
counts for the distance, but words that nearly every text has are not kept.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Protocol, TypeAlias

from evocrawl.model import Link

Near: TypeAlias = str
"""The terms near a link, apart by spaces, a line for each distance from 1 on: what leads carry."""

_ANCHOR_TERMS = 16
"""Terms of an anchor that are read: stuffing an anchor gains little."""
_CHARS_A_WORD = 24
_STEEPEST = 8.0
"""Greatest size of a weight; tanh tells no more beyond, and nothing may grow without end."""


class Lexicon(Protocol):
    """What is needed of a language."""

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

    The anchor's first occurrence in the context is taken for the link.
    """
    common = lexicon.common
    levels = [lexicon.read(link.anchor)[:_ANCHOR_TERMS]]
    place = link.context.find(link.anchor) if link.anchor else -1
    if place >= 0 and window > 1:
        reach, end = _CHARS_A_WORD * window, place + len(link.anchor)
        before = lexicon.read(link.context[max(place - reach, 0) : place])[:-window:-1]
        after = lexicon.read(link.context[end : end + reach])[: window - 1]
        for distance in range(max(len(before), len(after))):
            levels.append([*before[distance : distance + 1], *after[distance : distance + 1]])
    return "\n".join(
        [" ".join([term for term in level if term not in common]) for level in levels]
    ).rstrip("\n")


@dataclass(slots=True)
class Net:
    """`weights` w_k by keyword and the `bias` b, each in [−8, 8]."""

    weights: dict[str, float]
    bias: float = 0.0

    def estimate(self, near: Near) -> float:
        """Return λ, in (−1, 1). O(terms near the link)."""
        get = self.weights.get
        total = self.bias
        for distance, terms in enumerate(near.split("\n"), 1):
            for term in terms.split():
                weight = get(term)
                if weight is not None:
                    total += weight / distance
        return math.tanh(total)

    def learn(self, near: Near, target: float, rate: float) -> None:
        """Move λ towards a finite `target` by the delta rule, `rate` η ≥ 0."""
        output = self.estimate(near)
        step = rate * (target - output) * (1 - output * output)
        for keyword, share in self._inputs(near):
            self.weights[keyword] = _bounded(self.weights[keyword] + step * share)
        self.bias = _bounded(self.bias + step)

    def _inputs(self, near: Near) -> Iterator[tuple[str, float]]:
        """The keywords near a link, an occurrence at a time, with 1/dist."""
        for distance, terms in enumerate(near.split("\n"), 1):
            for term in terms.split():
                if term in self.weights:
                    yield term, 1 / distance


def _bounded(weight: float) -> float:
    return min(max(weight, -_STEEPEST), _STEEPEST)
