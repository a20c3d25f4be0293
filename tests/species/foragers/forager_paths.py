"""Shared by the tests of foragers: pages by letters, and foragers that make visits."""

from __future__ import annotations

import numpy as np
from tiny_webs import Web, make_population, visit

from evocrawl.core.model import Lead
from evocrawl.core.urls.identity import fingerprint
from evocrawl.population.lifecycle import PopulationBounds
from evocrawl.population.population import Population
from evocrawl.species.foragers.mind import Mind
from evocrawl.species.foragers.text_states import STATE_SIZE

A, B, C, D, E = (f"http://{letter}.test/" for letter in "abcde")


def lead(name: str) -> Lead:
    """Return a link to a page."""
    url = f"http://{name}.test/"
    return Lead(url, fingerprint(url), f"{name}.test", b"", 0, 0.0)


def state(**values: float) -> np.ndarray:
    """Return a state with some of its numbers: ``_3=0.5`` is the fourth."""
    found = np.zeros(STATE_SIZE, dtype=np.float32)
    for name, value in values.items():
        found[int(name[1:])] = value
    return found


def alone(species: str = "weblog") -> Population:
    """Return a single forager with a constant score."""
    return make_population(
        species, bounds=PopulationBounds(1, 1, 1), energy="linear", gain=1.0, cost=0.0
    )[0]


def steps(population: Population, web: Web, count: int) -> list[str]:
    """Make visits; return their URLs."""
    urls = []
    for _ in range(count):
        chosen = population.choose(0.0)
        assert chosen is not None
        urls.append(chosen.lead.url)
        visit(population, web, chosen)
    return urls


def mind_of(population: Population) -> Mind:
    """Return the mind of the first agent."""
    mind = next(iter(population.lifecycle.agents.values())).mind
    assert isinstance(mind, Mind)
    return mind
