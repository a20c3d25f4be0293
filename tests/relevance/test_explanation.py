"""Explanations of a page's relevance."""

from __future__ import annotations

import pytest

from evocrawl.core.model import Content
from evocrawl.relevance import create
from evocrawl.relevance.calibration import chance_of
from evocrawl.relevance.explanation import explain
from evocrawl.relevance.mix import Chance

PAGE = Content("Dying reefs", "Corals turn white, and the polyps expel their algae.", "en")


@pytest.mark.parametrize("name", ["tfidf", "bm25", "vectors", "opening"])
def test_the_shares_of_the_terms_add_up_to_the_score(name: str) -> None:
    """For each model that uses words."""
    (model,) = explain(create(name, "coral bleaching"), name, PAGE).models
    assert model.score is not None
    assert sum(term.share for term in model.terms) == pytest.approx(model.score, abs=1e-5)
    assert [*model.terms] == sorted(model.terms, key=lambda term: -term.share)


def test_a_mix_is_explained_model_by_model() -> None:
    """With weights that add up to 1, and the chance for each score alone."""
    mix = create("3*bm25+regex:zebra", "coral bleaching")
    found = explain(mix, "3*bm25+regex:zebra", PAGE)
    assert [(each.name, each.weight) for each in found.models] == [("bm25", 0.75), ("regex", 0.25)]
    assert found.relevance == mix.page(PAGE)
    assert found.models[0].chance == pytest.approx(create("bm25", "coral bleaching").page(PAGE))
    assert found.models[1].terms == ()
    assert isinstance(mix, Chance)
    assert found.relevance == chance_of(mix.pooled([(p, p.evidence(PAGE)) for p in mix.parts]))  # type: ignore[misc]


def test_a_model_that_cannot_score_the_page_is_named() -> None:
    """A page in another language has no score by meaning."""
    found = explain(create("tfidf+vectors", "coral"), "x", Content("", "Korallen coral", "de"))
    assert [each.score is None for each in found.models] == [False, True]
    assert found.models[1].chance is None


def test_own_scores_have_no_chance() -> None:
    """Without calibration a score is that of the model."""
    found = explain(create("tfidf", "coral", calibrated=False), "tfidf", PAGE)
    assert found.models[0].chance is None
    assert found.relevance == found.models[0].score


@pytest.mark.parametrize("mix", ["tfidf+vectors+opening", "opening+tfidf+vectors", "bm25+tfidf"])
def test_a_model_scores_in_a_mix_as_it_does_alone(mix: str) -> None:
    """The models share the reading of a page, and the order of the mix does not matter."""
    reef = Content("Reefs", "Corals in the sea lose their algae. " * 5, "en")
    rail = Content("Railways", "Trains run on rails to the town. " * 5, "en")
    names = mix.split("+")
    together = create(mix, "coral bleaching", calibrated=False)
    for page in (reef, rail, reef, Content("", "", "")):
        found = explain(together, mix, page)
        assert [each.name for each in found.models] == names
        for each in found.models:
            alone = create(each.name, "coral bleaching", calibrated=False)
            assert each.score == getattr(alone, "evidence", alone.page)(page)
