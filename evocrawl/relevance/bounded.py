"""Keeps the scores of models that are not ours where scores have to be."""

from __future__ import annotations

import math

from evocrawl.model import Content
from evocrawl.relevance.base import Extra, Relevance


def bounded(score: float) -> float:
    """Return a score as it has to be, finite and in [0, 1]; what is no number is 0.

    >>> bounded(0.3), bounded(7.0), bounded(-1.0), bounded(float("nan")), bounded(float("inf"))
    (0.3, 1.0, 0.0, 0.0, 0.0)
    """
    return min(max(float(score), 0.0), 1.0) if math.isfinite(score) else 0.0


class Bounded:
    """A relevance model whose scores are finite and in [0, 1], whatever `model` says."""

    def __init__(self, model: Relevance) -> None:
        self._model = model
        self.reads: frozenset[Extra] = frozenset(getattr(model, "reads", ()))

    def page(self, content: Content) -> float:
        """Return the relevance of a page."""
        return bounded(self._model.page(content))

    def link(self, anchor: str, context: str, language: str = "") -> float:
        """Return the relevance of a link's own words."""
        return bounded(self._model.link(anchor, context, language))
