"""Made-up worlds have the wanted numbers."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evocrawl.core.model import Dead, Refused
from evocrawl.core.urls.identity import fingerprint, host_of
from evocrawl.simulation.worlds.base import Arrived
from evocrawl.simulation.worlds.made_up.base import Weather
from evocrawl.simulation.worlds.made_up.news import DAY_S, TOPICS, News, NewsPlan
from evocrawl.simulation.worlds.made_up.sites import Sites, SitesPlan
from evocrawl.simulation.worlds.made_up.vocabulary import Vocabulary, chance


@pytest.fixture(scope="module")
def sites() -> Sites:
    return Sites(SitesPlan(), np.random.default_rng(1))


@pytest.fixture(scope="module")
def news() -> News:
    return News(NewsPlan(pages=8000), np.random.default_rng(1))


def test_sites_have_the_wanted_shares(sites: Sites) -> None:
    """The paper's: 1000 sites, 10 % semantic pages, 1 % forbidden sites, 2 % invalid links."""
    kinds = Counter(sites.kind_of(sites.url(page)) for page in range(len(sites.graph)))
    pages = len(sites.graph)
    assert pages == pytest.approx(10_000, rel=0.05)
    assert len(sites.hosts()) == 1000
    assert sum(bool(sites.robots_txt(host)) for host in sites.hosts()) == 10
    assert kinds["semantic"] == pytest.approx(0.1 * pages, rel=0.05)
    assert kinds["forbidden"] == pytest.approx(0.01 * pages, rel=0.5)
    links = [url for page in range(2000) for url in sites.link_urls(page, sites.graph.out(page))]
    lost = sum(sites.kind_of(url) == "invalid" for url in links)
    assert lost / len(links) == pytest.approx(0.02, rel=0.2)
    assert len(links) / 2000 == pytest.approx(9.0, rel=0.15)  # 10, minus repeated ones


def test_the_numbers_of_a_world_are_near_the_wanted_ones(sites: Sites, news: News) -> None:
    """Both are shown; repeated links are lost."""
    for world in (sites, news):
        rows = world.compared(np.random.default_rng(1))
        assert len({row.measure for row in rows}) == len(rows)
        for row in rows:
            assert np.isfinite(row.measured)
            assert row.asked is None or row.measured == pytest.approx(row.asked, rel=0.25)


def test_semantic_pages_are_on_a_few_sites(sites: Sites) -> None:
    """A crawler can learn which ones."""
    hosts = {
        host_of(url) for url in map(sites.url, range(len(sites.graph)))
        if sites.kind_of(url) == "semantic"
    }  # fmt: skip
    assert 0.15 <= len(hosts) / 1000 <= 0.2


def test_half_of_the_links_stay_on_the_site(sites: Sites) -> None:
    """Except repeated ones, of which a site of ten pages has many."""
    ends = [(page, int(target)) for page in range(3000) for target in sites.graph.out(page)]
    inside = sum(sites.host(page) == sites.host(target) for page, target in ends)
    assert 0.35 < inside / len(ends) < 0.5


def test_invalid_links_are_half_missing_and_half_no_html(sites: Sites) -> None:
    """Both are dead, each for its reason."""
    urls = [url for page in range(3000) for url in sites.link_urls(page, sites.graph.out(page))]
    answers = [sites.fetch(url, 0.0) for url in urls if "/gone/" in url or "/file/" in url]
    reasons = Counter(each.reason for each in answers if isinstance(each, Dead))
    assert set(reasons) == {"status 404", "no HTML"}
    assert min(reasons.values()) > 0.3 * sum(reasons.values())


def test_a_forbidden_site_refuses_all_its_addresses(sites: Sites) -> None:
    """Pages, and links on it that lead nowhere."""
    page = int(np.flatnonzero(sites.forbidden)[0])
    for url in (sites.url(page), sites.url(page).replace("test/", "test/gone/")):
        assert isinstance(sites.fetch(url, 0.0), Refused)
        assert sites.kind_of(url) == "forbidden"
    assert fingerprint(sites.url(page)) not in sites.about("semantic")


def test_the_news_web_has_the_wanted_exponents_and_clustering(news: News) -> None:
    """Measured on a web of 8 000 pages; the mean path is the paper's "diameter"."""
    shape = news.measure(np.random.default_rng(2))
    assert shape.out_exponent == pytest.approx(-1.3, abs=0.05)
    assert shape.in_exponent == pytest.approx(-2.57, abs=0.08)
    assert shape.clustering == pytest.approx(0.02, abs=0.005)
    assert 5.5 < shape.path_length < 8.0
    assert shape.largest_path > shape.path_length


