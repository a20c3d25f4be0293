"""Workers that meet in a real Redis: hosts, links, records, budget and the end."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any

import pytest
from redisserver import PASSWORD, RedisServer

from evocrawl.core.errors import StateError
from evocrawl.core.fetch import FetchDetails
from evocrawl.core.model import Content, Cost, Fetched, Lead, Link, Page
from evocrawl.core.urls.identity import fingerprint
from evocrawl.store.cluster.events import WorkerEvents
from evocrawl.store.cluster.redis.codec import RowCodec, TravellingAgent
from evocrawl.store.cluster.redis.commands import RedisCommands
from evocrawl.store.cluster.redis.connection import Connection, Unreachable
from evocrawl.store.cluster.redis.keys import KeyNames, RedisAddress, shard_of
from evocrawl.store.cluster.redis.outbox import Outbox, OutboxBatch
from evocrawl.store.cluster.redis.persistence_check import Keeping
from evocrawl.store.cluster.redis.state import ClusterState, Worker
from evocrawl.store.journal.codec import NoPayloads

ABOUT = {"query": "coral", "species": "evo"}
A, B = "http://a.test/1", "http://a.test/2"
HOST = "a.test"


class Crowd:
    """Workers of one crawl, each with a connection of its own."""

    def __init__(self, server: RedisServer) -> None:
        self.server = server
        self._connections: list[Connection] = []

    async def join(
        self, lease_ms: int = 60_000, **about: Any
    ) -> tuple[ClusterState, RedisCommands, Connection]:
        place = RedisAddress.of(self.server.url)
        connection = Connection(place)
        self._connections.append(connection)
        state = ClusterState(connection, lease_ms)
        await state.join({**ABOUT, **about})
        return (
            state,
            RedisCommands(RowCodec(NoPayloads()), KeyNames(place.name), state.session),
            connection,
        )

    async def close(self) -> None:
        for each in self._connections:
            await each.close()


@asynccontextmanager
async def crowd_at(server: RedisServer) -> AsyncIterator[Crowd]:
    crowd = Crowd(server)
    try:
        yield crowd
    finally:
        await crowd.close()


def run(server: RedisServer, story: Callable[[Crowd], Awaitable[None]]) -> None:
    async def reported() -> None:
        async with crowd_at(server) as crowd:
            await story(crowd)

    asyncio.run(reported())


def link(url: str) -> Link:
    return Link(url, fingerprint(url), "coral")


async def taken(state: ClusterState, host: str = HOST) -> str:
    """Take a host, as soon as its present owner's lease is over; return the lease."""
    while True:
        is_ours, lease, _ = await state.take(host)
        if is_ours:
            return lease


def test_a_host_is_one_workers_until_its_lease_is_over(server: RedisServer) -> None:
    """R3: the next owner learns of the former one, whose reports are refused."""

    async def story(crowd: Crowd) -> None:
        first, *_ = await crowd.join()
        lease = await taken(first)
        second, *_ = await crowd.join()
        assert await second.take(HOST) == (False, lease, False)
        assert (await first.take(HOST))[:2] == (True, lease)
        assert await first.renew([shard_of(HOST)]) == set()
        first.lease_ms = 1
        await first.renew([shard_of(HOST)])
        taken_over = await taken(second)
        assert taken_over.startswith(f"{second.session}.")
        assert await first.renew([shard_of(HOST)]) == {shard_of(HOST)}
        assert (await first.take(HOST))[0] is False

    run(server, story)


def test_any_worker_can_take_a_released_host(server: RedisServer) -> None:
    """Its next owner learns that it was another's; only its owner can release it."""

    async def story(crowd: Crowd) -> None:
        first, *_ = await crowd.join()
        second, *_ = await crowd.join()
        lease = await taken(first)
        await second.release({HOST: f"{second.session}.1"})
        assert (await second.take(HOST))[0] is False
        await first.release({HOST: lease})
        assert [*(await second.take(HOST))][::2] == [True, True]

    run(server, story)


