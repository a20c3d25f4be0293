"""Leases of a worker that expire while Redis answers, as after a pause of the process."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from functools import partial

import pytest
from crowd import BOUNDS
from tiny_webs import link, make_population

from evocrawl.adapter.cluster import SharedPopulation
from evocrawl.core.errors import StateError
from evocrawl.politeness.robots.rules import authority
from evocrawl.store.cluster.quotas import ClusterTerms
from evocrawl.store.cluster.redis.connection import Unreachable
from evocrawl.store.cluster.redis.keys import RedisAddress, shard_of
from evocrawl.store.cluster.worker import ClusterWorker
from evocrawl.store.journal.codec import NoPayloads
from evocrawl.store.journal.host_limits import JournaledHostLimits

LEASE_S = 10.0


class Redis:
    """A substitute for Redis: grants every lease except those in `cast_out`, after `takes_s`.

    The nodes of the shards in `silent` do not respond.
    """

    def __init__(self, worker: ClusterWorker) -> None:
        self.now_s = 0.0
        self.takes_s: list[float] = []
        self.cast_out: set[int] = set()
        self.silent: set[int] = set()
        self.calls: list[str] = []
        state = worker._state
        worker.host_leases.table.clock = lambda: self.now_s
        for method in (self.take, self.renew, self.welcome, self.done, self.open_links):
            setattr(state, method.__name__, method)

    async def take(self, host: str) -> tuple[bool, str, bool]:
        self.calls.append(f"take {host}")
        self.now_s += self.takes_s.pop(0) if self.takes_s else 0.0
        self.cast_out.discard(shard_of(host))
        return True, "1.1", False

    async def renew(self, shards: Sequence[int]) -> tuple[set[int], set[int]]:
        self.calls.append("renew")
        asked = set(shards) - self.silent
        return asked - self.cast_out, self.cast_out & asked

    async def welcome(self, *_: object, are_new: bool) -> list[tuple[str, bytes]]:  # noqa: ARG002
        return []

    async def done(self, host: str) -> AsyncIterator[list[bytes]]:  # noqa: ARG002
        for _ in ():
            yield []

    async def open_links(self, host: str) -> AsyncIterator[list[tuple[bytes, bytes]]]:  # noqa: ARG002
        for _ in ():
            yield []


def play(story: Callable[[ClusterWorker, Redis], Awaitable[None]]) -> None:
    async def exercise() -> None:
        population, _ = make_population(bounds=BOUNDS)
        place = RedisAddress.of("redis://unused.test")
        terms = ClusterTerms(None, BOUNDS, LEASE_S, 60.0)
        worker = ClusterWorker(place, population, NoPayloads(), terms)
        await story(worker, Redis(worker))
        await worker.stop()

    asyncio.run(exercise())


async def settled(worker: ClusterWorker) -> None:
    while worker.host_leases.asked:
        await asyncio.sleep(0)


def test_a_lease_that_runs_out_before_it_is_used_is_asked_for_again() -> None:
    """The process was stopped while Redis answered: the origin is opened under the next lease.

    Its robots.txt could not be fetched at first, so no link waits for it.
    """

    async def story(worker: ClusterWorker, redis: Redis) -> None:
        limits = JournaledHostLimits(lambda _: (1, 0.0), (1, 0.0))
        shared = SharedPopulation(worker, limits)
        shared.guard(authority)
        worker.host_leases.ask("a.test")
        await settled(worker)
        shared.population.place([link("http://a.test/")])
        assert shared.population.choose(0.0) is None
        shared.turn_away("http://a.test")
        worker.events.host_gained.connect(lambda _: shared.opened("http://a.test"))
        redis.now_s += LEASE_S
        redis.takes_s = [LEASE_S, 0.0]
        shared.opened("http://a.test")
        await settled(worker)
        assert redis.calls.count("take a.test") == 3
        assert shared.population.closed_origins() == []

    play(story)


def test_a_new_lease_does_not_extend_one_that_was_lost() -> None:
    """Two hosts of one shard: after a pause another worker has one of them."""
    other = next(name for n in range(10_000) if shard_of(name := f"h{n}") == shard_of("a.test"))

    async def story(worker: ClusterWorker, redis: Redis) -> None:
        table = worker.host_leases.table
        worker.host_leases.ask("a.test")
        await settled(worker)
        assert table.is_ours("a.test")
        redis.now_s += 2 * LEASE_S
        redis.cast_out = {shard_of("a.test")}
        worker.host_leases.ask(other)
        await settled(worker)
        assert table.is_ours(other)
        assert list(table.leases) == [other]
        assert redis.calls == ["take a.test", "renew", f"take {other}"]

    play(story)


def test_a_host_whose_links_are_being_offered_is_not_requested_before_the_answer() -> None:
    """The answer names its owner: a vacant host is leased then, another worker's is not."""

    async def story(worker: ClusterWorker, redis: Redis) -> None:
        shared = SharedPopulation(worker, JournaledHostLimits(lambda _: (1, 0.0), (1, 0.0)))
        hosts = ("a.test", "b.test")
        shared.place([link(f"http://{host}/1") for host in hosts])
        assert all(map(worker._outbox.is_offering, hosts))
        for host in hosts:
            worker.sync.ask(host)
        await asyncio.sleep(0)
        assert redis.calls == []
        worker.events.host_offered.send("a.test", "")
        worker.events.host_offered.send("b.test", "99")
        await settled(worker)
        assert redis.calls == ["take a.test"]
        assert worker.host_leases.table.foreign == {"b.test"}
        assert list(worker.host_leases.table.leases) == ["a.test"]

    play(story)


