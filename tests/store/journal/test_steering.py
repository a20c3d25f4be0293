"""Changes of a user during a crawl have their effect, and a stored crawl replays them."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import numpy as np
import pytest
from journeys import state_of
from stored_crawls import StoredCrawl, name

from evocrawl.core.errors import SettingError
from evocrawl.core.events import Event, HeldBack, Paid, VisitOpened
from evocrawl.core.model import Content, Fetched
from evocrawl.core.urls.identity import fingerprint
from evocrawl.monitor.stored_crawl import RebuiltPopulation
from evocrawl.population.exclusions import EXCLUDED, MOST_PATTERNS, Exclusions
from evocrawl.population.steering import Parameters, parameters_of
from evocrawl.species import SPECIES
from evocrawl.species.evo.prospects import CandidateRanking
from evocrawl.store.archive import Archive

LIVE_SPECIES = [each for each in SPECIES if each != "oracle"]


def content(url: str, crawl: StoredCrawl) -> Content:
    outcome = crawl.answer(url)
    assert isinstance(outcome, Fetched)
    return outcome.page.content


def rebuilt(crawl: StoredCrawl) -> RebuiltPopulation:
    crawl.journaled.commit()
    with Archive(crawl.path) as archive:
        again = RebuiltPopulation(archive.about())
        assert again.replay(archive.ops()) == ""
    return again


def steer(crawl: StoredCrawl) -> None:
    """Change everything that can be changed, between visits."""
    crawl.run(5)
    crawl.journaled.mark(fingerprint(name(0)), content(name(0), crawl), relevant=True)
    crawl.journaled.mark(fingerprint(name(1)), content(name(1), crawl), relevant=False)
    crawl.run(3)
    now = parameters_of(crawl.population)
    crawl.journaled.change(Parameters(40, 1, 30, 0.5, now.gain * 2))
    crawl.run(4)
    crawl.journaled.exclude("b.test/1*")
    crawl.journaled.exclude("never.test")
    crawl.run(200)


@pytest.mark.parametrize("species", LIVE_SPECIES)
def test_a_steered_crawl_is_replayed_to_the_same_population(species: str, tmp_path: Path) -> None:
    crawl = StoredCrawl(tmp_path / "s", species, budget=20)
    steer(crawl)
    again = rebuilt(crawl)
    assert state_of(again.population) == state_of(crawl.population)
    assert parameters_of(again.population) == parameters_of(crawl.population)
    assert again.population.discovery.exclusions.patterns == ["b.test/1*", "never.test"]
    crawl.close()


def watched(crawl: StoredCrawl) -> list[Event]:
    events: list[Event] = []
    crawl.population.on_event.append(events.append)
    return events


def opened(events: Iterable[Event]) -> list[str]:
    return [event.visit.lead.url for event in events if isinstance(event, VisitOpened)]


@pytest.mark.parametrize("species", LIVE_SPECIES)
def test_no_link_to_an_excluded_host_is_followed(species: str, tmp_path: Path) -> None:
    """Neither one that waits nor one that is found later; the crawl ends."""
    crawl = StoredCrawl(tmp_path / "s", species, budget=80)
    crawl.run(6)
    crawl.journaled.exclude("B.test")
    events = watched(crawl)
    crawl.run(80)
    urls = opened(events)
    assert not [url for url in urls if url.startswith("http://b.test")]
    if not crawl.population.species[0].revisits:
        held = [event for event in events if isinstance(event, HeldBack)]
        assert {event.reason for event in held} <= {EXCLUDED}
        assert urls or crawl.population.ended == "exhausted"
        assert crawl.population.ended == "exhausted"
    crawl.close()


def test_an_excluded_link_that_waits_for_its_robots_txt_is_given_up(tmp_path: Path) -> None:
    crawl = StoredCrawl(tmp_path / "s", "breadth_first")
    crawl.journaled.guard(lambda url: "http://b.test" if "b.test" in url else None)
    crawl.run(3)
    assert crawl.population.closed_origins() == ["http://b.test"]
    events = watched(crawl)
    crawl.journaled.exclude("b.test")
    crawl.journaled.opened("http://b.test")
    crawl.run(30)
    assert not [url for url in opened(events) if "b.test" in url]
    assert all(agent.in_flight == 0 for agent in crawl.population.lifecycle.agents.values())
    rebuilt(crawl)
    crawl.close()


def test_a_greater_budget_lets_the_crawl_continue(tmp_path: Path) -> None:
    crawl = StoredCrawl(tmp_path / "s", "breadth_first", budget=5)
    crawl.run()
    assert crawl.population.ended == "budget"
    crawl.journaled.change(Parameters(9, 8, 60, 1.0, 8.0))
    assert crawl.population.ended is None
    crawl.run()
    assert crawl.assembly.budget.spent == 9
    crawl.close()


def test_fees_follow_the_cost_and_the_population_its_bounds(tmp_path: Path) -> None:
    crawl = StoredCrawl(tmp_path / "s", "energy", budget=200, agents=6, lower_bound=2)
    crawl.run(10)
    crawl.journaled.change(Parameters(200, 2, 7, 0.25, 8.0))
    events = watched(crawl)
    sizes = []
    while crawl.step():
        sizes.append(len(crawl.population))
    dead = [event.energy for event in events if isinstance(event, Paid) and event.reason == "dead"]
    assert set(dead) == {0.25}
    assert max(sizes[10:]) <= 7
    with pytest.raises(SettingError, match="upper_bound"):
        crawl.journaled.change(Parameters(200, 9, 7, 0.25, 8.0))
    rebuilt(crawl)
    crawl.close()


def test_marks_teach_the_model_of_links_and_waiting_links_are_scored_again(tmp_path: Path) -> None:
    """A page marked as not relevant has label 0 from then on, and its links get lower scores."""
    crawl = StoredCrawl(tmp_path / "s", "evo", budget=100)
    crawl.run(12)
    model = crawl.assembly.link_model
    assert model is not None
    with Archive(crawl.path) as archive:
        found = [
            (page.relevance, page.visit, page, link.fingerprint)
            for page in archive.pages()
            for link in page.links
            if not crawl.population.environment.base.is_claimed(link.fingerprint)
        ]
    _, _, best, target = max(found)
    row = model.row_of(target)
    assert row is not None
    before = float(model.scores(model.features(np.array([row])))[0])
    crawl.journaled.mark(fingerprint(best.url), content(best.url, crawl), relevant=False)
    number = model.evidence.page_of(model.row_of(fingerprint(best.url)) or 0)
    assert model.evidence.pages["label"][number] == 0
    after = float(model.scores(model.features(np.array([row])))[0])
    assert after < before
    crawl.run(1)
    assert model.evidence.pages["label"][number] == 0
    model.refit()
    assert model.evidence.pages["label"][number] == 0
    prospects = crawl.population.species[0].sight
    assert isinstance(prospects, CandidateRanking)
    waiting = prospects._leads.get(row)
    standing = None if waiting is None else prospects.standing(waiting)
    if standing is not None:
        kept = prospects._leads.scores(np.array([row]))[0]
        assert abs(kept - standing.score) < 0.2
    rebuilt(crawl)
    crawl.close()


def test_a_mark_of_an_unknown_page_changes_nothing(tmp_path: Path) -> None:
    crawl = StoredCrawl(tmp_path / "s", "evo")
    crawl.run(4)
    model = crawl.assembly.link_model
    assert model is not None
    version = model.version
    assert not model.mark(fingerprint("http://nowhere.test/"), relevant=True)
    assert model.version == version
    crawl.close()


@pytest.mark.parametrize(
    "pattern",
    ["", " ", "*", "*/*", "a b", "a*.test", "ftp://a.test", "http://", "a\x1b.test", "/x"],
)
def test_meaningless_patterns_are_refused(pattern: str) -> None:
    with pytest.raises(ValueError, match="allowed"):
        Exclusions().add(pattern)


@pytest.mark.parametrize(
    ("pattern", "url", "is_covered"),
    [
        ("a.test", "http://a.test/x", True), ("a.test", "https://b.a.test/", True),
        ("a.test", "http://aa.test/", False), ("https://A.test/*", "http://a.test/q?x=1", True),
        ("a.test/tag/*", "http://a.test/tag/x", True), ("a.test/tag/*", "http://a.test/tag", False),
        ("a.test/*.pdf", "http://a.test/d/x.pdf", True), ("a.test/*.pdf", "http://a.test/p", False),
        ("*.test/p?*=1", "http://z.test/p?q=1", True), ("a.test/Tag", "http://a.test/tag", False),
        ("a.test/", "http://a.test", True), ("a.test/*a*b*", "http://a.test/xaxb", True),
        ("a.test/*b*a*", "http://a.test/xaxb", False), ("a.test/a*b*b", "http://a.test/ab", False),
        ("a.test/a*b*b", "http://a.test/abb", True),
    ],
)  # fmt: skip
def test_what_a_pattern_covers(pattern: str, url: str, is_covered: bool) -> None:
    exclusions = Exclusions()
    exclusions.add(pattern)
    assert exclusions.covers_url(url, url.split("/")[2]) is is_covered


def test_patterns_are_limited_and_hostile_ones_are_fast() -> None:
    """The time for a pattern does not grow with its number of stars."""
    exclusions = Exclusions()
    exclusions.add("a.test/" + "*a" * 200 + "*b")
    assert not exclusions.covers_url("http://a.test/" + "a" * 2000, "a.test")
    for number in range(MOST_PATTERNS - 1):
        exclusions.add(f"{number}.test")
    exclusions.add("7.test")
    with pytest.raises(ValueError, match="at most"):
        exclusions.add("one.more.test")