def test_who_comes_too_late_changes_nothing(server: RedisServer) -> None:
    """A settle or a record under a lease that is over is refused: the link stays open."""

    async def story(crowd: Crowd) -> None:
        first, calls, connection = await crowd.join(lease_ms=1)
        second, *_ = await crowd.join()
        stale = await taken(first)
        await connection.run_all(calls.offers([(link(A), None)]))
        fresh = await taken(second)
        page = Page(A, fingerprint(A), 0.5, 1.0, (), b"v", Content("t"))
        lead = Lead(A, fingerprint(A), HOST, b"", 0, 0.0)
        reported = FetchDetails(1, lead, 200, "2026-01-01T00:00:00+00:00")
        for lease, answer in ((stale, 0), (fresh, 1), (fresh, 1)):
            record = calls.record(HOST, lease, Fetched(page, Cost()), lead, reported)
            settle = calls.settle(HOST, lease, fingerprint(A), "fetched")
            assert await connection.run_all([record, settle]) == [answer, answer]
        with crowd.server.client() as client:
            keys = calls.layout.of(HOST, "pages:", "open:", "done:")
            assert [client.hlen(key) for key in keys] == [1, 0, 1]

    run(server, story)


def test_a_link_is_open_once_and_never_again_when_it_is_done(server: RedisServer) -> None:
    """Its host is to do for as long as it has an open link, and vacant while no other has it.

    Who has it finds it too, should it have lost sight of it.
    """

    async def story(crowd: Crowd) -> None:
        state, calls, connection = await crowd.join()
        other, *_ = await crowd.join()
        offer = calls.offers([(link(A), None), (link(B), None)])
        assert await connection.run_all(calls.offers([(link(B), None)])) == [[]]
        assert await connection.run_all(offer) == [[1]]
        assert await connection.run_all(offer) == [[0, 1]]
        assert await state.vacant(range(64), 9) == [HOST]
        lease = await taken(state)
        assert await other.vacant(range(64), 9) == []
        assert await state.vacant(range(64), 9) == [HOST]
        for url in (A, B):
            assert not await state.is_exhausted()
            await connection.run_all([calls.settle(HOST, lease, fingerprint(url), "dead")])
        assert await state.is_exhausted()
        assert await connection.run_all(offer) == [[0, 1]]
        assert not await state.has_open(HOST)
        found = [target async for targets in state.done(HOST) for target in targets]
        assert sorted(found) == sorted(fingerprint(url).hex().encode() for url in (A, B))

    run(server, story)


def test_the_end_is_not_seen_while_links_move(server: RedisServer) -> None:
    """A link that comes and goes between two looks at its shard: others may hang on it."""

    async def story(crowd: Crowd) -> None:
        state, calls, connection = await crowd.join()
        lease, tally, readings = await taken(state), state._tally, iter(range(2))

        async def look() -> list[tuple[int, int]]:
            if next(readings) == 1:
                await connection.run_all(calls.offers([(link(A), None)]))
                settle = calls.settle(HOST, lease, fingerprint(A), "fetched")
                await connection.run_all([settle])
            return await tally()

        state._tally = look  # type: ignore[method-assign]
        assert not await state.is_exhausted()
        state._tally = tally  # type: ignore[method-assign]
        assert await state.is_exhausted()

    run(server, story)


def test_the_budget_of_all_is_never_exceeded(server: RedisServer) -> None:
    """B076: in any portions, some given back; a repeated call counts once."""

    async def story(crowd: Crowd) -> None:
        boards = [(await crowd.join())[0] for _ in range(4)]
        taken_by = [0, 0, 0, 0]
        for turn in range(60):
            each = turn % 4
            given, left = await boards[each].budget(7, 100, 4)
            taken_by[each] += given
            assert 0 <= given <= 7
            assert sum(taken_by) + left == 100
            if turn == 20:
                await boards[each].budget(-taken_by[each], 100, 1)
                taken_by[each] = 0
            if turn == 30:
                boards[each]._calls -= 1
                assert await boards[each].budget(7, 100, 4) == (given, left)
        assert sum(taken_by) == 100
        assert await boards[0].budget(7, 100, 4) == (0, 0)
        assert await boards[0].budget(7, 103, 4) == (1, 2)

    run(server, story)


def test_guests_are_taken_in_by_the_owner_alone(server: RedisServer) -> None:
    """Once, also if two events report their arrival."""

    async def story(crowd: Crowd) -> None:
        first, calls, connection = await crowd.join()
        second, *_ = await crowd.join()
        lease = await taken(second)
        visit = calls.visit(HOST, TravellingAgent("evo", 1.5, b"p"))
        await connection.run_all([visit, visit])
        assert await first.welcome(HOST, f"{first.session}.1") == []
        assert len(await second.welcome(HOST, lease)) == 1
        assert await second.welcome(HOST, lease) == []

    run(server, story)


