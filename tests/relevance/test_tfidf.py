"""The cosine of tf-idf vectors."""

from __future__ import annotations

import math

import pytest

from evocrawl.core.errors import QueryError, SettingError
from evocrawl.core.model import Content
from evocrawl.relevance import create, tfidf
from evocrawl.relevance.reading import TITLE_MENTIONS
from evocrawl.relevance.term_frequencies import background
from evocrawl.relevance.terms import Analyser
from evocrawl.relevance.tfidf import TfIdf

FILLER = "the committee of the railway company approved a budget for new stations in spring "


def test_a_page_that_is_the_query_has_relevance_one() -> None:
    """It is the cosine of a vector with itself."""
    assert TfIdf("dinosaur fossil").page(Content("", "Fossil dinosaurs", "en")) == pytest.approx(
        1.0
    )


def test_the_score_is_the_cosine_of_the_documented_weights() -> None:
    """Computed by hand from the formula: log tf, idf, a title mention counted as three."""
    idf = background("en").idf
    n_fossil = 2 + TITLE_MENTIONS
    fossil, train = (1 + math.log(n_fossil)) * idf["fossil"], idf["train"]
    query = (idf["dinosaur"], idf["fossil"])
    expected = fossil * query[1] / (math.hypot(fossil, train) * math.hypot(*query))
    score = TfIdf("dinosaur fossil").page(Content("Fossil", "fossil train fossils", "en"))
    assert score == pytest.approx(expected)


def test_a_page_without_a_query_term_has_exactly_zero() -> None:
    """B033: unseen terms are no NaN."""
    assert TfIdf("xylophone zzyzx").page(Content("Railway", FILLER, "en")) == 0.0


def test_rarer_query_words_weigh_more() -> None:
    """Idf comes from the language, not from the pages seen."""
    model = TfIdf("dinosaur history")
    assert model.page(Content("", FILLER + "dinosaur", "en")) > model.page(
        Content("", FILLER + "history", "en")
    )


def test_repeating_a_word_has_little_effect() -> None:
    """A thousand mentions count far less than a thousand times one."""
    model = TfIdf("dinosaur fossil")
    once, many = (model.page(Content("", FILLER + "dinosaur " * n, "en")) for n in (1, 1000))
    assert once < many < 8 * once
    assert model.page(Content("", FILLER + "dinosaur " * 10_000, "en")) == many


def test_a_mention_in_the_title_counts_as_three() -> None:
    """A title names the subject of its page."""
    model = TfIdf("dinosaur")
    mentioned = model.page(Content("", FILLER + "dinosaur " * TITLE_MENTIONS, "en"))
    assert model.page(Content("Dinosaur", FILLER, "en")) == pytest.approx(mentioned)


def test_an_anchor_counts_four_times_its_context() -> None:
    """Shark-search's 0.8 and 0.2."""
    model = TfIdf("dinosaur")
    assert model.link("dinosaur", "") == pytest.approx(0.8)
    assert model.link("", "dinosaur") == pytest.approx(0.2)


@pytest.mark.parametrize("query", ["深海采矿", "鲸", "심해", "ทะเลลึก"])
def test_a_query_without_spaces_is_found_in_a_longer_sentence(query: str) -> None:
    """B025: a sentence in Chinese is no single word."""
    assert TfIdf(query).page(Content("", f"{query}对生态的影响", "")) > 0.0


def test_a_page_in_another_language_is_scored_by_the_query_s_words() -> None:
    """Names and loan words match."""
    assert (
        TfIdf("bitcoin").page(Content("", "Was ist Bitcoin und wie funktioniert es?", "de")) > 0.0
    )


def test_single_letters_may_be_a_query() -> None:
    """C and R are programming languages."""
    assert TfIdf("C R").page(Content("", "A course in R for statisticians", "en")) > 0.0


def test_short_numbers_are_a_query_only_beside_a_word() -> None:
    """Every page has a 1 and a 2; a year or the 19 of covid is a useful term."""
    assert TfIdf("1984").page(Content("", "published in 1984", "en")) > 0.0
    assert TfIdf("covid 19").page(Content("", "19", "en")) > 0.0
    with pytest.raises(QueryError, match="1, 2"):
        TfIdf("1 2")


def test_common_words_of_a_query_are_left_out() -> None:
    """A term that is in every text does not mark a topic."""
    assert TfIdf("the history of whales").page(Content("", "the of", "en")) == 0.0


def test_common_words_are_those_of_the_query_s_language() -> None:
    """ "Die" is an article in German and an event in English."""
    with pytest.raises(QueryError):
        TfIdf("die der und", "de-AT")
    assert TfIdf("die", "en").page(Content("", "to die", "en")) > 0.0


def test_a_language_without_a_word_list_still_compares() -> None:
    """Every term then has the same weight."""
    assert background("th").unknown == 1.0
    assert TfIdf("habari bahari", "xx").page(Content("", "bahari", "")) == pytest.approx(
        1 / math.sqrt(2)
    )


def test_a_malformed_language_is_refused() -> None:
    """A typing error in a setting is not corrected."""
    with pytest.raises(SettingError, match="language"):
        create("tfidf", "whale", "en us!")


def test_the_shares_of_an_explanation_add_up_to_the_score() -> None:
    """B044: a user sees why a page has its score."""
    model = TfIdf("dinosaur fossil xylophone")
    page = Content("Fossils", FILLER + "dinosaurs and a dinosaur", "en")
    shares = model.explain(page)
    assert sum(one.share for one in shares) == pytest.approx(model.page(page))
    assert [one.term for one in shares if one.mentions == 0] == ["xylophon"]
    assert shares[0].share >= shares[1].share > shares[2].share == 0.0


def test_the_background_adds_up_the_words_of_a_stem() -> None:
    """ "whale" and "whales" are one term, commoner than either."""
    idf = background("en").idf
    assert idf["the"] == 0.0
    assert idf["peopl"] < idf["whale"] < background("en").unknown
    assert Analyser("en").terms("whales") == ("whale",)


def test_memories_are_bounded_and_change_no_score(monkeypatch: pytest.MonkeyPatch) -> None:
    """Removed values are computed again."""
    links = [(f"whale {n}", f"sea number {n}") for n in range(6)]
    expected = [TfIdf("whale").link(*link) for link in links]
    monkeypatch.setattr("evocrawl.relevance.tfidf._KNOWN_WORDS", 2)
    monkeypatch.setattr("evocrawl.relevance.tfidf._KNOWN_PHRASES", 2)
    model = TfIdf("whale")
    assert [model.link(*link) for link in links] == expected
    assert len(model._phrases) <= 2
    assert len(model._screen._strangers) <= 2
    assert len(model._screen._friends) <= 2


def test_words_that_are_forgotten_are_read_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """A full memory of words, or one too small for a page, changes no answer."""
    monkeypatch.setattr(tfidf, "_KNOWN_WORDS", 3)
    model = TfIdf("coral reef")
    texts = ["a reef", "stone road", "one two three four five", "corals", "b", "reefs of stone"]
    for _ in range(2):
        assert model.meets(texts) == [True, False, False, True, False, True]
        assert [model.link(text, "") > 0 for text in texts] == model.meets(texts)
