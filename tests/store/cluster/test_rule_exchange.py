"""Crawlers of several workers exchange their best rules through a real Redis."""

from __future__ import annotations

from contextlib import suppress

import pytest
from redis_side import RedisSide, play
from redisserver import RedisServer

from evocrawl.species.biocrawler.rules import MANAGED, Managed, Rule, RuleManager
from evocrawl.store.cluster.redis.connection import Unreachable
from evocrawl.store.cluster.rule_exchange import RuleExchange

KEY = "evocrawl:{evocrawl}:rules:biocrawler"


class Side(RedisSide):
    """A worker that exchanges the rules of its rule manager."""

    def __init__(self, server: RedisServer) -> None:
        super().__init__(server, "biocrawler")
        self.rules = RuleExchange(self.state, self.rows, self.population, self.host_leases)
        learning = self.population.species[0].learning
        assert isinstance(learning, Managed)
        self.manager: RuleManager = learning.manager

    def propose(self, **strengths: float) -> None:
        self.manager.propose(Rule((name,), name, float(strengths[name])) for name in strengths)

    def knows(self) -> dict[str, float]:
        return {rule.target: rule.strength for rule in self.manager.rules}


def test_the_best_rules_of_all_are_known_to_all(server: RedisServer) -> None:
    """With the strength of the last exchange, and at most as many as a manager keeps."""

    async def story(one: Side, other: Side) -> None:
        one.propose(a=30, b=50)
        other.propose(c=40)
        for side in (one, other, one):
            await side.rules.exchange()
        assert one.knows() == other.knows() == {"b": 50, "c": 40, "a": 30}
        other.propose(b=27)
        for side in (other, one):
            await side.rules.exchange()
        assert one.knows() == other.knows() == {"c": 40, "a": 30, "b": 27}
        one.propose(**{f"host{number}": 100 + number for number in range(MANAGED - 1)})
        for side in (one, other):
            await side.rules.exchange()
        assert one.knows() == other.knows()
        assert len(one.knows()) == MANAGED
        assert "b" not in one.knows()
        with server.client() as client:
            assert client.zcard(KEY) == MANAGED

    play(Side, server, 2, story)


def test_rules_outlive_the_worker_that_sent_them(server: RedisServer) -> None:
    """A worker that joins begins with them."""

    async def story(one: Side, other: Side) -> None:
        one.propose(a=30)
        await one.rules.exchange()
        await one.connection.close()
        await other.rules.exchange()
        assert other.knows() == {"a": 30}

    play(Side, server, 2, story)


def test_rules_sent_while_redis_is_away_arrive_later(server: RedisServer) -> None:
    """They wait in the manager."""

    async def story(one: Side, other: Side) -> None:
        one.propose(a=30)
        server.stop()
        with pytest.raises(Unreachable):
            await one.rules.exchange()
        one.propose(b=40)
        server.start()
        for side in (one, other):
            with suppress(Unreachable):  # the server has closed an open connection
                await side.rules.exchange()
            await side.rules.exchange()
        assert other.knows() == {"b": 40, "a": 30}

    play(Side, server, 2, story)


def test_invalid_rules_are_put_aside(server: RedisServer) -> None:
    """B078, R18: also with a high strength; other rules are taken."""

    async def story(one: Side, _: Side) -> None:
        with server.client() as client:
            client.zadd(KEY, {"a pickle": 99, '["a","b"]': 99, '["x","x"]': float("inf")})
            client.zadd(KEY, {"[]": 98, '["a","b","a"]': 97, "[[],{}]": 96, '["good","good"]': 30})
            await one.rules.exchange()
            assert one.knows() == {"good": 30}
            assert one.host_leases.poisoned == 6
            assert client.llen("evocrawl:{evocrawl}:quarantine") == 6
            assert client.zrange(KEY, 0, -1) == [b'["good","good"]']

    play(Side, server, 2, story)