def test_signs_of_life_tell_of_all_who_are_alive(server: RedisServer) -> None:
    """Those who are silent, or leave, are among them no more; garbage never is."""

    async def story(crowd: Crowd) -> None:
        first, *_ = await crowd.join()
        second, *_ = await crowd.join()
        with crowd.server.client() as client:
            client.hset(first.layout.whole("workers"), "x", "garbage")
        await first.beat(3, 0)
        assert await second.beat(0, 2) == [
            Worker(first.session, 3, 0), Worker(second.session, 0, 2)
        ]  # fmt: skip
        await second.leave()
        assert [each.session for each in await first.beat(3, 1)] == [first.session]

    run(server, story)


def test_another_crawl_is_refused_by_name(server: RedisServer) -> None:
    """R6: each difference is named, so are rows of another version; no message has a password."""

    async def story(crowd: Crowd) -> None:
        await crowd.join()
        with pytest.raises(StateError, match='query was "coral", is "urchins"'):
            await crowd.join(query="urchins")
        with crowd.server.client() as client:
            key = "evocrawl:{evocrawl}:about"
            client.set(key, json.dumps({**ABOUT, "schema": 99}))
            with pytest.raises(StateError, match=r"version 99, this evocrawl knows 2") as refused:
                await crowd.join()
            assert PASSWORD not in str(refused.value)
            client.set(key, b"\x80\x04 a pickle")
            with pytest.raises(StateError, match="not a state of evocrawl"):
                await crowd.join()

    run(server, story)


def test_a_wrong_password_is_reported_without_it(server: RedisServer) -> None:
    """R22."""

    async def story(_: Crowd) -> None:
        connection = Connection(RedisAddress.of(f"redis://:wr0ng@127.0.0.1:{server.port}/0"))
        with pytest.raises(StateError) as refused:
            await ClusterState(connection, 1000).join(ABOUT)
        await connection.close()
        assert "wr0ng" not in str(refused.value)

    run(server, story)


def test_what_redis_forgot_or_lost_is_reported_again(server: RedisServer) -> None:
    """Scripts are loaded anew, connections made anew; what was on its way arrives, in order."""

    async def story(crowd: Crowd) -> None:
        state, calls, connection = await crowd.join()
        lease = await taken(state)
        reached: list[bool] = []
        events = WorkerEvents()
        events.report_refused.connect(lambda *_: reached.append(False))
        events.redis_answered.connect(reached.append)
        outbox = Outbox(connection, 10, events)
        sending = asyncio.create_task(outbox.run())
        with crowd.server.client() as client:
            for number in range(30):
                target = link(f"http://a.test/{number}")
                settle = calls.settle(HOST, lease, target.fingerprint, "dead")
                news = calls.news("dead", HOST, target.fingerprint)
                outbox.put(OutboxBatch(calls.offers([(target, None)]), (), [settle], [news]))
                if number == 10:
                    client.script_flush()
                if number == 20:
                    client.client_kill_filter(_type="normal", skipme=True)
                    await outbox.sent()
            await outbox.sent()
            sending.cancel()
            assert client.hlen(calls.layout.of(HOST, "done:")[0]) == 30
        other, *_ = await crowd.join()
        news, _ = await other.latest_news(100)
        keys = [each.key for each in news]
        assert list(dict.fromkeys(keys)) == [
            fingerprint(f"http://a.test/{number}").hex().encode() for number in range(30)
        ]

    run(server, story)


def test_an_outbox_that_cannot_be_emptied_is_full(server: RedisServer) -> None:
    """It says so, and keeps what it is given all the same."""

    async def story(crowd: Crowd) -> None:
        _, calls, connection = await crowd.join()
        outbox = Outbox(connection, 2, WorkerEvents())
        for url in (A, B):
            assert not outbox.full
            outbox.put(OutboxBatch(calls.offers([(link(url), None)])))
        assert outbox.full
        assert len(outbox) == 2

    run(server, story)


