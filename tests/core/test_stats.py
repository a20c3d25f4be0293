"""The stats of a crawl agree with its ledger."""

from __future__ import annotations

import math

import numpy as np
import pytest
from tiny_webs import crawl, make_population, random_web

from evocrawl.core.budget import Budget
from evocrawl.core.ledger import Ledger
from evocrawl.core.stats import STATS, report


@pytest.mark.parametrize("limit", [None, 30])
def test_every_stat_is_declared_and_finite(limit: int | None) -> None:
    """The sums agree: visits by outcome, agents by birth and death, energy in and out."""
    web = random_web(np.random.default_rng(2), 50)
    population, ledger = make_population(budget=limit)
    crawl(population, web, [*web.links][:2])
    stats = report(ledger, population.environment.budget)
    assert set(stats) <= set(STATS)
    assert ("evocrawl/budget" in stats) == (limit is not None)
    assert all(math.isfinite(value) for value in stats.values())

    def stat(name: str) -> float:
        return stats[f"evocrawl/{name}"]

    outcomes = sum(stat(f"visits/{name}") for name in ("fetched", "dead", "refused", "dropped"))
    assert stat("visits/opened") == stat("visits/settled") == outcomes > 0
    assert stat("agents/births") - stat("agents/deaths") == stat("population/final")
    assert stat("population/largest") >= stat("population/final")
    assert stat("relevant_pages") <= stat("pages") <= stat("visits/fetched")
    assert 0 <= stat("harvest_rate") <= 1
    agents = sum(agent.energy for agent in population.lifecycle.agents.values())
    earned = stat("energy/founders") + stat("energy/in") - stat("energy/out")
    assert agents == pytest.approx(earned - stat("energy/died"))
    left = stat("energy/left_on_pages")
    assert population.environment.base.energy() == pytest.approx(left, abs=1e-9)


def test_a_crawl_without_visits_has_stats() -> None:
    """No rate is a division by zero."""
    stats = report(Ledger(), Budget(5))
    assert stats["evocrawl/harvest_rate"] == stats["evocrawl/mean_relevance"] == 0.0
