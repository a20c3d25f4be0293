"""Lets several species live in one population, with common bounds and energy rules."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

from evocrawl.species.agent import Agent
from evocrawl.species.base import Breeding, Species


@dataclass(frozen=True, slots=True)
class CommonBreeding:
    """Clones and kills agents of all species by the rule of Mouton & Marteau.

    Each species has its own scale of energy. Selection between species is meaningful only if a
    relevant page, a clone and a death are worth the same for all of them.
    """

    own: Breeding
    founder_energy: float = 1.0

    def clones(self, agent: Agent) -> int:
        """Return ⌊E⌋ where E > 1, else 0."""
        return math.floor(agent.energy) if agent.energy > 1 else 0

    def is_doomed(self, agent: Agent) -> bool:
        """Return E < 0."""
        return agent.energy < 0

    def inherit(self, parent: Agent, child: Agent) -> None:
        """Pass on the mind by the rule of the species."""
        self.own.inherit(parent, child)


def mixed(species: Sequence[Species]) -> list[Species]:
    """Return the species with common breeding rules; a single species is returned unchanged.

    Every agent follows one link at a time, so that agents of all species count alike.
    """
    if len(species) == 1:
        return list(species)
    return [
        replace(
            each,
            breeding=CommonBreeding(each.breeding),
            single_flight=True,
            founders=None,
            slice_s=0.0,
            fees=None,
            unbuffered=False,
        )
        for each in species
    ]
