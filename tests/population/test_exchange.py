"""Agents that leave for another population, and arrive from one."""

from __future__ import annotations

import pytest
from checks import check
from tiny_webs import Web, link, make_population, visit

from evocrawl.core.model import Fingerprint
from evocrawl.core.urls.identity import fingerprint
from evocrawl.population.exchange import PopulationExchange
from evocrawl.population.lifecycle import PopulationBounds
from evocrawl.population.species_view import ROOT

A, B = "http://a.test/", "http://b.test/"
WEB = Web({A: [B], B: []}, {A: 0.5})


@pytest.mark.parametrize(("page", "at"), [(fingerprint(A), fingerprint(A)), (b"unknown", ROOT)])
def test_an_agent_arrives_on_its_page_if_that_is_known(page: Fingerprint, at: Fingerprint) -> None:
    """With its energy and its mind; elsewhere it begins as founders do."""
    population, ledger = make_population("best_first", bounds=PopulationBounds(2, 1, 12))
    population.place([link(A)])
    chosen = population.choose(0.0)
    assert chosen is not None
    visit(population, WEB, chosen)
    before = {*population.lifecycle.agents}
    assert PopulationExchange(population).arrive("best_first", 0.25, page, ())
    (number,) = {*population.lifecycle.agents} - before
    guest = population.lifecycle.agents[number]
    assert (guest.page, guest.energy, guest.species) == (at, 0.25, population.species[0])
    check(population, ledger)


def test_an_agent_of_an_unknown_species_or_mind_does_not_arrive() -> None:
    """The population stays as it was."""
    for species, name in (("best_first", "evo"), ("evo", "evo")):
        population, ledger = make_population(species)
        population.place([link(A)])
        before = {*population.lifecycle.agents}
        assert not PopulationExchange(population).arrive(name, 0.25, fingerprint(A), ("no mind",))
        assert {*population.lifecycle.agents} == before
        check(population, ledger)


def test_an_agent_may_leave_if_it_is_at_rest_and_others_stay() -> None:
    """At the lower bound none may."""
    population, _ = make_population("energy", bounds=PopulationBounds(3, 2, 12))
    population.place([link(A), link(B)])
    exchange = PopulationExchange(population)
    chosen = population.choose(0.0)
    assert chosen is not None
    agents = population.lifecycle.agents.values()
    assert [each.id for each in agents if not exchange.may_leave(each)] == [chosen.agent]
    population.lifecycle.bounds = PopulationBounds(3, 3, 12)
    assert not any(map(exchange.may_leave, agents))


def test_agents_with_several_visits_at_once_stay() -> None:
    """Their other visits would have no agent."""
    population, _ = make_population("best_first", bounds=PopulationBounds(3, 1, 12))
    population.place([link(A)])
    exchange = PopulationExchange(population)
    assert not any(map(exchange.may_leave, population.lifecycle.agents.values()))