def test_the_clustering_can_be_set_higher() -> None:
    """Also above the paper's value."""
    world = News(NewsPlan(pages=4000, clustering=0.06), np.random.default_rng(1))
    assert world.measure(np.random.default_rng(2)).clustering == pytest.approx(0.06, rel=0.15)


def test_rewiring_keeps_degrees_and_loses_clustering(news: News) -> None:
    """It keeps words, dates and topics of pages, and does not change the first web.

    Hubs alone make 0.012 of the clustering of so small a web.
    """
    before = news.graph.targets.copy()
    other = news.rewired(np.random.default_rng(3))
    assert np.array_equal(news.graph.out_degrees(), other.graph.out_degrees())
    assert np.array_equal(news.graph.in_degrees(), other.graph.in_degrees())
    shape = other.measure(np.random.default_rng(2))
    assert shape.clustering < 0.75 * news.measure(np.random.default_rng(2)).clustering
    assert np.array_equal(news.graph.targets, before)
    assert not np.array_equal(news.graph.targets, other.graph.targets)
    assert other.document(7, 0.0).title == news.document(7, 0.0).title


def test_links_of_a_topic_lead_to_it(news: News) -> None:
    """More often than in a web without order, so that there is something to follow."""

    def share(world: News) -> float:
        sources, targets = world.graph.sources(), world.graph.targets
        return float(np.mean(world.topics_of(sources)[0] == world.topics_of(targets)[0]))

    assert share(news) > 5 * share(news.rewired(np.random.default_rng(3)))


def test_articles_appear_and_with_them_the_links_to_them(news: News) -> None:
    """A page that links to a new article has changed at that moment."""
    sources, targets = news.graph.sources(), news.graph.targets
    link = int(np.flatnonzero(news._births[targets] > DAY_S)[0])
    section, article = int(sources[link]), int(targets[link])
    born = float(news._births[article])
    url = news.url(article)
    assert isinstance(news.fetch(url, born - 1), Dead)
    assert isinstance(news.fetch(url, born), Arrived)

    def linked(now_s: float) -> bool:
        return url in [link.url for link in news.document(section, now_s).links]

    assert (linked(born - 1), linked(born)) == (False, True)
    assert news.changed_at(news.url(section), born) == born
    assert news.document(section, born - 1).text != news.document(section, born).text
    assert news.is_news(url, born + DAY_S - 1)
    assert not news.is_news("http://n0.news.test/999999", born)


def test_pages_change_at_the_wanted_rate() -> None:
    """Half of the pages, each about once an hour for a day, and not after that."""
    plan = NewsPlan(pages=2000, days=1, appearing=0, changing=0.5, interval_h=1.0)
    news = News(plan, np.random.default_rng(1))
    counts = np.array([news.revision(page, 9 * DAY_S)[0] for page in range(2000)])
    assert np.mean(counts > 0) == pytest.approx(0.5, abs=0.05)
    assert np.median(counts[counts > 0]) == pytest.approx(24, rel=0.25)
    assert max(news.revision(page, 9 * DAY_S)[1] or 0 for page in range(2000)) <= DAY_S


def test_the_state_of_a_page_has_its_topic(news: News) -> None:
    """50 numbers in (−1, 1); the largest is the topic of the text."""
    vector = news.topic_vector(news.url(4321))
    assert vector.shape == (TOPICS,)
    assert np.abs(vector).max() < 1
    topic = int(vector.argmax())
    assert fingerprint(news.url(4321)) in news.about(f"topic-{topic:02}")
    words = set(news.document(4321, 0.0).text.lower().rstrip(".").split())
    assert len(words & set(news.vocabulary.of(topic))) > 5
    with pytest.raises(KeyError):
        news.topic_vector("http://n0.news.test/999999")


def test_shares_of_redirects_and_time_outs_are_as_wanted() -> None:
    """They are counted."""
    weather = Weather(latency_s=0.2, timeouts=0.1, dead=0.1, moved=0.2, forbidden=0.1)
    news = News(NewsPlan(pages=3000, appearing=0.0, weather=weather), np.random.default_rng(4))
    urls = [url for page in range(3000) for url in news.link_urls(page, news.graph.out(page))]
    assert np.mean(["/old/" in url for url in urls]) == pytest.approx(0.2, abs=0.02)
    answers = [news.fetch(news.url(page), 0.0) for page in range(3000)]
    kinds = Counter(getattr(each, "reason", type(each).__name__) for each in answers)
    assert kinds["timeout"] == pytest.approx(270, rel=0.2)
    assert kinds["Refused"] == pytest.approx(300, rel=0.2)
    assert kinds["Arrived"] == len(news)
    arrived = [each.cost.seconds for each in answers if isinstance(each, Arrived)]
    assert np.mean(arrived) == pytest.approx(0.2, rel=0.05)
    moved = news.fetch(next(url for url in urls if "/old/" in url), 0.0)
    assert moved.cost.requests == 2


