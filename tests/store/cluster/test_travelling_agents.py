"""Agents travel between workers, and species learn from what other workers found."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from checks import limits
from sync_stage import OURS, THEIRS, VACANT, Stage

from evocrawl.core.fetch import OVER_BUDGET
from evocrawl.core.model import Cost, Dead, Dropped, Link, Page
from evocrawl.core.urls.identity import fingerprint
from evocrawl.population.exchange import PageDigest
from evocrawl.population.lifecycle import PopulationBounds
from evocrawl.store.cluster.population_sync import LEASE_LOST
from evocrawl.store.cluster.redis.codec import RowCodec, Source, TravellingAgent


def test_an_agent_travels_to_the_worker_that_owns_its_host() -> None:
    """It takes its energy with it, and the news reports it. No agent waits for the host."""
    stage = Stage()
    stage.show(VACANT)
    before = len(stage.population)
    assert stage.choose() is None
    stage.sync.denied("vacant.test", "7")
    assert len(stage.population) == before - 1 == stage.ledger.population
    (guest,) = stage.calls("visit")
    assert guest[0] == "1.1"
    (reported,) = stage.calls("tell")
    assert reported[2:] == ["1", "guest", "vacant.test", b""]
    assert stage.keys("tell") == [["evocrawl:{x}:inbox:7"]]
    held = sum(agent.energy for agent in stage.population.lifecycle.agents.values())
    assert held == pytest.approx(stage.ledger.energy.of_founders - stage.ledger.energy.departed)
    assert stage.ledger.energy.departed > 0
    assert stage.choose() is None
    assert stage.population.closed_origins() == []


def test_the_last_agents_stay() -> None:
    """At the lower bound a link is sent without its agent."""
    stage = Stage()
    stage.population.lifecycle.bounds = PopulationBounds(8, 8, 20)
    stage.show(VACANT)
    assert stage.choose() is None
    stage.sync.denied("vacant.test", "7")
    assert stage.sent == []
    assert len(stage.population) == 8 == limits(stage.population)[0]
    stage.show(OURS)
    assert stage.choose() is not None


def test_an_arriving_agent_joins_the_population() -> None:
    """With its energy; an agent of an unknown species is refused."""
    stage = Stage()
    stage.show(OURS)
    species = stage.population.species[0].name
    stage.sync.travel.welcome(
        [TravellingAgent(species, 0.25, b"p"), TravellingAgent("unknown", 1.0, b"p")]
    )
    assert len(stage.population) == 9 == stage.ledger.population
    assert stage.ledger.energy.arrived == 0.25
    held = sum(agent.energy for agent in stage.population.lifecycle.agents.values())
    assert held == pytest.approx(stage.ledger.energy.of_founders + 0.25)


def test_a_mind_travels_with_its_agent() -> None:
    """It is unchanged; an invalid mind is refused."""
    stage, other = Stage(), Stage()
    stage.show(VACANT, "http://vacant.test/2")
    assert stage.choose() is None
    minds = stage.population.species[0].minds
    assert minds is not None
    stage.sync.denied("vacant.test", "7")
    (guest,) = stage.calls("visit")
    travelled = RowCodec.unpack_guest(guest[1].encode())
    other.sync.travel.welcome([travelled, replace(travelled, mind=(9.0, 9.0))])
    arrived = list(other.population.lifecycle.agents.values())
    assert [minds.pack(each.mind) for each in arrived] == [travelled.mind]
    assert len(travelled.mind) > 1


def test_pages_of_other_workers_are_sources_of_links_and_no_examples() -> None:
    """Their own worker learns from them, and ranks them; also if such a page comes twice."""
    stage = Stage()
    first, second = "http://ours.test/1", "http://ours.test/2"
    model = stage.population.species[0].learning.model  # type: ignore[attr-defined]
    links = tuple(Link(url, fingerprint(url)) for url in (first, second))
    page = Page(THEIRS, fingerprint(THEIRS), 0.9, 3.0, links)
    stage.show(first)
    for _ in range(2):
        stage.sync.links.of_page(page, 1)
    assert model.evidence.tries == 0
    assert not model.evidence.labels
    assert len(stage.population.environment.base.ranks) == 0
    assert stage.population.environment.base.energy() == 0
    row = model.row_of(fingerprint(second))
    assert model.features([row])[0][list(model.names).index("parent_max")] > 0.9
    assert stage.all_visits() == {first, second}


def test_a_link_that_others_find_again_counts_once_more_and_is_followed_once() -> None:
    """Also a link that was followed here: its target is known, and its page is a source."""
    stage = Stage()
    model = stage.population.species[0].learning.model  # type: ignore[attr-defined]
    link, other = (Link(f"{OURS}{n}", fingerprint(f"{OURS}{n}"), "0.5") for n in (1, 2))
    for number in range(3):
        url = f"http://theirs.test/{number}"
        source = Source(url, fingerprint(url), 0.9, 1, "0.5")
        links = [("ours.test", each, source) for each in (link, other)]
        stage.sync.links.of_others([(PageDigest("a text of words"), links)])
    row = model.row_of(link.fingerprint)
    assert inlinks(model, row) == 3
    assert stage.all_visits() == {link.url, other.url}
    url = "http://theirs.test/9"
    again = Source(url, fingerprint(url), 0.9, 1)
    stage.sync.links.of_others([(PageDigest(), [("ours.test", link, again)])])
    assert inlinks(model, row) == 4
    assert stage.choose() is None


def inlinks(model: Any, row: int) -> int:
    """Return how many incoming links of a target are kept."""
    return int((model.evidence.targets.get_one("links", row) >= 0).sum())


@pytest.mark.parametrize(
    ("outcome", "is_reported"),
    [
        (Dead(OVER_BUDGET, Cost()), False), (Dropped(OVER_BUDGET), False),
        (Dropped(LEASE_LOST), False), (Dead("404", Cost()), True), (Dropped("filtered"), True),
    ],
)  # fmt: skip
def test_a_link_that_was_not_tried_stays_open(outcome: Any, is_reported: bool) -> None:
    """For the next worker with budget, or the next owner of the host."""
    stage = Stage()
    stage.show(OURS)
    visit = stage.choose()
    assert visit is not None
    stage.end(visit, outcome)
    assert bool(stage.calls("settle")) == is_reported
