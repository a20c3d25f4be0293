"""Random crawls of random webs with random delays and outcomes: the invariants always hold."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from checks import BoundsAtEveryEvent, check
from numpy.random import Generator
from tiny_webs import Web, link, make_population, random_web

from evocrawl.core.errors import SettleError
from evocrawl.core.ledger import Ledger
from evocrawl.population.lifecycle import PopulationBounds
from evocrawl.population.population import Population
from evocrawl.species import SPECIES

SEEDS = range(200)


class Stress:
    """A world that responds in any order, opens origins late, and lets any time pass."""

    def __init__(self, seed: int) -> None:
        self.rng: Generator = np.random.default_rng(seed)
        self.web: Web = random_web(self.rng, int(self.rng.integers(2, 40)), 4)
        self.seeds = [*self.web.links][: int(self.rng.integers(1, 4))]
        self.now_s = 0.0
        self.open_origins = set[str]()
        self.closed = set[str]()
        self.population, self.ledger = self._population(seed)
        self.population.on_event.append(BoundsAtEveryEvent(self.population))

    def _population(self, seed: int) -> tuple[Population, Ledger]:
        rng = self.rng
        founders, lower = int(rng.integers(1, 8)), int(rng.integers(0, 8))
        upper = max(founders, lower) + int(rng.integers(10))
        unbounded = rng.random() < 0.15
        at_once, delay_s = int(rng.integers(1, 4)), float(rng.choice([0.0, 0.0, 2.0]))
        return make_population(
            "energy" if rng.random() < 0.6 else str(rng.choice([*SPECIES])),
            bounds=PopulationBounds(founders)
            if unbounded
            else PopulationBounds(founders, lower, upper),
            seed=seed,
            limit=lambda _: (at_once, delay_s),
            budget=int(rng.integers(1, 60)) if rng.random() < 0.5 else None,
            energy=str(rng.choice(["sigmoid", "linear"])),
            gain=float(rng.choice([0.5, 4.0, 30.0])),
            cost=float(rng.choice([0.0, 0.2, 1.5])),
            latency=float(rng.choice([0.0, 0.3])),
            wander_share=float(rng.choice([0.0, 0.2, 1.0])),
            boldness=float(rng.choice([0.0, 0.1])),
            max_unsettled=int(rng.integers(1, 9)),
            gate=self._gate if rng.random() < 0.4 else _no_gate,
        )

    def _gate(self, url: str) -> str | None:
        # Two of the hosts share one origin.
        origin = url.split("/")[2].replace("h1", "h0")
        return None if origin in self.open_origins else origin

    def act(self) -> None:
        """Perform one random action."""
        population, rng = self.population, self.rng
        actions: list[Callable[[], None]] = [self._choose, self._choose, self._settle]
        actions += [self._open_origin, self._pass_time]
        actions[int(rng.integers(len(actions)))]()
        check(population, self.ledger)

    def _choose(self) -> None:
        visit = self.population.choose(self.now_s)
        if visit is not None and self.rng.random() < 0.9:
            assert self.population.environment.budget.spend(visit.id)
            self.population.environment.budget.spend(None if self.rng.random() < 0.2 else visit.id)

    def _settle(self) -> None:
        under_way = [*self.population.unsettled.values()]
        if under_way:
            visit = under_way[int(self.rng.integers(len(under_way)))]
            outcome = self.web.answer(visit.lead.url, self.population.price)
            self.population.settle(visit.id, outcome)
            with pytest.raises(SettleError):
                self.population.settle(visit.id, outcome)

    def _open_origin(self) -> None:
        for origin in sorted({*self.population.admission, *self.closed}):
            if origin not in self.closed and self.rng.random() < 0.3:
                self.closed.add(origin)
                self.population.close_origin(origin)
            else:
                self.open_origins.add(origin)
                self.population.open_origin(origin)

    def _pass_time(self) -> None:
        wakes_at_s = self.population.wakes_at()
        if wakes_at_s is None or self.rng.random() < 0.3:
            self.now_s += float(self.rng.random())
        else:
            self.now_s = max(self.now_s, wakes_at_s)


def _no_gate(_: str) -> None:
    return None


@pytest.mark.parametrize("first", range(0, len(SEEDS), 100))
def test_invariants_hold_in_random_crawls(first: int) -> None:
    """Energy conserved, bounds kept, no agent and no visit lost, and every crawl ends."""
    endings = set[str]()
    for seed in SEEDS[first : first + 100]:
        stress = Stress(seed)
        for url in stress.seeds:
            stress.population.place([link(url)])
        for _ in range(3000):
            stress.act()
            if stress.population.ended is not None:
                break
        ended = stress.population.ended
        revisits = any(each.revisits for each in stress.population.species)
        if revisits and stress.population.environment.budget.limit is None:
            continue  # such a crawl never ends
        assert ended is not None, f"the crawl of seed {seed} does not end"
        assert stress.population.choose(stress.now_s) is None
        assert ended != "exhausted" or not stress.population.environment.budget.exhausted
        endings.add(ended)
    assert endings == {"budget", "extinct", "exhausted"}
