"""The linear energy model."""

from __future__ import annotations

import pytest

from evocrawl.energy import MODELS, Linear
from evocrawl.frontier import RelevanceRanks


@pytest.mark.parametrize(("relevance", "energy"), [(0.0, -0.5), (0.125, 0.0), (1.0, 3.5)])
@pytest.mark.parametrize("seen", [[], [0.0], [0.2, 0.9, 1.0]])
def test_energy_is_proportional_to_relevance(
    relevance: float, energy: float, seen: list[float]
) -> None:
    """Δe = ρ·r − C for any other pages."""
    assert Linear(gain=4.0, cost=0.5).price(relevance, RelevanceRanks(seen)) == energy


@pytest.mark.parametrize("name", sorted(MODELS))
def test_every_model_is_made_of_gain_and_cost_and_leaves_the_ranks_alone(name: str) -> None:
    """The registry's contract."""
    model = MODELS[name](gain=2.0, cost=0.25)
    ranks = RelevanceRanks([0.1, 0.9])
    assert model.cost == 0.25
    assert -0.25 <= model.price(0.5, ranks) <= 2.0
    assert (len(ranks), *ranks.bounds()) == (2, 0.1, 0.9)
