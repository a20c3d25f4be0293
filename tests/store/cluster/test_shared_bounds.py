"""How many agents each worker may have."""

from __future__ import annotations

import asyncio

import pytest
from crowd import BOUNDS
from tiny_webs import make_population

from evocrawl.population.lifecycle import PopulationBounds
from evocrawl.store.cluster.quotas import ClusterTerms, bounds_per_worker
from evocrawl.store.cluster.redis.changes import ParametersGiven
from evocrawl.store.cluster.redis.keys import RedisAddress
from evocrawl.store.cluster.steering import Steering
from evocrawl.store.cluster.worker import ClusterWorker
from evocrawl.store.journal.codec import NoPayloads


@pytest.mark.parametrize("workers", [1, 2, 3, 7, 60])
@pytest.mark.parametrize(
    "whole", [PopulationBounds(20, 8, 60), PopulationBounds(1, 0, 1), PopulationBounds(60, 60, 60)]
)
def test_shares_of_the_bounds_are_bounds(whole: PopulationBounds, workers: int) -> None:
    """Together they keep the upper bound, unless there are more workers than agents."""
    share = bounds_per_worker(whole, workers)
    assert share.lower <= share.founders
    assert share.upper is not None
    assert whole.upper is not None
    assert workers * share.upper <= max(whole.upper, workers)
    assert workers * share.lower >= min(whole.lower, workers * share.upper)
    assert bounds_per_worker(PopulationBounds(20), workers).upper is None


def test_workers_share_the_bounds_of_a_crawl_with_a_limit_of_requests(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Without one each worker has all of them, also once a user has taken the limit away."""

    async def keep(*_: object) -> None:
        pass

    def after(steering: Steering, **values: int) -> PopulationBounds:
        asyncio.run(steering._do(ParametersGiven(values)))
        return population.lifecycle.bounds

    place, shared = RedisAddress.of("redis://unused.test"), bounds_per_worker(BOUNDS, 4)
    for limit, of_each in ((None, BOUNDS), (500, shared)):
        population, _ = make_population(bounds=BOUNDS)
        terms = ClusterTerms(limit, BOUNDS, 15.0, 60.0)
        steering = ClusterWorker(place, population, NoPayloads(), terms).steering
        monkeypatch.setattr(steering._quota, "change", keep)
        steering.share(4)
        assert population.lifecycle.bounds == of_each
        assert after(steering, max_requests=400) == shared
        assert after(steering, max_requests=0) == BOUNDS
        assert after(steering, upper_bound=100).upper == 100
        assert after(steering, max_requests=300).upper == 25
