"""A worker with more hosts than its share releases some of them to the other workers."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping

import pytest
from crowd import BOUNDS
from tiny_webs import link, make_population

from evocrawl.store.cluster.quotas import ClusterTerms
from evocrawl.store.cluster.redis.answers import HUNGRY, Worker
from evocrawl.store.cluster.redis.keys import RedisAddress
from evocrawl.store.cluster.worker import ClusterWorker
from evocrawl.store.journal.codec import NoPayloads


async def turns() -> None:
    """Let every task run as far as it can without an answer of Redis."""
    for _ in range(100):
        await asyncio.sleep(0)


def test_a_worker_does_not_request_the_hosts_that_it_is_releasing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Redis would confirm the old lease, and the release would end it a moment later."""
    requested: list[str] = []
    released: list[str] = []

    async def exercise() -> None:
        population, _ = make_population(bounds=BOUNDS)
        place, terms = RedisAddress.of("redis://unused.test"), ClusterTerms(None, BOUNDS, 15.0, 60)
        worker = ClusterWorker(place, population, NoPayloads(), terms)
        is_answered = asyncio.Event()

        async def release(leases: Mapping[str, str]) -> None:
            released.extend(leases)
            for host in leases:
                worker.host_leases.ask(host)
            await is_answered.wait()

        async def take(host: str) -> None:
            requested.append(host)

        monkeypatch.setattr(worker._state, "session", "1")
        monkeypatch.setattr(worker._state, "release", release)
        monkeypatch.setattr(worker.host_leases, "_take", take)
        for number in range(6):
            host = f"h{number}.test"
            worker.sync.lease_table.gain(host, f"1.{number}")
            worker.sync.lease_table.wait(host, link(f"http://{host}/").fingerprint)
        workers = [Worker(worker.session, 6, 0), Worker("2", 0, HUNGRY)]
        worker.events.heartbeat_sent.send(6, workers)
        await turns()
        assert len(released) == 3
        assert requested == []
        is_answered.set()
        await turns()
        for host in released:
            worker.host_leases.ask(host)
        await turns()
        assert requested == released
        await worker.stop()

    asyncio.run(exercise())
