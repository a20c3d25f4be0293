"""The contract of every registered relevance model."""

from __future__ import annotations

import math
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evocrawl.core.errors import QueryError, SettingError
from evocrawl.core.model import Content
from evocrawl.relevance import Relevance, create, names
from evocrawl.relevance.base import met_by

QUERY = "coral bleaching"
RELEVANT = "Coral bleaching happens when a warm sea makes corals expel their algae."
OTHER = "The committee approved the budget of the railway company on Tuesday."
WITH_ARGUMENT = {
    "markup": "markup:Recipe",
    "quality": "quality:relevance_models:share_of_letters",
    "regex": "regex:coral.*bleach",
}
NEEDS_NO_QUERY = {"classifier", "regex"}
MIXES = ["0.7*tfidf+0.3*bm25", "tfidf+vectors+opening"]
EXAMPLES = str(Path(__file__).with_name("marked.jsonl"))
ANY_TEXT = st.text(st.characters(), max_size=300)


def made(name: str, query: str = QUERY) -> Relevance:
    """Make a model, with the options that it needs besides the query."""
    return create(name, query, examples=EXAMPLES if name == "classifier" else "")


@pytest.fixture(scope="module", params=[*names(), *MIXES])
def name(request: pytest.FixtureRequest) -> str:
    """Return each registered model in turn, and mixes."""
    return WITH_ARGUMENT.get(request.param, str(request.param))


@pytest.fixture(scope="module")
def model(name: str) -> Relevance:
    """Return the model for a query in English."""
    return made(name)


@pytest.fixture
def goes_by_words(name: str, model: Relevance) -> None:
    """Skip models that do not use words."""
    if model.reads or name.startswith("quality"):
        pytest.skip("does not go by words")


@given(title=ANY_TEXT, text=ANY_TEXT, language=st.sampled_from(["", "en", "zh", "?"]))
def test_a_score_of_any_text_is_finite_and_in_the_unit_interval(
    model: Relevance, title: str, text: str, language: str
) -> None:
    """R17, B035: also for lone surrogates, control characters, and any other text of the web."""
    for words in (text, f"{QUERY} {text}"):
        content = Content(title, words, language)
        for score in (model.page(content), model.link(title, words, language)):
            assert math.isfinite(score)
            assert 0.0 <= score <= 1.0


@given(texts=st.lists(ANY_TEXT | st.sampled_from(["the corals", "reef, CORAL", "bread"])))
def test_words_of_a_link_that_are_not_met_score_0(model: Relevance, texts: list[str]) -> None:
    """In any order and company; a model that does not know in advance meets every text."""
    met = met_by(model, texts)
    assert [*met_by(model, texts)] == [*met]
    for text, is_met in zip(texts, met, strict=True):
        assert is_met or model.link(text, "") == model.link("", text) == 0.0


def test_empty_text_has_no_relevance(model: Relevance) -> None:
    """B033: neither NaN nor a division by zero."""
    assert model.page(Content("", "", "")) == 0.0
    assert model.link("", "", "") == 0.0


@pytest.mark.usefixtures("goes_by_words")
def test_a_page_on_the_topic_has_a_higher_score(model: Relevance) -> None:
    """Each model must do this."""
    assert model.page(Content("Corals", RELEVANT, "en")) > model.page(
        Content("Railway", OTHER, "en")
    )


@pytest.mark.usefixtures("goes_by_words")
def test_a_link_whose_anchor_names_the_topic_has_a_higher_score(model: Relevance) -> None:
    """Links are ranked by their own words."""
    assert model.link("Coral bleaching", RELEVANT) > model.link("Budget", OTHER)


def test_the_same_text_scores_the_same_after_any_others(name: str, model: Relevance) -> None:
    """B039: caches change the speed, not the result."""
    model.page(Content("", OTHER, "en"))
    used = (model.page(Content("Corals", RELEVANT, "en")), model.link("Corals", RELEVANT))
    fresh = made(name)
    assert used == (fresh.page(Content("Corals", RELEVANT, "en")), fresh.link("Corals", RELEVANT))


@pytest.mark.usefixtures("goes_by_words")
@pytest.mark.parametrize("query", ["", "  \n", "the and of", "1 2", "?!"])
def test_a_query_without_a_topic_is_refused(name: str, query: str) -> None:
    """B032: at construction, before anything is fetched."""
    if name.partition(":")[0] in NEEDS_NO_QUERY:
        pytest.skip("needs no query")
    with pytest.raises(QueryError, match="query"):
        create(name, query)


def test_an_unknown_name_is_refused_with_the_known_ones() -> None:
    """The message for a misspelt setting has all names."""
    with pytest.raises(SettingError, match="tfidf"):
        create("tdidf", QUERY)
