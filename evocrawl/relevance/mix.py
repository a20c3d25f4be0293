"""Several relevance models as one: the weighted mean of their scores.

::

    relevance(d) = Σ_i w_i r_i(d) / Σ_i w_i        w_i > 0: weight of model i
"""

from __future__ import annotations

from collections.abc import Sequence

from evocrawl.core.model import Content
from evocrawl.relevance.base import Extra, Relevance, teach
from evocrawl.relevance.mix_text import MixPart


class Mix:
    """The weighted mean of the scores of `models`; the `weights` are above 0."""

    def __init__(self, weights: Sequence[float], models: Sequence[Relevance]) -> None:
        total = sum(weights)
        self.parts = [
            (weight / total, model) for weight, model in zip(weights, models, strict=True)
        ]
        self.reads: frozenset[Extra] = frozenset().union(*(model.reads for model in models))

    def page(self, content: Content) -> float:
        """Return the weighted mean of the models' scores of a page."""
        return min(1.0, sum(weight * model.page(content) for weight, model in self.parts))

    def link(self, anchor: str, context: str, language: str = "") -> float:
        """Return the weighted mean of the models' scores of a link's words."""
        score = sum(weight * model.link(anchor, context, language) for weight, model in self.parts)
        return min(1.0, score)

    def learn(self, content: Content, relevant: bool) -> None:
        """Let each model that learns take in what a user says of a page."""
        teach([model for _, model in self.parts], content, relevant)


def mixed(parts: Sequence[MixPart], models: Sequence[Relevance]) -> Relevance:
    """Return the mix of `models`, or the model itself if there is one."""
    return models[0] if len(models) == 1 else Mix([part.weight for part in parts], models)
