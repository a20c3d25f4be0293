"""Workers that share a crawl on a real Redis Cluster, while its nodes fail and slots move."""

from __future__ import annotations

import asyncio
import signal
from typing import Any

import pytest
from cluster_crowd import HOST, A, B, Crowd, about, joined, link, run, taken
from rediscluster import Node, RedisCluster
from redisserver import PASSWORD, RedisServer

from evocrawl.core.errors import StateError
from evocrawl.core.urls.identity import fingerprint
from evocrawl.store.cluster.events import WorkerEvents
from evocrawl.store.cluster.redis.archive import SharedArchive
from evocrawl.store.cluster.redis.changes import StateChanged
from evocrawl.store.cluster.redis.commands import RedisCommands
from evocrawl.store.cluster.redis.connection import Connection, Unreachable
from evocrawl.store.cluster.redis.outbox import Outbox, OutboxBatch
from evocrawl.store.cluster.redis.remote_steering import RemoteSteering
from evocrawl.store.cluster.redis.state import ClusterState
from evocrawl.store.cluster.redis.worker_list import WorkerList

HOSTS = [f"h{number}.test" for number in range(40)]


def test_several_servers_that_are_no_cluster_are_refused(server: RedisServer) -> None:
    """A crawl on one of them would be incomplete."""
    both = server.url.replace("@", "@127.0.0.1:1,")
    for read in (lambda: asyncio.run(joined(both)), lambda: about(both)):
        with pytest.raises(StateError, match="several servers, but they are no Redis Cluster"):
            read()


def test_a_database_in_a_cluster_is_refused(cluster: RedisCluster) -> None:
    """A cluster has the database 0 only; it may be named."""
    assert asyncio.run(joined(f"{cluster.url}/0")).isdecimal()
    for read in (lambda url: asyncio.run(joined(url)), about):
        with pytest.raises(StateError, match=r"no database but 0|DB index is out") as refused:
            read(f"{cluster.url}/2")
        assert PASSWORD not in str(refused.value)


def test_one_node_that_responds_is_enough_to_join(cluster: RedisCluster) -> None:
    """Others may be named that do not."""
    url = cluster.url.replace("@", "@127.0.0.1:1,")
    assert asyncio.run(joined(url)).isdecimal()
    assert about(url)["query"] == "coral"


async def offered(connection: Connection, calls: RedisCommands, urls: list[str]) -> list[int]:
    """Offer a link of each URL until Redis has all; return how many it had of each already."""
    batches = calls.offers([(link(url), None) for url in urls])
    while True:
        try:
            return [len(found[1]) for found in await connection.run_all(batches)]
        except Unreachable:
            await asyncio.sleep(0.05)


URLS = [f"http://{host}/1" for host in HOSTS]


def test_a_crawl_is_read_and_steered_from_outside(cluster: RedisCluster) -> None:
    """`SharedArchive` finds the hosts at all nodes; a user's change reaches the workers."""

    async def story(crowd: Crowd) -> None:
        state, calls, connection = await crowd.join()
        await offered(connection, calls, URLS)
        for host in HOSTS:
            lease = await taken(state, host)
            target = fingerprint(f"http://{host}/1")
            await connection.run_all([calls.settle(host, lease, target, "dead")])
        with SharedArchive(cluster.url) as archive:
            steering = RemoteSteering(archive)
            assert len(list(archive.ops())) == 2 * len(HOSTS)
            assert steering.workers() == 1
            [worker] = WorkerList(archive).workers()
            assert worker.hosts == tuple(sorted(HOSTS))
            steering.send(StateChanged("paused"))
        assert b"paused" in (await state.changes(0, 9))[-1]
        assert await state.is_exhausted()

    run(cluster, story)


def test_a_change_counts_when_a_replica_has_it(cluster: RedisCluster) -> None:
    """While the replica is silent the change is not confirmed; after it was replaced, it is."""

    cluster.wait_until_replicas_are_named()

    async def story(crowd: Crowd) -> None:
        state, calls, connection = await crowd.join()
        primary = cluster.primary_of(calls.layout.of(HOST, "mark")[0])
        replica = replica_of(cluster, primary)
        replica.process.send_signal(signal.SIGSTOP)
        try:
            with pytest.raises(Unreachable, match="no replica has confirmed"):
                await connection.run_all(calls.offers([(link(A), None)]))
            # Until the cluster has noticed the failure.
            await offered(connection, calls, [A, B])
            known = {key async for batch in state.open_links(HOST) for key, _ in batch}
            assert known == {fingerprint(url).hex().encode() for url in (A, B)}
        finally:
            replica.process.send_signal(signal.SIGCONT)

    run(cluster, story)