def test_news_of_a_lease_do_not_take_a_host_from_agents_that_asked_for_it() -> None:
    """The answer names its owner. Links that wait at another such host are withdrawn at once."""

    async def story(worker: ClusterWorker, redis: Redis) -> None:
        table, hosts = worker.host_leases.table, ("a.test", "b.test")
        for host in hosts:
            table.wait(host, link(f"http://{host}/").fingerprint)
        worker.host_leases.ask("a.test")
        worker.host_leases.note_others([*hosts, "never.met.test"])
        assert table.foreign == {"b.test"}
        await settled(worker)
        assert redis.calls == ["take a.test"]
        assert list(table.leases) == list(table.waiting) == ["a.test"]
        worker.host_leases.note_others(hosts)
        assert list(table.leases) == ["a.test"]

    play(story)


def test_a_silent_node_does_not_affect_leases_at_the_others() -> None:
    """Those are renewed; the worker is informed that not all are."""

    async def story(worker: ClusterWorker, redis: Redis) -> None:
        table = worker.host_leases.table
        hosts = ["a.test", "b.test"]
        for host in hosts:
            worker.sync.ask(host)
        await settled(worker)
        redis.silent = {shard_of("a.test")}
        for redis.now_s in (4.0, 8.0):
            with pytest.raises(Unreachable, match="leases of 1 shards"):
                await worker.host_leases.renew()
        assert [table.is_ours(host) for host in hosts] == [False, True]
        redis.silent = set()
        await worker.host_leases.renew()
        assert [table.is_ours(host) for host in hosts] == [True, True]

    play(story)


def test_a_crawl_whose_results_are_not_accepted_ends_in_time() -> None:
    """Also if other nodes of a cluster respond: heartbeats alone are not enough."""

    async def story(worker: ClusterWorker, redis: Redis) -> None:
        heartbeat = worker._heartbeat
        worker._availability._clock = worker.host_leases.table.clock
        heartbeat.beat = partial(asyncio.sleep, 0)  # type: ignore[method-assign]
        worker._persistence.look = lambda _: asyncio.sleep(0)  # type: ignore[method-assign]
        for is_stuck in (False, True):
            worker._outbox.is_stuck = is_stuck
            worker.events.redis_answered.send(Unreachable("no answer"))
            redis.now_s += 1000.0
            beating = asyncio.create_task(heartbeat.run())
            done, _ = await asyncio.wait([beating], timeout=0.1)
            beating.cancel()
            assert bool(done) is is_stuck
        with pytest.raises(StateError, match="no response for"):
            await beating

    play(story)
