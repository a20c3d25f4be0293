"""Crawlers of several workers exchange their best rules through a real Redis."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path

import pytest
from redisserver import RedisServer
from tiny_webs import make_population

from evocrawl.species.biocrawler.rules import MANAGED, Managed, Rule, RuleManager
from evocrawl.store.cluster.events import WorkerEvents
from evocrawl.store.cluster.host_leases import HostLeases
from evocrawl.store.cluster.lease_table import LeaseTable
from evocrawl.store.cluster.population_sync import PopulationSync
from evocrawl.store.cluster.redis.codec import RowCodec
from evocrawl.store.cluster.redis.commands import RedisCommands
from evocrawl.store.cluster.redis.connection import Connection, Unreachable
from evocrawl.store.cluster.redis.keys import RedisAddress
from evocrawl.store.cluster.redis.state import ClusterState
from evocrawl.store.cluster.rule_exchange import RuleExchange
from evocrawl.store.journal.codec import NoPayloads

KEY = "evocrawl:{evocrawl}:rules:biocrawler"


@pytest.fixture
def server(tmp_path: Path) -> Iterator[RedisServer]:
    with RedisServer(tmp_path) as running:
        yield running


class Side:
    """One worker's population, with a rule manager and the way to the others'."""

    def __init__(self, server: RedisServer) -> None:
        self.connection = Connection(RedisAddress.of(server.url))
        population, _ = make_population("biocrawler")
        state, rows, lease_table = (
            ClusterState(self.connection, 60_000),
            RowCodec(NoPayloads()),
            LeaseTable(60.0),
        )
        events = WorkerEvents()
        commands = RedisCommands(rows, state.layout)
        sync = PopulationSync(population, lease_table, commands, lambda _: None, events)
        self.host_leases = HostLeases(state, rows, sync, lambda _: None, events)
        self.advice = RuleExchange(state, rows, population, self.host_leases)
        learning = population.species[0].learning
        assert isinstance(learning, Managed)
        self.manager: RuleManager = learning.manager

    def propose(self, **strengths: float) -> None:
        self.manager.propose(Rule((name,), name, float(strengths[name])) for name in strengths)

    def knows(self) -> dict[str, float]:
        return {rule.target: rule.strength for rule in self.manager.rules}


def play(server: RedisServer, story: Callable[[Side, Side], Awaitable[None]]) -> None:
    """Tell a story of two workers."""

    async def reported() -> None:
        one, other = Side(server), Side(server)
        try:
            await story(one, other)
        finally:
            for side in (one, other):
                await side.connection.close()

    asyncio.run(reported())


def test_the_best_rules_of_all_are_known_to_all(server: RedisServer) -> None:
    """As strong as when they were last sent, and no more of them than a manager keeps."""

    async def story(one: Side, other: Side) -> None:
        one.propose(a=30, b=50)
        other.propose(c=40)
        for side in (one, other, one):
            await side.advice.exchange()
        assert one.knows() == other.knows() == {"b": 50, "c": 40, "a": 30}
        other.propose(b=27)
        for side in (other, one):
            await side.advice.exchange()
        assert one.knows() == other.knows() == {"c": 40, "a": 30, "b": 27}
        one.propose(**{f"host{number}": 100 + number for number in range(MANAGED - 1)})
        for side in (one, other):
            await side.advice.exchange()
        assert one.knows() == other.knows()
        assert len(one.knows()) == MANAGED
        assert "b" not in one.knows()
        with server.client() as client:
            assert client.zcard(KEY) == MANAGED

    play(server, story)


def test_rules_outlive_the_worker_that_sent_them(server: RedisServer) -> None:
    """Who joins begins with them."""

    async def story(one: Side, other: Side) -> None:
        one.propose(a=30)
        await one.advice.exchange()
        await one.connection.close()
        await other.advice.exchange()
        assert other.knows() == {"a": 30}

    play(server, story)


def test_rules_sent_while_redis_is_away_arrive_later(server: RedisServer) -> None:
    """They wait where they are."""

    async def story(one: Side, other: Side) -> None:
        one.propose(a=30)
        server.stop()
        with pytest.raises(Unreachable):
            await one.advice.exchange()
        one.propose(b=40)
        server.start()
        await one.advice.exchange()
        await other.advice.exchange()
        assert other.knows() == {"b": 40, "a": 30}

    play(server, story)


def test_invalid_rules_are_put_aside(server: RedisServer) -> None:
    """B078, R18: also with a high strength; other rules are taken."""

    async def story(one: Side, _: Side) -> None:
        with server.client() as client:
            client.zadd(KEY, {"a pickle": 99, '["a","b"]': 99, '["x","x"]': float("inf")})
            client.zadd(KEY, {"[]": 98, '["a","b","a"]': 97, "[[],{}]": 96, '["good","good"]': 30})
            await one.advice.exchange()
            assert one.knows() == {"good": 30}
            assert one.host_leases.poisoned == 6
            assert client.llen("evocrawl:{evocrawl}:quarantine") == 6
            assert client.zrange(KEY, 0, -1) == [b'["good","good"]']

    play(server, story)
