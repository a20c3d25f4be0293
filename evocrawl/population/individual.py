"""An agent of the population, which knows its species."""

from __future__ import annotations

from dataclasses import dataclass, field

from evocrawl.species.agent import Agent
from evocrawl.species.base import Species


@dataclass(slots=True)
class Individual(Agent):
    """An agent and the species whose parts decide for it."""

    species: Species = field(kw_only=True)
