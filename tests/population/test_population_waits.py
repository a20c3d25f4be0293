"""What delays visits: the limit, busy hosts, delays and closed origins."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from checks import check
from tiny_webs import Web, crawl, link, make_population, random_web, visit

from evocrawl.core.fetch import LATER
from evocrawl.core.model import Cost, Dead, Dropped
from evocrawl.population.lifecycle import PopulationBounds
from evocrawl.species import SPECIES
from evocrawl.species.agent import Agent
from evocrawl.species.base import View
from evocrawl.species.parts import PageSight

A, B, C = (f"http://{letter}.test/" for letter in "abc")


@pytest.mark.parametrize("most", [1, 3, 8])
def test_the_cap_on_visits_holds_and_changes_no_sequential_crawl(most: int) -> None:
    """As long as each visit settles before the next choice, the order is the same."""
    web = random_web(np.random.default_rng(8), 60)
    orders = []
    for cap in (1, most):
        population, _ = make_population(seed=5, max_unsettled=cap)
        orders.append(crawl(population, web, [*web.links][:2]))
    assert orders[0] == orders[1]
    population, _ = make_population("breadth_first", max_unsettled=most)
    population.place(link(f"http://{number}.test/") for number in range(20))
    opened = [population.choose(0.0) for _ in range(20)]
    assert sum(chosen is not None for chosen in opened) == most


def test_a_saturated_host_is_passed_over() -> None:
    """Its agents wait until it is free; other agents go on meanwhile."""
    population, _ = make_population("breadth_first", limit=lambda _: (1, 0.0), max_unsettled=9)
    population.place([link(f"{A}1"), link(f"{A}2"), link(f"{B}1")])
    first, second = population.choose(0.0), population.choose(0.0)
    assert first is not None
    assert second is not None
    assert (first.lead.url, second.lead.url) == (f"{A}1", f"{B}1")
    assert population.choose(0.0) is None
    assert population.wakes_at() is None
    population.settle(first.id, Dropped(""))
    third = population.choose(0.0)
    assert third is not None
    assert third.lead.url == f"{A}2"


def test_a_delayed_host_wakes_the_crawl_when_its_delay_is_over() -> None:
    """No other event is needed."""
    population, _ = make_population("breadth_first", limit=lambda _: (9, 5.0), max_unsettled=9)
    population.place([link(f"{A}1"), link(f"{A}2")])
    assert population.choose(10.0) is not None
    assert population.choose(10.0) is None
    assert population.wakes_at() == 15.0
    assert population.choose(14.9) is None
    assert population.choose(15.0) is not None


def test_time_does_not_wake_a_crawl_that_has_no_place_for_a_visit() -> None:
    """Otherwise a crawl would wake again and again while its visits are under way."""
    population, _ = make_population(bounds=PopulationBounds(2, 2, 2), limit=lambda _: (1, 5.0))
    population.place([link(f"{A}1"), link(f"{A}2")])
    chosen = population.choose(0.0)
    assert chosen is not None
    page = Web({chosen.lead.url: [B]})
    population.settle(chosen.id, page.answer(chosen.lead.url, population.price))
    while (following := population.choose(0.0)) is not None and following.lead.url != B:
        population.settle(following.id, Dropped(""))
    assert following is not None
    assert population.choose(6.0) is None
    assert population.wakes_at() is None


class Gate:
    """Origins that open on demand; two hosts may share one."""

    def __init__(self, origins: dict[str, str]) -> None:
        self.origins = origins

    def __call__(self, url: str) -> str | None:
        return self.origins.get(url)


@pytest.mark.parametrize("species", ["energy", "best_first", "breadth_first"])
def test_links_wait_for_a_closed_origin_and_are_visited_when_it_opens(species: str) -> None:
    """Links of different hosts may wait for one origin; other links do not wait."""
    gate = Gate({A: "origin", B: "origin"})
    population, ledger = make_population(
        species, bounds=PopulationBounds(3, 3, 3), max_unsettled=9, gate=gate, wander_share=0.0
    )
    population.place([link(A), link(B), link(C)])
    chosen = population.choose(0.0)
    assert chosen is not None
    assert chosen.lead.url == C
    assert population.choose(0.0) is None
    assert population.ended is None
    check(population, ledger)
    gate.origins.clear()
    population.open_origin("origin")
    population.open_origin("another origin")
    opened = [population.choose(0.0), population.choose(0.0)]
    assert {each.lead.url for each in opened if each is not None} == {A, B}
    check(population, ledger)


def test_a_host_of_a_closed_origin_takes_one_link_only() -> None:
    """The rest of its links stay open to others."""
    population, _ = make_population(
        "breadth_first", max_unsettled=9, gate=Gate({f"{A}{n}": "a" for n in range(5)})
    )
    population.place(link(f"{A}{number}") for number in range(5))
    assert population.choose(0.0) is None
    claimed = [
        population.environment.base.is_claimed(link(f"{A}{n}").fingerprint) for n in range(5)
    ]
    assert claimed == [True, False, False, False, False]


def test_a_freed_host_wakes_only_as_many_agents_as_it_has_slots(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """On one saturated host, the work of a choice does not grow with the waiting agents."""
    looks, look = [], PageSight.look

    def counted(self: PageSight, agent: Agent, is_free: Callable[[str], bool]) -> View:
        looks.append(agent.id)
        return look(self, agent, is_free)

    monkeypatch.setattr(PageSight, "look", counted)
    web = Web({A: [f"{A}{n}" for n in range(300)], **{f"{A}{n}": [] for n in range(300)}})
    population, ledger = make_population(
        bounds=PopulationBounds(50, 50, 50),
        limit=lambda _: (2, 0.0),
        max_unsettled=9,
        wander_share=0.0,
    )
    population.place([link(A)])
    while population.ended is None:
        chosen = population.choose(0.0)
        if chosen is None and population.unsettled:
            visit(population, web, next(iter(population.unsettled.values())))
            check(population, ledger)
        if ledger.visits.settled == 200:
            break
    assert ledger.visits.settled == 200
    assert len(looks) < 5 * 200 + 2 * 50


def test_agents_that_wait_for_a_host_take_turns() -> None:
    """First in, first out: the agent that has used the host does not get it again at once."""
    web = Web({A: [f"{A}{n}" for n in range(30)], **{f"{A}{n}": [] for n in range(30)}})
    population, _ = make_population(
        bounds=PopulationBounds(5, 5, 5),
        limit=lambda _: (1, 0.0),
        max_unsettled=9,
        wander_share=0.0,
    )
    population.place([link(A), *(link(f"{A}seed{n}") for n in range(5))])
    agents = []
    while len(agents) < 5:
        chosen = population.choose(0.0)
        if chosen is None:
            visit(population, web, next(iter(population.unsettled.values())))
        else:
            agents.append(chosen.agent)
    assert sorted(agents) == [1, 2, 3, 4, 5]


def test_a_link_that_is_given_back_is_followed_again() -> None:
    """For example after the budget has cut its visit short and was raised."""
    population, _ = make_population("best_first")
    population.place([link(A)])
    first = population.choose(0.0)
    assert first is not None
    population.settle(first.id, Dropped("over budget"))
    assert population.choose(0.0) is None
    population.give_back(first.lead, population.species[0])
    again = population.choose(0.0)
    assert again is not None
    assert again.lead == first.lead


@pytest.mark.parametrize("species", sorted(SPECIES))
def test_a_link_that_redirects_to_a_busy_host_waits_for_that_host(species: str) -> None:
    """It is put off at once, before its species finds the link again."""
    population, _ = make_population(
        species, bounds=PopulationBounds(4, 1, 12), max_unsettled=8, limit=lambda _: (1, 0.0)
    )
    population.place([link(A), link(B)])
    first, last = population.choose(0.0), population.choose(0.0)
    assert first is not None
    if last is None:
        pytest.skip("has one visit under way at a time")
    population.settle(last.id, Dropped(LATER))
    moved = f"http://{first.lead.host}/moved"
    population.give_back(last.lead, population.species[0], moved)
    assert population.choose(0.0) is None
    population.settle(first.id, Dead("404", Cost()))
    again = population.choose(0.0)
    assert again is not None
    assert (again.lead.url, again.lead.host) == (moved, first.lead.host)
