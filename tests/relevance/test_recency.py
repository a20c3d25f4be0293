"""News: recent pages, about the query if there is one."""

from __future__ import annotations

import math

import pytest

from evocrawl.core.config.config import Config
from evocrawl.core.errors import QueryError, SettingError
from evocrawl.core.model import Content
from evocrawl.population.assembly import assemble
from evocrawl.relevance import create

CORALS = "Coral bleaching happens when a warm sea makes corals expel their algae."
RAILWAY = "The committee approved the budget of the railway company on Tuesday."
DAY_S = 86_400.0


@pytest.mark.parametrize(
    ("age_s", "relevance"),
    [(0.0, 1.0), (DAY_S, 1.0), (DAY_S + 1, 0.0), (None, 0.0), (math.nan, 0.0), (math.inf, 0.0)],
)
def test_a_page_is_news_for_a_day(age_s: float | None, relevance: float) -> None:
    """A page of unknown age is not news."""
    assert create("recency", "").page(Content("", RAILWAY, age_s=age_s)) == relevance


def test_with_a_query_news_must_be_about_it() -> None:
    """With the score of tf-idf; an old page has the score 0."""
    model, topic = create("recency", "coral bleaching"), create("tfidf", "coral bleaching")
    fresh = Content("Corals", CORALS, "en", age_s=60.0)
    assert model.page(fresh) == topic.page(fresh) > 0
    assert model.page(Content("Railway", RAILWAY, "en", age_s=60.0)) == 0
    assert model.page(Content("Corals", CORALS, "en", age_s=2 * DAY_S)) == 0
    assert model.link("Corals", CORALS) == topic.link("Corals", CORALS) > 0


def test_without_a_query_links_have_no_relevance() -> None:
    """Their words do not show how old a page is."""
    assert create("recency", " ").link("News of today", RAILWAY) == 0


def test_a_query_without_a_topic_is_refused_for_news() -> None:
    """No query is allowed."""
    with pytest.raises(QueryError):
        create("recency", "the and of")


@pytest.mark.parametrize(("hours", "relevance"), [(24.0, 0.0), (48.0, 1.0)])
def test_the_option_sets_how_long_a_page_is_news(hours: float, relevance: float) -> None:
    """A weekly journal needs a longer time than a news ticker."""
    assembly = assemble(
        Config.read({"EVOCRAWL_FRESH_H": hours}, {"species": "weblog"}),
        concurrency=1,
        host_limit=lambda _: (1, 0.0),
        timeout_s=10.0,
    )
    assert assembly.relevance.page(Content("", RAILWAY, age_s=1.5 * DAY_S)) == relevance


@pytest.mark.parametrize("hours", [0, -1, "a day"])
def test_a_time_of_zero_is_refused(hours: object) -> None:
    """No page would be news."""
    with pytest.raises(SettingError, match="FRESH_H"):
        Config.read({"EVOCRAWL_FRESH_H": hours})
