"""The species that the scripts of `benchmarks/` make of `evo` crawl as the species does."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
from simulation_worlds import random_world

from evocrawl.simulation.laboratory import Laboratory
from evocrawl.simulation.trials import Trial
from evocrawl.species import SPECIES, Species, SpeciesContext

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"
MADE: dict[str, Callable[[Any, SpeciesContext], Species]] = {
    "evo_ablation": lambda script, have: script.variant(have),
    "evo_variants": lambda script, have: script.variant(have),
    "peeking": lambda script, have: script.made(have, None),
    "evo_prior": lambda script, have: script.species_of(have, []),
}


@pytest.mark.parametrize("name", MADE)
def test_the_species_of_a_script_is_evo(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    """It has another model of links, the same parts, and finds the same pages."""
    monkeypatch.syspath_prepend(str(BENCHMARKS))
    script = import_module(name)
    monkeypatch.setitem(SPECIES, "made", lambda have: MADE[name](script, have))
    laboratory = Laboratory(random_world(3))
    own, theirs = (
        laboratory.run(
            Trial(
                query="coral",
                species=species,
                topic="Nature.Corals",
                budget=25,
                settings=(("relevance", "tfidf"),),
            )
        )
        for species in ("evo", "made")
    )
    assert own["relevant"] == theirs["relevant"] > 0
    assert own["recall_auc"] == theirs["recall_auc"]
