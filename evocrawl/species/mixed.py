"""Several species in one population, under common bounds and one economy."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

from evocrawl.species.base import Agent, Breeding, Species


@dataclass(frozen=True, slots=True)
class CommonBreeding:
    """Everybody clones and dies by one rule, that of Mouton & Marteau; the mind is the species'.

    Species reckon energy on scales of their own. Selection between them means something only
    where a relevant page, a clone and a death are worth the same to all.
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
        """Pass the mind on as the species does."""
        self.own.inherit(parent, child)


def mixed(species: Sequence[Species]) -> list[Species]:
    """Return the species as they live together: one alone is left as it is.

    Every agent follows one link at a time, so that an agent is an agent whatever its species.
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
