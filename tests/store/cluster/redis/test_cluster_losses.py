"""What workers do when Redis refuses, forgets or loses something."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest
from cluster_crowd import ABOUT, HOST, A, B, Crowd, link, run, taken
from redisserver import PASSWORD, RedisServer

from evocrawl.core.errors import StateError
from evocrawl.core.urls.identity import fingerprint
from evocrawl.store.cluster.events import WorkerEvents
from evocrawl.store.cluster.redis.codec import SCHEMA
from evocrawl.store.cluster.redis.connection import Connection, Unreachable
from evocrawl.store.cluster.redis.keys import RedisAddress
from evocrawl.store.cluster.redis.outbox import Outbox, OutboxBatch
from evocrawl.store.cluster.redis.persistence_check import Keeping
from evocrawl.store.cluster.redis.state import ClusterState


def test_another_crawl_is_refused_by_name(server: RedisServer) -> None:
    """R6: each difference is named, so are rows of another version; no message has a password."""

    async def story(crowd: Crowd) -> None:
        await crowd.join()
        with pytest.raises(StateError, match='query was "coral", is "urchins"'):
            await crowd.join(query="urchins")
        with crowd.server.client() as client:
            key = "evocrawl:{evocrawl}:about"
            client.set(key, json.dumps({**ABOUT, "schema": 99}))
            with pytest.raises(
                StateError, match=f"version 99, this evocrawl knows {SCHEMA}"
            ) as refused:
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


def test_results_that_redis_has_lost_are_reported_again(server: RedisServer) -> None:
    """Scripts are loaded and connections made again; pending results arrive in order."""

    async def story(crowd: Crowd) -> None:
        state, calls, connection = await crowd.join()
        other, *_ = await crowd.join()
        lease = await taken(state)
        reached: list[object] = []
        events = WorkerEvents()
        events.report_refused.connect(lambda *_: reached.append(False))
        events.redis_answered.connect(reached.append)
        outbox = Outbox(connection, 10, calls, events)
        sending = asyncio.create_task(outbox.run())
        with crowd.server.client() as client:
            for number in range(30):
                target = link(f"http://a.test/{number}")
                settle = calls.settle(HOST, lease, target.fingerprint, "dead")
                news = calls.news(other.session, "link", HOST, str(number).encode())
                outbox.put(OutboxBatch(calls.offers([(target, None)]), (), [settle], [news]))
                assert outbox.is_offering("a.test")
                if number == 10:
                    client.script_flush()
                if number == 20:
                    client.client_kill_filter(_type="normal", skipme=True)
                    await outbox.sent()
            await outbox.sent()
            assert not outbox.is_offering("a.test")
            sending.cancel()
            assert client.hlen(calls.layout.of(HOST, "done:")[0]) == 30
        reader, *_ = await crowd.join()
        reader.session = other.session
        found = await reader.look("0-0", 100)
        bodies = [each.body for each in found.events]
        later = await reader.look(found.read_to, 100, 1)
        assert (later.events, later.read_to, later.has_changes) == ([], found.read_to, False)
        assert list(dict.fromkeys(bodies)) == [str(number).encode() for number in range(30)]

    run(server, story)


def test_an_outbox_that_cannot_be_emptied_is_full(server: RedisServer) -> None:
    """It reports it, and still keeps further results."""

    async def story(crowd: Crowd) -> None:
        _, calls, connection = await crowd.join()
        outbox = Outbox(connection, 2, calls, WorkerEvents())
        for url in (A, B):
            assert not outbox.full
            outbox.put(OutboxBatch(calls.offers([(link(url), None)])))
        assert outbox.full
        assert len(outbox) == 2

    run(server, story)


def test_links_that_redis_has_already_are_reported_unless_this_worker_may_have_sent_them(
    server: RedisServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another worker found them first. After a lost answer, this one may have sent them itself."""

    async def story(crowd: Crowd) -> None:
        _, calls, connection = await crowd.join()
        events, reported = WorkerEvents(), []
        events.links_offered.connect(lambda *found: reported.append(found))
        outbox = Outbox(connection, 2, calls, events)
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


def test_results_after_a_refused_batch_are_not_sent(server: RedisServer) -> None:
    """`then` is sent when Redis has taken the batch; each refusal is reported with its lease."""

    async def story(crowd: Crowd) -> None:
        state, calls, connection = await crowd.join()
        lease = await taken(state)
        refused: list[tuple[str, str]] = []
        events = WorkerEvents()
        events.report_refused.connect(lambda *what: refused.append(what))
        outbox = Outbox(connection, 9, calls, events)
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
def test_a_shard_with_missing_parts_is_no_empty_shard(server: RedisServer, lost: str) -> None:
    """A worker that comes later cannot join."""

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
    """A Redis that may evict keys causes a warning, and an eviction ends the crawl."""

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