def test_links_that_redis_has_already_are_reported_unless_they_may_be_ones_own(
    server: RedisServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another worker found them first. After a lost answer, this one may have sent them itself."""

    async def story(crowd: Crowd) -> None:
        _, calls, connection = await crowd.join()
        events, reported = WorkerEvents(), []
        events.links_offered.connect(lambda *found: reported.append(found))
        outbox = Outbox(connection, 2, events)
        run_all, fails = connection.run_all, [True]

        async def answer_is_lost(sent: Any) -> Any:
            answers = await run_all(sent)
            if fails.pop():
                raise Unreachable
            return answers

        for urls, lost in (([A], False), ([A, B], False), ([A], True)):
            fails[:] = [False, lost] if lost else [False]
            monkeypatch.setattr(connection, "run_all", answer_is_lost)
            outbox.put(OutboxBatch(calls.offers([(link(url), None) for url in urls])))
            task = asyncio.ensure_future(outbox.run())
            await outbox.sent()
            task.cancel()
        first, second = fingerprint(A), fingerprint(B)
        assert reported == [([first], set()), ([first, second], {first}), ([first], set())]

    run(server, story)


def test_what_comes_after_a_refused_parcel_is_not_sent(server: RedisServer) -> None:
    """`then` goes out once Redis has taken the parcel; each refusal is reported with its lease."""

    async def story(crowd: Crowd) -> None:
        state, calls, connection = await crowd.join()
        lease = await taken(state)
        refused: list[tuple[str, str]] = []
        events = WorkerEvents()
        events.report_refused.connect(lambda *what: refused.append(what))
        outbox = Outbox(connection, 9, events)
        for own, url in ((lease, A), ("0.1", B)):
            then = OutboxBatch(
                settles=[calls.settle(HOST, lease, fingerprint(url + "then"), "dead")]
            )
            settle = calls.settle(HOST, own, fingerprint(url), "dead")
            outbox.put(OutboxBatch(settles=[settle], then=then))
        sending = asyncio.create_task(outbox.run())
        await outbox.sent()
        sending.cancel()
        with crowd.server.client() as client:
            done = set(client.hkeys(calls.layout.of(HOST, "done:")[0]))
        assert done == {fingerprint(each).hex().encode() for each in (A, A + "then")}
        assert refused == [(HOST, "0.1")]

    run(server, story)


@pytest.mark.parametrize("lost", ["mark", "todo", "open:a.test", "open:*", "*"])
def test_a_part_of_a_shard_that_is_gone_is_no_empty_shard(server: RedisServer, lost: str) -> None:
    """Nor is a worker let in that comes later."""

    async def story(crowd: Crowd) -> None:
        state, calls, connection = await crowd.join()
        lease = await taken(state)
        await connection.run_all(calls.offers([(link(A), None)]))
        assert await state.has_open(HOST)
        with crowd.server.client() as client:
            client.delete(*client.scan_iter(calls.layout.of(HOST, lost)[0]))
        with pytest.raises(StateError, match="the crawl's state is gone"):
            await state.has_open(HOST)
        settle = calls.settle(HOST, lease, fingerprint(B), "dead")
        with pytest.raises(StateError, match="the crawl's state is gone"):
            await connection.run_all([settle])
        if not lost.startswith("open"):
            for check in (state.check, state.is_exhausted, crowd.join):
                with pytest.raises(StateError, match="the crawl's state is gone"):
                    await check()

    run(server, story)


@pytest.mark.parametrize("lost", ["evocrawl:{evocrawl}:about", "evocrawl:{evocrawl}:*"])
def test_remains_of_a_crawl_are_no_new_crawl(server: RedisServer, lost: str) -> None:
    """An empty Redis is one; it differs from the earlier crawl by its epoch."""

    async def story(crowd: Crowd) -> None:
        state, *_ = await crowd.join()
        with crowd.server.client() as client:
            client.delete(*client.scan_iter(lost))
            with pytest.raises(StateError, match="the crawl's state is gone"):
                await crowd.join()
            client.flushall()
        await crowd.join()
        with pytest.raises(StateError, match="the crawl's state is gone"):
            await state.beat(0, 0)

    run(server, story)


def test_evicted_keys_are_noticed(server: RedisServer, caplog: pytest.LogCaptureFixture) -> None:
    """A Redis that may evict is warned of, and one that has done so ends the crawl."""

    async def story(crowd: Crowd) -> None:
        _, _, connection = await crowd.join()
        keeping = Keeping(connection)
        await keeping.begin()
        assert not caplog.records
        with crowd.server.client() as client:
            client.config_set("maxmemory-policy", "allkeys-random")
            await keeping.begin()
            assert "maxmemory-policy allkeys-random" in caplog.text
            await keeping.check()
            used = client.info("memory")["used_memory"]
            client.config_set("maxmemory", used + 100_000)
            for number in range(40):
                client.set(f"filler-{number}", "x" * 20_000)
        with pytest.raises(StateError, match=r"has evicted \d+ keys"):
            await keeping.check()

    try:
        run(server, story)
    finally:
        with server.client() as client:
            client.config_set("maxmemory", 0)
            client.config_set("maxmemory-policy", "noeviction")
