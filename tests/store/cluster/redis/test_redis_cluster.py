"""Workers that share a crawl on a real Redis Cluster, while its nodes fail and slots move."""

from __future__ import annotations

import asyncio
import re
import signal
from pathlib import Path
from typing import Any

import pytest
import redisacl
from certificates import self_signed
from cluster_crowd import HOST, A, B, Crowd, link, run, taken
from hypothesis import given
from hypothesis import strategies as st
from redis.crc import key_slot
from rediscluster import Node, RedisCluster, is_installed
from redisserver import PASSWORD, RedisServer

from evocrawl.core.errors import StateError
from evocrawl.core.urls.identity import fingerprint
from evocrawl.store.cluster.events import WorkerEvents
from evocrawl.store.cluster.redis import lua
from evocrawl.store.cluster.redis.archive import SharedArchive
from evocrawl.store.cluster.redis.changes import StateChanged
from evocrawl.store.cluster.redis.commands import RedisCommands
from evocrawl.store.cluster.redis.connection import Connection, Unreachable
from evocrawl.store.cluster.redis.keys import KeyNames, RedisAddress, mark_of
from evocrawl.store.cluster.redis.outbox import Outbox, OutboxBatch
from evocrawl.store.cluster.redis.persistence_check import Keeping
from evocrawl.store.cluster.redis.remote_steering import RemoteSteering
from evocrawl.store.cluster.redis.slots import SLOTS, SlotMap
from evocrawl.store.cluster.redis.state import ClusterState
from evocrawl.store.cluster.redis.worker_list import WorkerList

HOSTS = [f"h{number}.test" for number in range(40)]
SHARD_KEYS = (
    "mark", "alive", "owner", "todo", "version",
    "open:", "done:", "pages:", "contents:", "bodies:", "guests:",
)  # fmt: skip


@given(st.text(min_size=1, max_size=30), st.from_regex(r"[A-Za-z0-9_-]{1,64}", fullmatch=True))
def test_all_keys_of_a_shard_are_in_one_slot(host: str, name: str) -> None:
    """Also of a host with braces in its name, which are no hash tag; the shards are in many."""
    layout = KeyNames(name)
    keys = layout.of(host, *SHARD_KEYS)
    assert {key_slot(each.encode(errors="replace")) for each in keys} == {
        key_slot(mark_of(keys[0]).encode())
    }
    whole = [layout.whole(each) for each in ("mark", "workers", "budget", "changes", "rules:x")]
    assert len({key_slot(each.encode()) for each in whole}) == 1
    assert len({key_slot(layout.shard(each, "mark").encode()) for each in range(64)}) > 50


def test_the_slots_of_nodes_are_read() -> None:
    """Nodes without a host have that of the node asked; nonsense is refused."""
    rows = [
        [0, 8191, [b"10.0.0.1", 7000, b"id", []], [b"", 7001, b"id", []]],
        [8192, 16383, [None, 7002, b"id"]],
    ]
    slots = SlotMap.read(rows, ("seed.test", 1))
    assert {slots.owners[0], slots.owners[8191]} == {("10.0.0.1", 7000)}
    assert slots.owners[8192] == ("seed.test", 7002)
    assert slots.replicas == {("10.0.0.1", 7000): (("seed.test", 7001),), ("seed.test", 7002): ()}
    assert SlotMap.read([], ("seed.test", 1)).owner_of("{a}") is None
    for rows in ([[0]], [[0, "x", [b"h", 1]]], [[0, SLOTS, [b"h", 1]]]):
        with pytest.raises(ValueError, match="CLUSTER SLOTS"):
            SlotMap.read(rows, ("seed.test", 1))


def test_several_servers_that_are_no_cluster_are_refused(server: RedisServer) -> None:
    """The first that responds is asked; a crawl on one of them would be half a crawl."""
    both = server.url.replace("@", "@127.0.0.1:1,")
    for read in (lambda: asyncio.run(joined(both)), lambda: about(both)):
        with pytest.raises(StateError, match="several servers, but they are no Redis Cluster"):
            read()


async def joined(url: str) -> str:
    """Join the crawl at `url` as one more worker; return its number."""
    connection = Connection(RedisAddress.of(url))
    state = ClusterState(connection, 60_000)
    try:
        await state.join({"query": "coral", "species": "evo"})
    finally:
        await connection.close()
    return state.session


def about(url: str) -> dict[str, Any]:
    with SharedArchive(url) as archive:
        return archive.about()


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


def test_a_primary_that_fails_takes_no_confirmed_change_with_it(cluster: RedisCluster) -> None:
    """Whichever of the three: links, leases, numbers of workers and budget go on as they were."""

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


