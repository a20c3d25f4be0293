"""Explains the relevance of one page: model by model, and term by term."""

from __future__ import annotations

from dataclasses import dataclass

from evocrawl.core.model import Content
from evocrawl.relevance.base import Contribution, Relevance
from evocrawl.relevance.calibration import chance_of
from evocrawl.relevance.mix import Chance, MeanScore, MixedModel
from evocrawl.relevance.translation.translated import Translated


@dataclass(frozen=True, slots=True)
class ModelScore:
    """The result of one model of a mix for a page.

    `score` is its own score, None if it cannot score the page. `chance` is the chance for that
    score by the model's calibration, None for scores that are not calibrated. `terms` add up to the
    score.
    """

    name: str
    weight: float
    score: float | None
    chance: float | None
    terms: tuple[Contribution, ...] = ()


@dataclass(frozen=True, slots=True)
class Explanation:
    """The relevance of a page, and the result of each model."""

    relevance: float
    models: tuple[ModelScore, ...]


def explain(model: Relevance, name: str, content: Content) -> Explanation:
    """Return the explanation of a page by a model that was made as `name`."""
    alone = [MixedModel(name, 1.0, model)]
    parts = model.parts if isinstance(model, Chance | MeanScore) else alone
    total = sum(part.weight for part in parts)
    chances = model if isinstance(model, Chance) else None
    found = (_of_part(part, content, part.weight / total, chances) for part in parts)
    return Explanation(model.page(content), tuple(found))


def as_read(model: Relevance, content: Content) -> Content:
    """Return a page as the models get it whose words are those of the query: perhaps translated."""
    parts = model.parts if isinstance(model, Chance | MeanScore) else []
    for each in (model, *(part.model for part in parts)):
        if isinstance(each, Translated) and each.is_of_query:
            return each.content(content)
    return content


def _of_part(
    part: MixedModel, content: Content, weight: float, chances: Chance | None
) -> ModelScore:
    score = part.evidence(content)
    chance = None
    if chances is not None and score is not None:
        chance = chance_of(chances.pool((part.name,)).log_odds(part.log_odds(score)))
    explained = getattr(part.model, "explain", None)
    terms = tuple(explained(content)) if explained is not None and score is not None else ()
    return ModelScore(part.name, weight, score, chance, terms)
