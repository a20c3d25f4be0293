"""The genomes of agents, which are deviations from the link model's mean, and their heredity."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from evocrawl.species.agent import Agent
from evocrawl.species.energy import EnergySharing

_HOTTEST = 2.0
_FAR = 20.0
"""Greater than the size of any draw from a standard normal distribution."""


@dataclass(frozen=True, slots=True)
class Genome:
    """The deviation of an agent from the model's mean."""

    z: npt.NDArray[np.float64]
    temperature: float


@dataclass(slots=True)
class GenomePool:
    """Makes genomes. Founders get the `temperatures` in turn."""

    width: int
    temperatures: tuple[float, ...]
    mutation: float
    founded: int = 0

    def genome(self, agent: Agent) -> Genome:
        """Return the agent's genome; draw one for a founder."""
        if not isinstance(agent.mind, Genome):
            temperature = self.temperatures[self.founded % len(self.temperatures)]
            self.founded += 1
            agent.mind = Genome(agent.rng.standard_normal(self.width), temperature)
        return agent.mind

    def child_of(self, parent: Genome, agent: Agent) -> Genome:
        """Return a changed copy: z stays standard normal, τ changes by some factor."""
        m = self.mutation
        z = math.sqrt(1 - m * m) * parent.z + m * agent.rng.standard_normal(self.width)
        temperature = parent.temperature * math.exp(m * agent.rng.standard_normal())
        return Genome(z, min(temperature, _HOTTEST))


@dataclass(frozen=True, slots=True)
class GenomeRows:
    """Packs a genome into numbers: its temperature, then z."""

    width: int

    def pack(self, mind: object) -> tuple[float, ...]:
        """Return the numbers of a genome, () for an agent without one."""
        return (mind.temperature, *map(float, mind.z)) if isinstance(mind, Genome) else ()

    def unpack(self, row: tuple[float, ...]) -> Genome | None:
        """Return the genome, None for (). Raises ValueError if the row is not a valid genome."""
        if not row:
            return None
        temperature, *z = row
        if len(z) != self.width or not 0 <= temperature <= _HOTTEST or max(map(abs, z)) > _FAR:
            raise ValueError("not a valid genome")
        return Genome(np.array(z), temperature)


@dataclass(frozen=True, slots=True)
class Heredity(EnergySharing):
    """Shares energy among parent and clones; clones inherit the genome with mutation."""

    mates: GenomePool

    def inherit(self, parent: Agent, child: Agent) -> None:
        """Give the child a changed copy of its parent's genome."""
        child.mind = self.mates.child_of(self.mates.genome(parent), child)
