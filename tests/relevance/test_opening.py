"""Relevance by how early a page names the words of the query."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evocrawl.core.config.config import Config
from evocrawl.core.model import Content
from evocrawl.relevance import create
from evocrawl.relevance.explanation import explain
from evocrawl.relevance.opening import HALF, TEXT_TERMS, Opening

QUERY = "bird species"
FILLER = "The committee approved the budget of the railway on Tuesday. "
ABOUT = "Birds are animals with feathers, and most species can fly. " + FILLER * 30
BURIED = FILLER * 30 + "Birds are animals with feathers, and most species can fly."


@pytest.fixture(scope="module")
def model() -> Opening:
    """Return the model for one query."""
    return Opening(QUERY)


def test_a_page_that_names_its_topic_at_once_is_above_one_that_mentions_it_late(
    model: Opening,
) -> None:
    """The same sentences in another order."""
    early, late = (Content("Notes", text, "en") for text in (ABOUT, BURIED))
    assert model.page(early) > 0.5 > model.page(late) == 0
    assert create("tfidf", QUERY).page(early) == create("tfidf", QUERY).page(late)
    default = create(Config().relevance, QUERY)
    assert default.page(early) > default.page(late)


@given(st.integers(0, TEXT_TERMS + 20), st.integers(0, TEXT_TERMS + 20))
def test_a_later_first_mention_never_adds_more(one: int, other: int) -> None:
    """Half as much after 30 terms, and nothing after 200."""
    model = Opening("coral")

    def after(words: int) -> float:
        return model.page(Content("", "reef " * words + "coral", "en"))

    early, late = sorted((one, other))
    assert after(early) >= after(late)
    assert after(HALF) == pytest.approx(after(0) / 2)
    assert after(TEXT_TERMS - 1) > after(TEXT_TERMS) == 0


@pytest.mark.parametrize(
    "title",
    [
        "Privacy | Bird Species",
        "Privacy — Bird Species of the World",
        "Bird Species: Privacy",
        "Privacy (bird-species.example)",
        "Bird Species",
        "bird species birds bird species list of bird species " * 40,
        "BIRD SPECIES",
        "privacy_bird_species.html",
    ],
)
def test_words_that_only_the_title_has_do_not_count(model: Opening, title: str) -> None:
    """Sites write their name into every title, and some fill titles with search words."""
    text = "We keep no data about you. " + FILLER * 5
    assert model.page(Content(title, text, "en")) == 0
    own = Content(title.replace("Privacy", "Finch"), "The finch is a bird species. " + text, "en")
    assert model.page(own) > 0.8


def test_a_title_confirms_what_the_text_begins_with(model: Opening) -> None:
    """By its first words: a title of hundreds of words is no title."""
    text = f"Notes on {QUERY}. {FILLER}"
    alone, titled = (model.page(Content(title, text, "en")) for title in ("", QUERY))
    assert titled == pytest.approx(alone / 0.75)
    assert model.page(Content("railway " * 40 + QUERY, text, "en")) == alone


@pytest.mark.parametrize("content", [Content("", ABOUT, "en"), Content(QUERY, "", "en")])
def test_a_page_without_a_title_or_without_a_text_is_scored_by_the_other(
    model: Opening, content: Content
) -> None:
    """Neither is necessary."""
    assert 0.5 < model.page(content) <= 1
    assert model.page(Content()) == 0


def test_rare_words_of_the_query_count_for_more() -> None:
    """A page that opens with "ornithology" is nearer than one that opens with "new"."""
    model = Opening("new ornithology")
    rare, common = (model.page(Content("", f"{word} {FILLER}")) for word in ("ornithology", "new"))
    assert rare > common > 0


@pytest.mark.parametrize(
    ("query", "text"),
    [
        ("Korallenbleiche", "Die Bleiche der Korallen ist eine Folge der Wärme im Meer."),
        ("サンゴの白化", "サンゴの白化は水温の上昇で起こる。"),
        ("珊瑚白化", "珊瑚白化是由于海水变暖。"),
        ("ابيضاض المرجان", "ابيضاض المرجان هو فقدان الطحالب."),
    ],
)
def test_the_opening_is_read_by_the_rules_of_the_language_of_the_query(
    query: str, text: str
) -> None:
    """Compounds, scripts without spaces, and spellings."""
    model = Opening(query)
    assert model.page(Content("", text)) > 0.3
    assert model.link(query, "") == pytest.approx(0.8)


def test_an_explanation_names_the_places(model: Opening) -> None:
    """The shares add up to the score, also in a mix, where the reading is shared."""
    page = Content("Bird watching", "The species that you see. Birds sing.", "en")
    found = model.explain(page)
    assert {each.term: each.where for each in found} == {
        "bird": "word 6, and in the title",
        "speci": "word 2",
    }
    assert sum(each.share for each in found) == pytest.approx(model.page(page))
    nothing = model.explain(Content("Railways", FILLER, "en"))
    assert [(each.where, each.mentions, each.share) for each in nothing] == [("", 0, 0.0)] * 2
    mix = explain(create("tfidf+vectors+opening", QUERY), "", page).models
    assert mix[2].score == pytest.approx(model.page(page))
