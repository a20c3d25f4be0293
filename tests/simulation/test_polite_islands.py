"""The simulated workers of `benchmarks/polite_islands.py`, in a small web."""

from __future__ import annotations

from collections import defaultdict
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from simulation_worlds import SmallWorld, random_world

from evocrawl import relevance
from evocrawl.core.config.config import Config
from evocrawl.core.urls.identity import host_of
from evocrawl.simulation.scoring import PageScorer
from evocrawl.simulation.trials import Topic

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"
BUDGET, DELAY_S = 30, 1.0


@pytest.fixture(scope="module")
def islands() -> Any:
    """Return the script as a module."""
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(BENCHMARKS))
        return import_module("polite_islands")


def crawl(script: Any, count: int, *, waits: bool) -> tuple[SmallWorld, dict[str, Any]]:
    """Return a web after a crawl by `count` islands, and its row but for the processor time."""
    world, topic = random_world(5, hosts=7), Topic("dev", "Nature.Corals", "coral")
    given = {"query": topic.query, "max_requests": BUDGET, "relevance": "tfidf"}
    config = Config.read({}, given)
    scorer = PageScorer(relevance.Wanted.by(config).make())
    plan = script.Plan(count, 16 // count, "exchange", "equal", "host", 1, 0, 0, DELAY_S)
    seeds = script.begin(world, topic, "search", 0)
    pace = script.Pace(DELAY_S, waits)
    row = script.row_of(world, topic, config, scorer, plan, pace, seeds)
    return world, {name: value for name, value in row.items() if name != "cpu_s"}


@pytest.mark.parametrize(("count", "waits"), [(1, False), (4, False), (4, True)])
def test_islands_spend_the_budget_politely_and_fetch_no_page_twice(
    islands: Any, count: int, waits: bool
) -> None:
    world, row = crawl(islands, count, waits=waits)
    urls = [url for url, _ in world.fetched]
    assert len(set(urls)) == len(urls) == row["requests"] == BUDGET
    times = defaultdict[str, list[float]](list)
    for url, at_s in world.fetched:
        times[host_of(url)].append(at_s)
    assert min(np.diff(each).min() for each in times.values() if len(each) > 1) >= DELAY_S
    assert crawl(islands, count, waits=waits)[1] == row