def replica_of(cluster: RedisCluster, primary: Node) -> Any:
    with cluster.at(primary) as client:
        port = client.info("replication")["slave0"]["port"]
    return next(each for each in cluster.nodes if each.port == port)


def test_a_primary_that_fails_takes_no_confirmed_change_with_it(cluster: RedisCluster) -> None:
    """For each of the three: links, leases, numbers of workers and budget are kept."""

    async def story(crowd: Crowd) -> None:
        state, calls, connection = await crowd.join()
        assert await state.budget(40, 100, 1) == (40, 60)
        assert sum(await offered(connection, calls, URLS[:20])) == 0
        lease = await taken(state)
        killed = cluster.primary_of("evocrawl:{evocrawl}:budget")
        killed.kill()
        assert await state.budget(40, 100, 1) == (30, 30)
        assert await offered(connection, calls, URLS) == [1] * 20 + [0] * 20
        assert await state.take(HOST) == (True, lease, False)
        other, *_ = await crowd.join()
        assert int(other.session) == int(state.session) + 1
        assert sorted(await state.vacant(range(64), 9)) == sorted(HOSTS)
        cluster.start_node(killed)

    run(cluster, story)


def test_results_arrive_once_and_in_order_while_their_slot_moves(cluster: RedisCluster) -> None:
    """Before, while some keys of the slot have moved (TRYAGAIN, ASK), and after it (MOVED)."""

    async def story(crowd: Crowd) -> None:
        state, calls, connection = await crowd.join()
        other, *_ = await crowd.join()
        lease = await taken(state)
        mark = calls.layout.of(HOST, "mark")[0]
        source = cluster.primary_of(mark)
        target = next(each for each in cluster.primaries() if each is not source)
        events, seen = WorkerEvents(), []
        events.redis_answered.connect(seen.append)
        outbox = Outbox(connection, 99, calls, events)
        sending = asyncio.create_task(outbox.run())

        def put(numbers: range) -> None:
            for number in numbers:
                found = link(f"http://{HOST}/{number}")
                settle = calls.settle(HOST, lease, found.fingerprint, "dead")
                news = calls.news(other.session, "link", HOST, str(number).encode())
                outbox.put(OutboxBatch(calls.offers([(found, None)]), (), [settle], [news]))

        put(range(10))
        await outbox.sent()
        with cluster.migrating(cluster.slot_of(mark), source, target) as move:
            move(2)
            put(range(10, 20))
            while seen[-1] is None:
                assert not sending.done()
                await asyncio.sleep(0.01)
            move()
            put(range(20, 30))
            assert await settled(state) >= 10
        put(range(30, 40))
        await asyncio.wait(
            [sending, sent := asyncio.ensure_future(outbox.sent())],
            return_when=asyncio.FIRST_COMPLETED,
        )
        assert sent.done()
        assert await settled(state) == 40
        sending.cancel()
        bodies = [
            each.body for each in (await other.look("0-0", 100)).events if each.body.isdigit()
        ]
        assert list(dict.fromkeys(bodies)) == [str(number).encode() for number in range(40)]

    run(cluster, story)


async def settled(state: ClusterState) -> int:
    """Return the number of links of the host that are done."""
    return len({each async for batch in state.done(HOST) for each in batch})


def test_all_of_a_hash_is_read_that_moves_while_it_is_read(cluster: RedisCluster) -> None:
    """The cursor of one node is not valid at another: all is read again."""

    async def story(crowd: Crowd) -> None:
        state, calls, connection = await crowd.join()
        urls = [f"http://{HOST}/{number}" for number in range(3000)]
        await offered(connection, calls, urls)
        mark = calls.layout.of(HOST, "mark")[0]
        wanted = {fingerprint(url).hex().encode() for url in urls}
        for ends_before in (False, True):
            source = cluster.primary_of(mark)
            target = next(each for each in cluster.primaries() if each is not source)
            moving = cluster.migrating(cluster.slot_of(mark), source, target)
            move, found = moving.__enter__(), set()
            batches = 0
            async for batch in state.open_links(HOST):
                found |= {key for key, _ in batch}
                batches += 1
                if batches == 2:
                    move()
                    if ends_before:
                        moving.__exit__(None, None, None)
                        connection_looks_again(connection)
            if not ends_before:
                moving.__exit__(None, None, None)
            assert found == wanted
            assert batches > 2

    run(cluster, story)


def connection_looks_again(connection: Connection) -> None:
    """Look up the slots again, as after any MOVED."""
    connection._servers._is_current = False  # type: ignore[union-attr]