def test_a_change_counts_when_a_replica_has_it(cluster: RedisCluster) -> None:
    """While the replica is silent the change is not confirmed; after it was replaced, it is."""

    async def story(crowd: Crowd) -> None:
        state, calls, connection = await crowd.join()
        primary = cluster.primary_of(calls.layout.of(HOST, "mark")[0])
        replica = replica_of(cluster, primary)
        replica.process.send_signal(signal.SIGSTOP)
        try:
            with pytest.raises(Unreachable, match="no replica has confirmed"):
                await connection.run_all(calls.offers([(link(A), None)]))
            # Until the cluster knows that it has failed.
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
            while seen[-1]:
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
        bodies = [each.body for each in (await other.news("0-0", 100))[0] if each.body.isdigit()]
        assert list(dict.fromkeys(bodies)) == [str(number).encode() for number in range(40)]

    run(cluster, story)


async def settled(state: ClusterState) -> int:
    """Return the number of links of the host that are done."""
    return len({each async for batch in state.done(HOST) for each in batch})


def test_all_of_a_hash_is_read_that_moves_while_it_is_read(cluster: RedisCluster) -> None:
    """The cursor of one node means nothing to another: all is read again."""

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
    """As after any MOVED."""
    connection._servers._is_current = False  # type: ignore[union-attr]


def test_nodes_that_do_not_keep_rows_or_time_are_warned_of(
    caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One of them is enough; only keys that a node has evicted since then end the crawl."""

    def info(name: str, **more: object) -> dict[str, Any]:
        usual = {"maxmemory_policy": "noeviction", "aof_enabled": 1, "evicted_keys": 9}
        return {"run_id": name, "server_time_usec": 10**15, **usual, **more}

    async def story() -> None:
        connection = Connection(RedisAddress.of("redis://unused.test"))
        keeping = Keeping(connection)

        async def look(*infos: dict[str, Any]) -> str:
            async def reported() -> list[dict[str, Any]]:
                return list(infos)

            caplog.clear()
            monkeypatch.setattr(connection, "infos", reported)
            await keeping.begin()
            return caplog.text

        assert await look() == ""
        assert await look(info("a"), info("b", server_time_usec=10**15 + 1_900_000)) == ""
        assert "differ by 3600 s" in await look(
            info("a"), info("b", server_time_usec=10**15 + 36e8)
        )
        assert "no append-only file" in await look(info("a"), info("b", aof_enabled=0))
        evicting = info("b", maxmemory_policy="allkeys-lru")
        assert "maxmemory-policy allkeys-lru" in await look(info("a"), evicting)
        await keeping.check()
        evicting["evicted_keys"] = 11
        with pytest.raises(StateError, match="has evicted 2 keys"):
            await keeping.check()

    asyncio.run(story())


def test_a_cluster_by_tls_with_the_least_rights(tmp_path: Path) -> None:
    """The users have the rights that the guide names, and no more; no node has a replica."""
    if not is_installed("redis-server"):
        pytest.skip("redis-server is not installed")
    certificate, secret = self_signed(tmp_path, "own"), "an0ther-Secret"
    with RedisCluster(tmp_path, replicas=0, certificate=certificate) as cluster:
        for node in cluster.nodes:
            with cluster.at(node) as client:
                redisacl.add_user(client, "crawler", secret, *redisacl.further("a Redis Cluster"))
                redisacl.add_user(client, "reader", secret, "+cluster|slots", "+command")
        url = cluster.url.replace(f":{PASSWORD}", f"crawler:{secret}")
        assert asyncio.run(joined(url)).isdecimal()
        assert about(url.replace("crawler", "reader"))["query"] == "coral"
        refused = []
        for other in (
            url.replace("crawler", "reader"),
            url.partition("?")[0],
            f"{url}&crawl=other",
        ):
            with pytest.raises(StateError) as error:
                asyncio.run(joined(other))
            refused.append(str(error.value))
            assert secret not in refused[-1]
        assert "no permissions to run the 'evalsha' command" in refused[0]
        assert "its certificate is not trusted" in refused[1]
        assert "no permissions to access" in refused[2].lower()


def test_the_guide_gives_a_worker_the_commands_that_it_uses_and_no_more() -> None:
    """Those of the scripts, and those that the classes of `redis` send by name."""
    folder = Path(lua.__file__).parent
    sent = {
        name
        for module in ("state", "introduction", "connection", "servers", "nodes")
        for name in re.findall(
            r"""(?:ask\(|\()"([a-z_]+)", """, (folder / f"{module}.py").read_text()
        )
    }
    in_scripts = set(re.findall(r"redis\.call\('([A-Z]+)'", "".join(lua.SOURCES.values())))
    used = {each.lower() for each in in_scripts} | (sent & set(COMMANDS_SENT))
    given = {each[1:] for each in redisacl.rules("crawler") if each.startswith("+")}
    assert given == used | {"evalsha", "script|load", "del"}


COMMANDS_SENT = (
    "get", "set", "setnx", "hget", "hset", "hdel", "hmget", "hscan", "hsetnx", "hexists", "lrange",
    "lpush", "ltrim", "zadd", "zrem", "zrange", "zremrangebyrank", "xread",
)  # fmt: skip
