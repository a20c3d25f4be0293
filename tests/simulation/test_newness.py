"""Rows have measures of news if the world has dates of pages."""

from __future__ import annotations

import numpy as np
import pytest
from simulation_worlds import random_world

from evocrawl.core.model import Content
from evocrawl.simulation.evaluation.measures import Row
from evocrawl.simulation.laboratory import Laboratory
from evocrawl.simulation.scoring import PageScorer, Witness
from evocrawl.simulation.trials import Trial
from evocrawl.simulation.worlds.made_up.base import Weather
from evocrawl.simulation.worlds.made_up.news import News, NewsPlan

FIELDS = (
    "news_sent", "news_found", "download_efficiency", "sent_efficiency", "freshness", "age_h",
)  # fmt: skip


class Careless:
    """A relevance model that gives all pages the same score."""

    reads = frozenset[str]()

    def page(self, content: Content) -> float:  # noqa: ARG002
        return 0.5

    def link(self, anchor: str, context: str, language: str = "") -> float:  # noqa: ARG002
        return 0.5


@pytest.fixture(scope="module")
def news() -> News:
    """Return a web that changes often, and answers slowly: a crawl of it takes hours."""
    weather = Weather(latency_s=20.0)
    plan = NewsPlan(pages=600, days=2.0, changing=0.5, interval_h=4.0, weather=weather)
    return News(plan, np.random.default_rng(5))


@pytest.fixture(scope="module")
def row(news: News) -> Row:
    """Return the row of a breadth-first crawl from the ten pages with most links."""
    sections = np.argsort(news.graph.out_degrees())[-10:]
    seeds = tuple(news.url(int(page)) for page in sections)
    trial = Trial(query="corals", species="breadth_first", start="given", seeds=seeds, budget=500)
    return Laboratory(news).run(trial)


def test_news_is_counted_by_window_and_in_all(row: Row) -> None:
    """Each page is fetched once, so that every sent page is found."""
    assert 0 < row["news_found"] == row["news_sent"] == sum(point[3] for point in row["news"])
    assert row["pages"] == sum(point[1] for point in row["news"])
    assert row["download_efficiency"] == row["news_found"] / row["pages"]
    assert row["sent_efficiency"] == 1.0
    assert row["news"][-1][0] == pytest.approx(row["simulated_s"] / 3600, abs=1e-5)


def test_freshness_and_age_are_means_over_the_windows(row: Row) -> None:
    """Pages change about every four hours: some copies are outdated, by four hours at most."""
    assert row["freshness"] == pytest.approx(np.mean([point[4] for point in row["news"]]), abs=1e-5)
    assert row["age_h"] == pytest.approx(np.mean([point[5] for point in row["news"]]), abs=1e-5)
    assert 0 < row["freshness"] < 1
    assert 0 < row["age_h"] < row["simulated_s"] / 3600


def test_urls_found_are_those_of_pages_and_links(row: Row, news: News) -> None:
    """More than were fetched, never more than there are."""
    assert row["pages"] < row["found_urls"] <= len(news.graph)
    assert row["relative_found_url"] == row["found_urls"] / row["pages"]


def test_a_world_without_dates_has_no_news() -> None:
    """The fields are null; the number of found URLs is there."""
    row = Laboratory(random_world(3)).run(Trial(query="coral", species="best_first", budget=20))
    assert {name: row[name] for name in FIELDS} == dict.fromkeys(FIELDS)
    assert row["news"] == []
    assert row["relative_found_url"] > 0


def test_a_witness_gives_the_scores_of_its_judge(news: News) -> None:
    """It counts each page and link; known scores are shared."""
    scorer = PageScorer(Careless())
    seen = Witness(scorer)
    page = next(document for document in news.documents() if document.links)
    assert seen.score(page) == scorer.score(page) == 0.5
    assert len(seen) == len(scorer) == 1
    assert seen.found == {page.fingerprint, *(link.fingerprint for link in page.links)}
    assert seen.urls == {page.fingerprint: page.url}
