"""The examples of custom parts work as the documentation shows."""

from __future__ import annotations

from importlib.metadata import EntryPoint
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest
from answers import Web, json_of
from journeys import Journey, ListJournal, new_population, state_of
from scrapy import Request

from evocrawl.core.config.config import Config
from evocrawl.core.errors import QueryError, SettingError
from evocrawl.core.model import Content
from evocrawl.population.assembly import makers_of
from evocrawl.relevance.registry import create
from evocrawl.seeding import registry as sources
from evocrawl.seeding.base import SeedError
from evocrawl.simulation.runner import run
from evocrawl.simulation.worlds.registry import open_world
from evocrawl.species import registry
from evocrawl.store.journal.journaled_population import JournaledPopulation
from evocrawl.store.journal.replay import replay
from examples.parts.counting_journal import CountingJournal
from examples.parts.visit_header import VisitHeader

SHALLOW = f"{Path(__file__).parents[2] / 'examples' / 'parts' / 'shallow.py'}:shallow"
LONG_READS = "examples.parts.long_reads:LongReads"


def test_a_species_of_your_own_crawls_a_world() -> None:
    """Named by its file, alone and together with a built-in species."""
    world = open_world("sites:sites=12,seed=3")
    seed = next(iter(world.documents())).url
    for species in (SHALLOW, f"{SHALLOW}+best_first"):
        options = {"query": "coral", "species": species, "relevance": "tfidf", "max_requests": 25}
        config = Config.read({}, options)
        result = run(world, config, [seed])
        assert result.steps[0].url == seed
        assert 10 < result.requests <= 25


def test_a_species_of_an_installed_package_has_a_name(monkeypatch: pytest.MonkeyPatch) -> None:
    """As an entry point; a built-in species keeps its name."""
    place = "examples.parts.shallow:shallow"
    points = [EntryPoint(name, place, registry.GROUP) for name in ("shallow", "evo")]
    monkeypatch.setattr(registry, "entry_points", lambda group: points if group else [])
    assert [maker.__name__ for maker in makers_of("shallow+evo")] == ["shallow", "<lambda>"]
    assert "shallow" in registry.known()


@pytest.mark.parametrize(
    ("species", "message"),
    [
        ("shalow", "or file.py:maker of your own"),
        ("gone.py:shallow", "there is no file gone.py"),
        (SHALLOW.replace(":shallow", ":deep"), "not 'deep'"),
        (f"{SHALLOW}+{SHALLOW}", "joined by"),
    ],
)
def test_a_species_that_is_not_there_is_an_error_that_names_it(species: str, message: str) -> None:
    """Before the first request."""
    with pytest.raises(SettingError, match=message):
        makers_of(species)


def test_a_broken_package_with_a_species_is_an_error_that_names_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The package's module may raise anything."""
    points = [EntryPoint("shallow", "examples.parts.gone:shallow", registry.GROUP)]
    monkeypatch.setattr(registry, "entry_points", lambda group: points if group else [])
    with pytest.raises(SettingError, match=r"ModuleNotFoundError.*examples\.parts\.gone"):
        makers_of("shallow")


def test_a_relevance_model_of_your_own_scores_pages_and_links() -> None:
    """A long page about the query first; the argument is the length of a long page."""
    model = create(f"{LONG_READS}:10", "coral bleaching", calibrated=False)
    long = Content("", "coral bleaching " * 10, "en")
    assert model.page(long) == 1.0
    assert model.page(Content("", "coral bleaching", "en")) == pytest.approx(0.2)
    assert model.page(Content("", "a page about birds", "en")) == 0.0
    assert model.link("coral reefs", "") == 0.5
    with pytest.raises(QueryError):
        create(LONG_READS, " ")


def test_a_journal_of_your_own_has_the_whole_crawl() -> None:
    """Replaying what it forwarded gives the same population."""
    kept = ListJournal()
    journal = CountingJournal(kept)
    journey = Journey("best_first", 1, journal)
    for _ in range(60):
        journey.act()
    assert journal.counts["begin"] == 1
    assert journal.counts["choose"] > 5
    assert journal.counts.total() == len(kept.kept)

    population, limits, _ = new_population("best_first", 1)
    replay(journal.ops(), JournaledPopulation(population, limits, ListJournal()))
    assert state_of(population) == state_of(journey.population)


def test_a_middleware_of_your_own_sends_the_number_of_the_visit() -> None:
    """A request that is no link has none."""
    page, call = Request("http://a.test/", meta={"evocrawl_visit": 7}), Request("http://a.test/api")
    for request in (page, call):
        VisitHeader().process_request(request)
    assert page.headers["X-Visit"] == b"7"
    assert "X-Visit" not in call.headers


def test_a_source_of_seeds_of_your_own_searches_articles(monkeypatch: pytest.MonkeyPatch) -> None:
    """Entries without an address are left out; an answer of another form is an error."""
    point = EntryPoint("crossref", "examples.parts.crossref:Crossref", sources.GROUP)
    monkeypatch.setattr(sources, "_packages", lambda: {"crossref": point})
    works = [
        {"URL": "http://doi.test/1", "title": ["<i>Acropora</i> bleaching"]},
        {"URL": "http://doi.test/2", "title": []},
        {"title": ["an article without an address"]},
    ]
    web = Web({"http://api.test/works": json_of({"message": {"items": works}})})
    seeds = web.seeds("crossref:http://api.test/works", most=5)
    assert [(each.url, each.title) for each in seeds] == [
        ("http://doi.test/1", "Acropora bleaching"), ("http://doi.test/2", ""),
    ]  # fmt: skip
    assert parse_qs(urlsplit(web.asked[0]).query) == {
        "query": ["coral bleaching"], "rows": ["5"], "select": ["URL,title"],
    }  # fmt: skip
    with pytest.raises(SeedError, match="message"):
        Web({"http://api.test/works": json_of([])}).seeds("crossref:http://api.test/works")