@pytest.mark.parametrize(
    "make",
    [
        lambda: Weather(dead=0.7, moved=0.7), lambda: Weather(timeouts=-0.1),
        lambda: Weather(latency_s=float("nan")), lambda: SitesPlan(sites=0),
        lambda: SitesPlan(semantic=2), lambda: NewsPlan(pages=1),
        lambda: NewsPlan(in_exponent=0.5), lambda: NewsPlan(clustering=-1),
        lambda: NewsPlan(days=float("nan")), lambda: NewsPlan(hosts=51),
    ],
)  # fmt: skip
def test_impossible_numbers_are_refused(make: object) -> None:
    """Before a page is made."""
    with pytest.raises(ValueError, match=r"must|most"):
        make()  # type: ignore[operator]


@given(
    seed=st.integers(0, 2**32),
    sites=st.integers(1, 12),
    size=st.floats(1, 4),
    links=st.integers(1, 30),
    shares=st.tuples(*[st.floats(0, 1)] * 3),
)
@settings(max_examples=40)
def test_every_plan_of_sites_makes_a_web(
    seed: int, sites: int, size: float, links: int, shares: tuple[float, float, float]
) -> None:
    """One page or many, all semantic or none."""
    plan = SitesPlan(sites, size, links, *shares)
    world = Sites(plan, np.random.default_rng(seed))
    kinds = Counter(world.kind_of(world.url(page)) for page in range(len(world.graph)))
    assert sum(kinds.values()) == len(world.graph) >= sites
    assert world._is_semantic.sum() == round(shares[0] * len(world.graph))


@given(
    seed=st.integers(0, 2**32),
    pages=st.integers(10, 120),
    exponents=st.tuples(st.floats(0.1, 6), st.floats(1.01, 6)),
    clustering=st.floats(0, 1),
    most=st.integers(1, 50),
    least=st.integers(1, 4),
)
@settings(max_examples=40, deadline=None)
def test_every_plan_of_news_makes_a_simple_graph(
    seed: int, pages: int, exponents: tuple[float, float], clustering: float, most: int, least: int
) -> None:
    """No link to the page itself, none twice, and no page with more links than wanted."""
    plan = NewsPlan(pages, *exponents, clustering, most, least)
    world = News(plan, np.random.default_rng(seed))
    graph = world.graph
    ends = list(zip(graph.sources().tolist(), graph.targets.tolist(), strict=True))
    assert len(set(ends)) == len(ends)
    assert all(source != target for source, target in ends)
    assert graph.out_degrees().max() <= max(most, 1)
    shape = world.measure(np.random.default_rng(0))
    assert all(np.isfinite(getattr(shape, name)) for name in type(shape).__slots__)


def test_draws_are_even_and_depend_on_every_key() -> None:
    """A χ² of 100 cells, and no two keys alike."""
    draws = chance(1, np.arange(100_000), 7)
    cells = np.bincount((draws * 100).astype(int), minlength=100)
    assert ((cells - 1000) ** 2 / 1000).sum() < 150  # the 99.9 % point of χ²(99) is 149
    assert len(np.unique(chance(1, np.arange(300)[:, None], np.arange(300)))) == 90_000
    assert abs(np.corrcoef(chance(1, np.arange(9999)), chance(2, np.arange(9999)))[0, 1]) < 0.05


def test_words_are_all_different() -> None:
    """No word belongs to two topics or to a topic and the common words."""
    vocabulary = Vocabulary(TOPICS, 12345)
    words = [word for topic in range(TOPICS) for word in vocabulary.of(topic)]
    assert len({*words, *vocabulary._words}) == len(vocabulary._words) > len(words)


def test_semantic_pages_of_sites_have_machine_readable_content() -> None:
    """Only they: the relevance model `semantic` uses it."""
    sites = Sites(SitesPlan(sites=30), np.random.default_rng(3))
    kinds = {sites.kind_of(document.url): document.formats for document in sites.documents()}
    assert kinds == {"semantic": ("json-ld",), "plain": ()}
