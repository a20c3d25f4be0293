"""A crawl makes the same choices with any number of its links in memory."""

from __future__ import annotations

import numpy as np
import pytest
from tiny_webs import Web, link, make_population, random_web, visit

from evocrawl.core.model import Cost, Dead
from evocrawl.population.lifecycle import PopulationBounds
from evocrawl.species import SPECIES


def visits(species: str, web: Web, memory: int, seed: int) -> list[tuple[int, str, int, bytes]]:
    """Return agent, URL, depth and source of each visit.

    Six are under way at once, on hosts with delays.
    """
    rng = np.random.default_rng(seed)
    population, _ = make_population(
        species, seed=seed, bounds=PopulationBounds(4, 1, 12), max_unsettled=6, budget=150,
        memory=memory, limit=lambda _: (2, 0.5),
    )  # fmt: skip
    population.place(link(url) for url in [*web.links][:3])
    made, now_s = [], 0.0
    while population.ended is None:
        chosen = population.choose(now_s)
        if chosen is not None:
            lead = chosen.lead
            made.append((chosen.agent, lead.url, lead.depth, lead.source))
        elif population.unsettled:
            under_way = [*population.unsettled.values()]
            settled = under_way[int(rng.integers(len(under_way)))]
            if rng.random() < 0.1:
                population.environment.budget.spend(settled.id)
                population.settle(settled.id, Dead("404", Cost()))
            else:
                visit(population, web, settled)
            now_s += 0.1
        else:
            wakes_at_s = population.wakes_at()
            if wakes_at_s is None:
                break
            now_s = wakes_at_s
    return made


@pytest.mark.parametrize("species", sorted(SPECIES))
def test_visits_are_the_same_with_hardly_anything_in_memory(species: str) -> None:
    """Each agent and link is the same with three links in memory and with all."""
    for seed in range(3):
        web = random_web(np.random.default_rng(seed), 80, hosts=5)
        everything = visits(species, web, 100_000, seed)
        assert len(everything) > 10
        assert visits(species, web, 3, seed) == everything
