"""Every invariant of a population, in one place."""

from __future__ import annotations

import math
from collections import Counter

from evocrawl.core.events import Born, Died, Event
from evocrawl.core.ledger import Ledger
from evocrawl.population.population import Population


def check(population: Population, ledger: Ledger) -> None:
    """Assert all invariants that hold between two calls of choose and settle."""
    _check_numbers(population, ledger)
    _check_energy(population, ledger)
    _check_visits(population, ledger)
    _check_places(population)


def _check_numbers(population: Population, ledger: Ledger) -> None:
    """Check that LB ≤ n ≤ UB, and that the ledger has the right counts."""
    assert len(population) == ledger.population
    if not population.is_unborn:
        lower, upper = limits(population)
        assert lower <= len(population) <= upper
    assert ledger.pages == len(population.environment.base.ranks)


def limits(population: Population) -> tuple[float, float]:
    """Return LB, at most the number of founders, and UB."""
    bounds = population.lifecycle.bounds
    founders = population.species[0].founders or bounds.founders
    founders = 1 if founders == "seeds" else founders
    upper = math.inf if bounds.upper is None else bounds.upper
    return min(bounds.lower, founders), upper


def _check_energy(population: Population, ledger: Ledger) -> None:
    """Check that energy is conserved and finite, and that no agent lives with negative energy."""
    agents = population.lifecycle.agents.values()
    energy = ledger.energy
    size = 1e-9 * (1 + energy.of_founders + energy.laid_above_0 + energy.paid)
    assert abs(sum(agent.energy for agent in agents) - energy.of_agents) <= size
    assert abs(population.environment.base.energy() - energy.on_pages) <= size
    for agent in agents:
        assert math.isfinite(agent.energy)
        lives_on = agent.in_flight or agent.species.unbuffered
        assert lives_on or not agent.species.breeding.is_doomed(agent)


def _check_visits(population: Population, ledger: Ledger) -> None:
    """Check that no visit is lost, no target chosen twice, and no budget or host limit exceeded."""
    environment = population.environment
    under_way = population.unsettled.values()
    assert (
        ledger.visits.opened - ledger.visits.settled == len(under_way) <= population.max_unsettled
    )
    leads = [visit.lead for visit in under_way]
    leads += population.admission.chosen()
    assert len({lead.fingerprint for lead in leads}) == len(leads)
    assert all(environment.base.is_claimed(lead.fingerprint) for lead in leads)
    in_flight = sum(agent.in_flight for agent in population.lifecycle.agents.values())
    assert in_flight == len(leads)
    assert environment.budget.left is None or environment.budget.left >= 0
    for host, count in Counter(visit.lead.host for visit in under_way).items():
        assert count <= environment.hosts._limit(host)[0]


def _check_places(population: Population) -> None:
    """Check that each agent is in exactly one place: in turn, waiting, stuck or away."""
    agents = population.lifecycle.agents
    places = Counter([agent.id for agent in population.selector.turns])
    waiting = population.selector._waiting
    places.update([*waiting._hosts_of, *(agent.id for agent in waiting._ready)])
    if population.species[0].single_flight:
        places.update(agent.id for agent in agents.values() if agent.in_flight)
    assert places == Counter(dict.fromkeys(agents, 1))


class BoundsAtEveryEvent:
    """A listener: LB ≤ n ≤ UB after every event, except between a death and its founder."""

    def __init__(self, population: Population) -> None:
        self._limits = limits(population)
        self._count = 0
        self._began = False
        self._owed = False

    def __call__(self, event: Event) -> None:
        assert not self._owed or (isinstance(event, Born) and event.parent is None)
        lower, upper = self._limits
        self._count += isinstance(event, Born) - isinstance(event, Died)
        self._began = self._began or self._count >= lower
        self._owed = self._began and self._count < lower
        assert self._count <= upper
        assert not self._owed or isinstance(event, Died)
