"""Combines several relevance models into one, and converts scores to chances.

A model has a `calibration` (see `evocrawl.relevance.calibration`) if its scores are no chances, and
`evidence` if it cannot score every page: then its score of a page, or None. Both are optional.

A mix without calibration is the weighted mean of its models' scores ::

    relevance(d) = Σ_i w_i r_i(d) / Σ_i w_i        w_i > 0: weight of model i

over the models that can score the page.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from evocrawl.core.model import Content, Page
from evocrawl.relevance.base import Extra, Relevance, met_by, observer_of, teach
from evocrawl.relevance.calibration import (
    Calibration,
    Pool,
    chance_of,
    log_odds_of,
    pool_of,
)
from evocrawl.relevance.translation.translated import Translated


@dataclass(frozen=True, slots=True)
class MixedModel:
    """One model of a mix, with its name in the option and its weight above 0."""

    name: str
    weight: float
    model: Relevance

    @property
    def evidence(self) -> Callable[[Content], float | None]:
        """Return the score of a page, or None if the model cannot score it."""
        found: Callable[[Content], float | None] = getattr(self.model, "evidence", self.model.page)
        return found

    @property
    def calibration(self) -> Calibration | None:
        """How its scores become log-odds; None for scores that are chances."""
        return getattr(self.model, "calibration", None)

    def log_odds(self, score: float) -> float:
        """Return the log-odds that a page of this score is relevant."""
        calibration = self.calibration
        return log_odds_of(score) if calibration is None else calibration.log_odds(score)


class _Together:
    """The base of both mixes: the score of a link is the weighted mean of the models' scores.

    Models with ``scores_links = False`` are left out if there are others: models that cannot judge
    a page by the words of its link, and models that take too long for each link of a page.
    """

    def __init__(self, parts: Sequence[MixedModel]) -> None:
        self.parts = parts
        self.reads: frozenset[Extra] = frozenset().union(*(part.model.reads for part in parts))
        linked = [part for part in parts if getattr(part.model, "scores_links", True)] or parts
        total = sum(part.weight for part in linked)
        self._linked = [(part.weight / total, part.model) for part in linked]
        needs = [getattr(part.model, "needs_language", None) for part in parts]
        self.needs_language = None if None in needs else max(map(str, needs))
        understood = [getattr(part.model, "understands", ()) for part in parts]
        self.understands: frozenset[str] = frozenset().union(*understood)
        """Languages of pages beside `needs_language` that a model translates."""
        self._bridges = any(_needs(part) is None for part in parts)
        self._asked = sorted(parts, key=lambda part: getattr(part.model, "asked_last", False))

    def scored(self, content: Content) -> list[tuple[MixedModel, float]]:
        """Return the models that can score a page, in the order of the mix, with their scores.

        Models with ``asked_last = True`` are asked last, since the others save them work. Where one
        model compares any languages, those that need another language than the page's are left out
        if they see no sign.
        """
        scores = {id(part): part.evidence(content) for part in self._asked}
        found = ((part, scores[id(part)]) for part in self.parts)
        scored = [(part, score) for part, score in found if score is not None]
        if self._bridges and content.language:
            fits = ("", None, content.language.partition("-")[0].lower())
            scored = [each for each in scored if each[1] or _needs(each[0]) in fits]
        return scored

    @property
    def observes(self) -> bool:
        """True if a model learns from the pages of the crawl, so that scores depend on these."""
        return any(observer_of(part.model) for part in self.parts)

    def observe(self, page: Page) -> None:
        """Let the models that learn from pages learn from one."""
        for part in self.parts:
            observe = observer_of(part.model)
            if observe is not None:
                observe(page)

    def link(self, anchor: str, context: str, language: str = "") -> float:
        """Return the weighted mean of the models' scores of a link's words."""
        if len(self._linked) == 1:
            return min(1.0, self._linked[0][1].link(anchor, context, language))
        score = sum(
            weight * model.link(anchor, context, language) for weight, model in self._linked
        )
        return min(1.0, score)

    def meets(self, texts: Sequence[str]) -> Sequence[bool]:
        """Return which short texts may score above 0 by a model that scores links."""
        first, *others = [met_by(model, texts) for _, model in self._linked]
        for met in others:
            first = [one or other for one, other in zip(first, met, strict=True)]
        return first

    def learn(self, content: Content, relevant: bool) -> None:
        """Give a user's mark of a page to each model that learns."""
        teach([part.model for part in self.parts], content, relevant)


def _needs(part: MixedModel) -> str | None:
    """Return the language that a model needs; "" if it declares none."""
    return getattr(part.model, "needs_language", "")


class MeanScore(_Together):
    """The weighted mean of the scores of several models, as they are."""

    def page(self, content: Content) -> float:
        """Return the weighted mean of the scores of the models that can score the page."""
        total = weights = 0.0
        for part, score in self.scored(content):
            total += part.weight * max(score, 0.0)
            weights += part.weight
        return min(1.0, total / weights) if weights else 0.0


class Chance(_Together):
    """The chance that a page is relevant, by one model or by several together.

    A page of which no model sees a sign (score 0) has the chance 0.
    """

    def __init__(self, parts: Sequence[MixedModel]) -> None:
        super().__init__(parts)
        self._pools: dict[tuple[str, ...], Pool] = {}

    def page(self, content: Content) -> float:
        """Return the chance that the page is relevant, in [0, 1]."""
        scored = self.scored(content)
        if all(score == 0 for _, score in scored):
            return 0.0
        return chance_of(self.pooled(scored))

    def pooled(self, scored: Sequence[tuple[MixedModel, float]]) -> float:
        """Return the log-odds of a page by the scores of the models that can score it."""
        total = sum(part.weight for part, _ in scored)
        mean = sum(part.weight * part.log_odds(score) for part, score in scored) / total
        return self.pool(tuple(part.name for part, _ in scored)).log_odds(mean)

    def pool(self, names: tuple[str, ...]) -> Pool:
        """Return how the mean log-odds of these models become those of a page."""
        if names not in self._pools:
            self._pools[names] = pool_of(names)
        return self._pools[names]


def models_of(model: object) -> list[object]:
    """Return the models of a mix, or the one that `model` is; no `Translated`."""
    found = [part.model for part in model.parts] if isinstance(model, _Together) else [model]
    return [each.model if isinstance(each, Translated) and each.is_of_query else each
            for each in found]  # fmt: skip


def mixed(parts: Sequence[MixedModel], *, calibrated: bool) -> Relevance:
    """Return several models as one; one model alone stays as it is if nothing is to be changed."""
    if len(parts) == 1 and (not calibrated or parts[0].calibration is None):
        return parts[0].model
    return Chance(parts) if calibrated else MeanScore(parts)
