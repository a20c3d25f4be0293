"""The search engine ranks by BM25."""

from __future__ import annotations

import math

import pytest

from evocrawl.simulation.worlds.base import Document
from evocrawl.simulation.worlds.labels import Labels
from evocrawl.simulation.worlds.search import K1, B, Index


def index(*texts: str, title: str = "") -> Index:
    return Index(
        Document(f"http://p{number}.test/", b"", title, text, "en", ())
        for number, text in enumerate(texts)
    )


def test_the_score_is_that_of_the_formula() -> None:
    """By hand, for one term that two of three pages have."""
    scores = index("whale whale sea", "whale", "sea sea").scores("whales")
    idf = math.log(1 + 1.5 / 2.5)
    assert scores[0] == pytest.approx(idf * 2 / (2 + K1 * (1 - B + B * 3 / 2)))
    assert scores[1] == pytest.approx(idf * 1 / (1 + K1 * (1 - B + B * 1 / 2)))
    assert scores[2] == 0.0


def test_rare_words_count_more() -> None:
    """Of the two words, the one that one page has."""
    urls = index("sea sea", "sea whale", "sea salt").search("sea whale", 3)
    assert urls[0] == "http://p1.test/"


def test_equal_pages_keep_their_order() -> None:
    """For any k."""
    ranking = index(*["whale"] * 5)
    assert ranking.search("whale", 3) == [f"http://p{number}.test/" for number in range(3)]
    assert ranking.search("whale", 0) == []


def test_an_empty_index_finds_nothing() -> None:
    """And empty pages are no error."""
    assert index().search("whale", 3) == []
    assert index("", "").search("whale", 3) == []


def test_a_page_counts_once_for_a_topic() -> None:
    """Though it bears two below it."""
    labels = Labels()
    labels.add(3, ["A.B", "A.C"])
    assert list(labels.about("A")) == [3]
