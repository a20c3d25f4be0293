"""A world whose answers take time."""

from __future__ import annotations

import math
from statistics import median

import pytest

from evocrawl.core.model import Dead
from evocrawl.simulation.worlds.base import Arrived
from evocrawl.simulation.worlds.registry import open_world
from evocrawl.simulation.worlds.wrappers import Delayed

SITES = open_world("sites:sites=40,pages_per_site=10,forbidden=0,dead=0,seed=1")
URLS = [page.url for page in SITES.documents()]


def test_pages_come_as_the_world_has_them_but_later() -> None:
    """Without spread all take the median."""
    world = Delayed(SITES, 7.0, timeout_s=30.0, seed=1)
    for url in URLS[:20]:
        came, direct = world.fetch(url, 0.0), SITES.fetch(url, 0.0)
        assert isinstance(came, Arrived)
        assert isinstance(direct, Arrived)
        assert came.document == direct.document
        assert came.cost.seconds == pytest.approx(7.0)
    assert world.search("x", 3) == SITES.search("x", 3)
    assert [*world.hosts()] == [*SITES.hosts()]
    assert len(world) == len(SITES)


def test_what_takes_longer_than_the_timeout_is_given_up() -> None:
    """And costs the time waited."""
    fetched = Delayed(SITES, 31.0, timeout_s=30.0, seed=1).fetch(URLS[0], 0.0)
    assert isinstance(fetched, Dead)
    assert fetched.reason == "timeout"
    assert fetched.cost.seconds == 30.0


def test_latencies_are_log_normal_and_belong_to_the_seed() -> None:
    """The same for one seed, others for another; the median and the spread as asked for."""
    draws = [
        [math.log(Delayed(SITES, 2.0, timeout_s=1e9, seed=seed, page_spread=0.5).latency_s(url))
         for url in URLS]
        for seed in (1, 1, 2)
    ]  # fmt: skip
    assert draws[0] == draws[1] != draws[2]
    assert median(draws[0]) == pytest.approx(math.log(2.0), abs=0.1)
    assert 0.4 < (sum((x - math.log(2.0)) ** 2 for x in draws[0]) / len(URLS)) ** 0.5 < 0.6


def test_pages_of_a_host_are_slow_together() -> None:
    """Where only hosts differ."""
    world = Delayed(SITES, 1.0, timeout_s=1e9, seed=1, host_spread=1.0)
    by_host = dict[str, set[float]]()
    for url in URLS:
        by_host.setdefault(url.split("/")[2], set()).add(world.latency_s(url))
    assert {len(each) for each in by_host.values()} == {1}
    assert len(set.union(*by_host.values())) == len(by_host)
