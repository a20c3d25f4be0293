"""Variants of the species `evo` for scripts that judge its population, and their controls.

==============  =================================================================================
variant         agents
==============  =================================================================================
none            all follow the model exactly (temperature 0): there is nothing to select from
evo             the species
bolder          founders have the temperatures 0, 0.3, 0.6 and 1
bolder_apart    the same without inheritance: a clone gets a new genome, so that energy selects
                nothing (equal weights)
lineage_…       all agents have this temperature, without inheritance (a single lineage)
…_pool          founders are changed copies of the `ancestors`, the surviving genomes of an
                earlier crawl
==============  =================================================================================
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from evo_models import model_of

from evocrawl.population.assembly import Assembly
from evocrawl.species import Species, SpeciesContext, evo_with
from evocrawl.species.agent import Agent
from evocrawl.species.energy import EnergySharing
from evocrawl.species.evo.genome import Genome, GenomePool, Heredity
from evocrawl.species.evo.link_model.prior import Prior
from evocrawl.species.evo.species import ByGenome

ALONE = "none"
_BOLD = (0.0, 0.3, 0.6, 1.0)
_MUTATION = 0.3
VARIANTS: dict[str, dict[str, Any]] = {
    ALONE: {"temperatures": (0.0,)},
    "evo": {},
    "bolder": {"temperatures": _BOLD},
    "bolder_apart": {"temperatures": _BOLD, "inherits": False},
    **{f"lineage_{t}": {"temperatures": (t,), "inherits": False} for t in _BOLD[1:]},
}
POOLED: dict[str, dict[str, Any]] = {
    f"{name}_pool": {**VARIANTS[name], "pools": True} for name in ("evo", "bolder")
}


@dataclass(slots=True)
class DescendantPool(GenomePool):
    """Makes genomes of founders that are changed copies of `ancestors`, drawn evenly."""

    ancestors: Sequence[Genome] = ()

    def genome(self, agent: Agent) -> Genome:
        """Return the agent's genome; a founder's is a changed copy of an ancestor, if any."""
        if self.ancestors and not isinstance(agent.mind, Genome):
            drawn = self.ancestors[int(agent.rng.integers(len(self.ancestors)))]
            agent.mind = self.child_of(drawn, agent)
        return GenomePool.genome(self, agent)


def variant(
    have: SpeciesContext,
    before: Prior | None = None,
    ancestors: Sequence[Genome] = (),
    *,
    temperatures: tuple[float, ...] = (0.0, 0.1, 0.2, 0.4),
    inherits: bool = True,
    pools: bool = False,
) -> Species:
    """Return the species of a variant; `before` replaces the prior of its model."""
    model: Any = have.links() if before is None else model_of(have, before)
    options: dict[str, Any] = {"temperatures": temperatures, "mutation": _MUTATION}
    species = evo_with(have, model, **options)
    if not inherits:
        return replace(species, breeding=EnergySharing())
    if pools and isinstance(species.choice, ByGenome):
        mates = DescendantPool(model.width, temperatures, _MUTATION, ancestors=ancestors)
        choice = replace(species.choice, mates=mates)
        return replace(species, choice=choice, breeding=Heredity(mates))
    return species


def survivors(assembly: Assembly) -> list[Genome]:
    """Return the genomes of the agents that are alive."""
    minds = (agent.mind for agent in assembly.population.lifecycle.agents.values())
    return [mind for mind in minds if isinstance(mind, Genome)]
