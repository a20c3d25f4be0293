"""Workers exchange what they have learnt through a real Redis, and no pages."""

from __future__ import annotations

import logging
from typing import Any

import numpy as np
import pytest
from redis_side import RedisSide, play
from redisserver import RedisServer

from evocrawl.core.model import Content, Link, Page
from evocrawl.core.urls.identity import fingerprint
from evocrawl.store.cluster.learning_exchange import LearningExchange

PARTS = "evocrawl:{evocrawl}:parts:evo"
NUMBERS = "evocrawl:{evocrawl}:numbers:evo"


class Side(RedisSide):
    """A worker that exchanges what its population has learnt."""

    def __init__(self, server: RedisServer) -> None:
        super().__init__(server, "evo")
        self.learning = LearningExchange(self.state, self.population, self.host_leases, 5.0)
        self.model: Any = self.population.species[0].learning.model  # type: ignore[attr-defined]
        self.ranks = self.population.environment.base.ranks

    def visit(self, host: str, *relevances: float) -> int:
        """Learn from pages of a host; return their number."""
        urls = [f"http://{host}/{number}" for number in range(len(relevances))]
        links = tuple(Link(url, fingerprint(url), "0.5", tag_path="ul/li") for url in urls[1:])
        for url, relevance in zip(urls, relevances, strict=True):
            found, content = links if url == urls[0] else (), Content("0.5", "a gem")
            page = Page(url, fingerprint(url), relevance, 0.0, found, content=content)
            self.model.observe_page(page, self.model.row_of(page.fingerprint))
            self.ranks.add(relevance)
        return len(relevances)


def test_each_worker_gets_the_sum_of_what_all_others_learnt(server: RedisServer) -> None:
    """Also a worker that joins after another has ended; a second exchange changes nothing."""

    async def story(first: Side, second: Side, late: Side) -> None:
        pages = first.visit("a.test", 0.1, 0.9, 0.8), second.visit("b.test", 0.2, 0.0, 0.7, 0.6)
        for _ in range(2):
            await first.learning.exchange(pages[0])
            await second.learning.exchange(pages[1])
        await first.learning.exchange(pages[0])
        assert first.model.evidence.tries == second.model.evidence.tries == 7
        assert np.allclose(first.model.mean, second.model.mean, atol=1e-9)
        assert first.ranks.at_share(1.0) == 0.9
        assert second.ranks.at_share(1.0) == pytest.approx(0.9, abs=1e-3)
        assert len(second.ranks) == 4
        await first.state.leave()
        await late.learning.look(0)
        assert late.model.evidence.tries == 7
        assert np.allclose(late.model.mean, first.model.mean, atol=1e-9)
        with server.client() as client:
            assert client.hlen(PARTS) == 2
            assert client.hgetall(NUMBERS) == {b"1": b"1", b"2": b"1"}

    play(Side, server, 3, story)


def test_an_exchange_is_made_once_in_a_period(server: RedisServer) -> None:
    """From 40 pages on. Unchanged parts are not written."""

    async def story(first: Side, second: Side, _: Side) -> None:
        for now_s, pages in ((0.0, 40), (4.0, 80), (5.0, 120), (11.0, 120)):
            first.now_s = now_s
            first.visit(f"{now_s}.test", 0.5)
            await first.learning.look(pages)
        with server.client() as client:
            assert client.hgetall(NUMBERS) == {b"1": b"2"}
        await second.learning.look(0)
        assert second.model.evidence.tries == 3

    play(Side, server, 3, story)


def test_the_first_pages_are_exchanged_sooner(server: RedisServer) -> None:
    """With n pages after n/40 of a period."""

    async def story(first: Side, *_: Side) -> None:
        looks = ((0.0, 1), (0.1, 2), (0.2, 3), (0.4, 4), (0.85, 16), (2.8, 30), (2.9, 31), (7, 60))
        sent = []
        with server.client() as client:
            for now_s, pages in looks:
                first.now_s = now_s
                await first.learning.look(pages)
                sent.append(int(client.hget(NUMBERS, "1")))
        assert sent == [1, 1, 2, 2, 3, 3, 4, 5]

    play(Side, server, 3, story)


