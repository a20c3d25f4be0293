"""How often a worker with free capacity scans for hosts without an owner."""

from __future__ import annotations

import asyncio

import pytest
from crowd import BOUNDS
from tiny_webs import make_population

from evocrawl.store.cluster.quotas import ClusterTerms
from evocrawl.store.cluster.redis.keys import RedisAddress
from evocrawl.store.cluster.redis.state import HUNGRY, IDLE
from evocrawl.store.cluster.worker import ClusterWorker
from evocrawl.store.journal.codec import NoPayloads


def test_scans_are_less_and_less_often_while_there_are_no_hosts(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """At least one a second; after a find, or without any work, it scans at once."""
    scans: list[bool] = []
    finds = False
    now_s = 0.0

    async def scan(most: int, *, everywhere: bool) -> bool:  # noqa: ARG001 - the method's form
        scans.append(everywhere)
        return finds

    def scans_in(seconds: float, need: int) -> int:
        nonlocal now_s
        before = len(scans)
        for _ in range(round(10 * seconds)):
            now_s += 0.1
            asyncio.run(worker.poller.scan(need))
        return len(scans) - before

    population, _ = make_population(bounds=BOUNDS)
    place, terms = RedisAddress.of("redis://unused.test"), ClusterTerms(None, BOUNDS, 15.0, 60.0)
    worker = ClusterWorker(place, population, NoPayloads(), terms)
    monkeypatch.setattr(worker.host_leases, "scan", scan)
    monkeypatch.setattr(worker.host_leases.table, "clock", lambda: now_s)
    assert 3 <= scans_in(2.0, HUNGRY) <= 5
    assert scans_in(5.0, HUNGRY) <= 6
    assert scans_in(1.0, 0) == 0
    assert not any(scans)
    assert scans_in(1.0, IDLE) == 10
    assert all(scans[-10:])
    finds = True
    scans_in(1.0, IDLE)
    assert scans_in(1.0, HUNGRY) >= 5
