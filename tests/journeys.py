"""Random crawls with a journal, and the state that is compared."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from tiny_webs import link, make_population, random_web

from evocrawl.core.events import Event
from evocrawl.core.fetch import LATER
from evocrawl.core.model import Dropped
from evocrawl.population.lifecycle import PopulationBounds
from evocrawl.population.population import Population
from evocrawl.store.journal.host_limits import JournaledHostLimits
from evocrawl.store.journal.journal import Journal
from evocrawl.store.journal.journaled_population import JournaledPopulation
from evocrawl.store.journal.operations import Op, RunStarted

HOST_LIMIT = (2, 0.0)


class ListJournal:
    """A journal in a list."""

    def __init__(self) -> None:
        self.kept: list[Op] = []

    def append(self, op: Op) -> None:
        self.kept.append(op)

    def commit(self) -> None:
        """Do nothing."""

    def ops(self) -> Iterator[Op]:
        return iter(self.kept)

    def close(self) -> None:
        """Do nothing."""


def new_population(species: str, seed: int) -> tuple[Population, JournaledHostLimits, list[Event]]:
    """Return a population in a changing world with limits, and its events."""
    rng = np.random.default_rng(seed)
    limits = JournaledHostLimits(
        lambda _: (int(rng.integers(1, 4)), float(rng.choice([0, 0, 2]))), HOST_LIMIT
    )
    population, _ = make_population(
        species, seed=seed, bounds=PopulationBounds(4, 2, 12), limit=limits, latency=0.3, budget=60
    )
    events: list[Event] = []
    population.on_event.append(events.append)
    return population, limits, events


class Journey:
    """A crawl in which anything may happen at any time."""

    def __init__(self, species: str, seed: int, journal: Journal) -> None:
        self.rng = np.random.default_rng(seed + 1000)
        self.web = random_web(self.rng, 30, 4)
        self.population, limits, self.events = new_population(species, seed)
        self.journaled = JournaledPopulation(self.population, limits, journal)
        self.journaled.guard(self._gate)
        self.now_s = 5.0
        self._open = set[str]()
        self._callbacks: list[int] = []
        self.journaled.begin(RunStarted(50, 6, HOST_LIMIT))
        self.journaled.place([link(url) for url in [*self.web.links][:3]])

    def act(self) -> None:
        """Perform one random action."""
        acts = [self._choose] * 4 + [self._settle] * 3
        acts += [self._origins, self._wait, self._redirect, self._trouble, self._end_callback]
        acts[int(self.rng.integers(len(acts)))]()

    def _gate(self, url: str) -> str | None:
        origin = url.split("/")[2].replace("h1", "h0")
        return None if origin in self._open or self.rng.random() < 0.5 else origin

    def _choose(self) -> None:
        visit = self.journaled.choose(self.now_s)
        if visit is not None:
            self.journaled.spend(visit.id)
        elif self.rng.random() < 0.1:
            self.journaled.spend(None)

    def _settle(self) -> None:
        under_way = [*self.population.unsettled.values()]
        if under_way:
            visit = under_way[int(self.rng.integers(len(under_way)))]
            outcome = self.web.answer(visit.lead.url, self.population.price)
            if self.rng.random() < 0.1:
                outcome = Dropped("over budget")
            is_put_off = self.rng.random() < 0.1
            species = self.population.lifecycle.agents[visit.agent].species
            goes_on = not is_put_off and self.rng.random() < 0.2
            if goes_on:
                self._callbacks.append(visit.id)
                self.journaled.callback_continues(visit.id)
            self.journaled.settle(visit.id, Dropped(LATER) if is_put_off else outcome)
            if is_put_off:
                self.journaled.give_back(visit.id, visit.lead, species)

    def _end_callback(self) -> None:
        if self._callbacks:
            self.journaled.callback_ended(self._callbacks.pop(0))

    def _origins(self) -> None:
        for origin in self.population.closed_origins():
            if self.rng.random() < 0.3:
                self.journaled.turn_away(origin)
            else:
                self._open.add(origin)
                self.journaled.opened(origin)

    def _wait(self) -> None:
        self.now_s += float(self.rng.random() * 3)

    def _trouble(self) -> None:
        host = f"h{self.rng.integers(3)}.test"
        self.journaled.hold(host, self.now_s + float(self.rng.random() * 4))
        self.journaled.locate(host, f"10.0.0.{self.rng.integers(2)}", int(self.rng.integers(1, 4)))

    def _redirect(self) -> None:
        for visit in [*self.population.unsettled][:1]:
            target = link(f"http://moved.test/{visit}").fingerprint
            if not self.journaled.is_claimed(target):
                self.journaled.claims_of(visit).claim(target)


def state_of(population: Population) -> dict[str, Any]:
    """Return the state of a population: agents, random stream, pages, claims, budget, time."""
    environment = population.environment
    return {
        "agents": [
            (each.id, each.energy, each.page, each.in_flight, each.visits, _draws(each.rng))
            for each in population.lifecycle.agents.values()
        ],
        "births": _draws(population.lifecycle._rng),
        "pages": {page: environment.base.get(page) for page in environment.base},
        "claimed": set(environment.base._claimed),
        "spent": (environment.budget.spent, environment.budget.left),
        "under way": dict(population.unsettled),
        "origins": population.closed_origins(),
        "time": environment.clock.now_s,
    }


def _draws(rng: np.random.Generator) -> str:
    return repr(rng.bit_generator.state)