def test_of_many_workers_some_parts_are_read_in_each_exchange_in_turn(server: RedisServer) -> None:
    """All when a worker joins; eight of those that have changed since, until it has all."""

    async def story(first: Side, second: Side, _: Side) -> None:
        sharing, workers = second.model.share(), [str(number) for number in range(100, 112)]
        for round_, relevances in enumerate(((0.1,), (0.2, 0.7)), 1):
            second.visit(f"{round_}.test", *relevances)
            row = sharing.pack()
            with server.client() as client:
                client.hset(PARTS, mapping=dict.fromkeys(workers, row))
                client.hset(NUMBERS, mapping=dict.fromkeys(workers, round_))
            tries = []
            for _ in range(3):
                await first.learning.exchange(0)
                tries.append(first.model.evidence.tries)
            before = (12, 12, 12), (4 + 8 * 3, 12 * 3, 12 * 3)
            assert tuple(tries) == before[round_ - 1]

    play(Side, server, 3, story)


def test_an_exchange_waits_until_the_pages_have_grown_by_a_quarter(server: RedisServer) -> None:
    """At most for six periods. The last part is always sent."""

    async def story(first: Side, *_: Side) -> None:
        looks = ((0, 160), (5, 161), (10, 200), (11, 201), (15, 202), (40, 203), (41, 203))
        sent = []
        with server.client() as client:
            for now_s, pages in looks:
                first.now_s = float(now_s)
                await first.learning.look(pages)
                sent.append(int(client.hget(NUMBERS, "1")))
            assert sent == [1, 1, 1, 2, 2, 2, 3]
            await first.learning.exchange(204)
            await first.learning.exchange(204)
            assert client.hgetall(NUMBERS) == {b"1": b"4"}

    play(Side, server, 3, story)


def test_a_worker_that_waits_learns_of_the_others_once_in_a_period(server: RedisServer) -> None:
    """Its own pages do not grow. Before the tenth exchange, n of them make it n tenths of one."""

    async def story(first: Side, second: Side, _: Side) -> None:
        looks = ((0.0, False), (0.4, True), (0.5, True), (1.4, True), (1.5, False), (1.5, True))
        looks += tuple((10.0 * number, True) for number in range(1, 8))
        looks += ((74.9, True), (75.0, False), (75.0, True))
        tries = []
        for number, (second.now_s, is_waiting) in enumerate(looks):
            first.visit(f"{number}.test", 0.1)
            await first.learning.exchange(number + 1)
            await second.learning.look(0, is_waiting=is_waiting)
            tries.append(second.model.evidence.tries)
        assert tries == [1, 1, 3, 3, 3, 6, *range(7, 14), 13, 13, 16]

    play(Side, server, 3, story)


@pytest.mark.parametrize("row", [b"x", b"\x80\x04pickle", b"evoL" + b"\0" * 60, b"x" * (1 << 21)])
def test_a_broken_part_is_refused_with_one_line(
    server: RedisServer, caplog: pytest.LogCaptureFixture, row: bytes
) -> None:
    """Any client of Redis can write it; the parts of others still count."""

    async def story(first: Side, second: Side, _: Side) -> None:
        await second.learning.exchange(second.visit("b.test", 0.2, 0.9))
        with server.client() as client:
            for number in range(1, 4):
                client.hset(PARTS, "77\x1b[2J", row)
                client.hset(NUMBERS, "77\x1b[2J", number)
                await first.learning.exchange(0)
            client.hset(NUMBERS, "78", "no number")
            await first.learning.exchange(0)
            assert client.llen("evocrawl:{evocrawl}:quarantine") == 1
        assert first.model.evidence.tries == 2
        assert first.host_leases.poisoned == 1

    with caplog.at_level(logging.WARNING):
        play(Side, server, 3, story)
    assert len([each for each in caplog.records if "quarantine" in each.message]) == 1
    assert "\x1b" not in caplog.text
