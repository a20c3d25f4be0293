"""Workers on a real Redis or a real cluster: hosts, links, records, budget, the end."""

from __future__ import annotations

import asyncio

import pytest
from cluster_crowd import HOST, A, B, Crowd, link, run, taken
from rediscluster import RedisCluster
from redisserver import RedisServer

from evocrawl.core.fetch import FetchDetails
from evocrawl.core.model import Content, Cost, Fetched, Lead, Page
from evocrawl.core.urls.identity import fingerprint
from evocrawl.population.exchange import NO_DIGEST
from evocrawl.store.cluster.redis import state as cluster_state
from evocrawl.store.cluster.redis.answers import Worker
from evocrawl.store.cluster.redis.codec import TravellingAgent
from evocrawl.store.cluster.redis.keys import shard_of

AnyServer = RedisServer | RedisCluster


def test_a_host_is_one_workers_until_its_lease_is_over(any_server: AnyServer) -> None:
    """R3: the next owner gets the number of the former one, whose reports are refused."""

    async def story(crowd: Crowd) -> None:
        first, *_ = await crowd.join()
        lease = await taken(first)
        second, *_ = await crowd.join()
        assert await second.take(HOST) == (False, lease, False)
        assert (await first.take(HOST))[:2] == (True, lease)
        assert await first.renew([shard_of(HOST)]) == ({shard_of(HOST)}, set())
        first.lease_ms = 1
        await first.renew([shard_of(HOST)])
        taken_over = await taken(second)
        assert taken_over.startswith(f"{second.session}.")
        assert await first.renew([shard_of(HOST)]) == (set(), {shard_of(HOST)})
        assert (await first.take(HOST))[0] is False

    run(any_server, story)


def test_any_worker_can_take_a_released_host(any_server: AnyServer) -> None:
    """Its next owner learns that it was another's; only its owner can release it."""

    async def story(crowd: Crowd) -> None:
        first, *_ = await crowd.join()
        second, *_ = await crowd.join()
        lease = await taken(first)
        await second.release({HOST: f"{second.session}.1"})
        assert (await second.take(HOST))[0] is False
        await first.release({HOST: lease})
        assert [*(await second.take(HOST))][::2] == [True, True]

    run(any_server, story)


def test_workers_learn_of_the_leases_of_others_since_their_first_look(
    any_server: AnyServer,
) -> None:
    """Each lease once; their own leases are no news, nor are those before they joined."""

    async def story(crowd: Crowd) -> None:
        first, *_ = await crowd.join()
        await first.welcome({"early.test": f"{first.session}.1"}, are_new=True)
        await asyncio.sleep(0.005)  # a position is a time in milliseconds
        second, *_ = await crowd.join()
        begun = await second.look("0-0", 9)
        assert begun.leases == []
        for state, host in ((first, "a.test"), (second, "b.test"), (first, "c.test")):
            await state.welcome({host: f"{state.session}.1"}, are_new=True)
            await state.welcome({host: f"{state.session}.1"})
        found = await second.look("0-0", 9, leases_after=begun.leases_to)
        assert found.leases == ["a.test", "c.test"]
        assert found.events == []
        later = await second.look("0-0", 9, leases_after=found.leases_to)
        assert (later.leases, later.leases_to) == ([], found.leases_to)

    run(any_server, story)


def test_each_owner_gets_its_links_of_a_page_by_one_call(any_server: AnyServer) -> None:
    """A worker with many links gets them in several events."""

    async def story(crowd: Crowd) -> None:
        first, calls, connection = await crowd.join()
        second, *_ = await crowd.join()
        urls = [f"http://a.test/{number}" for number in range(230)]
        rows = [(HOST, fingerprint(url).hex(), f'{{"url": "{url}"}}') for url in urls]
        by_owner = {first.session: rows[:1], second.session: rows}
        assert await connection.run_all([calls.found(NO_DIGEST, by_owner)]) == [1]
        for state, counts in ((first, [1]), (second, [100, 100, 30])):
            news = await state.look("0-0", 9)
            found = [calls.rows.unpack_found(each.body, {HOST})[1] for each in news.events]
            assert [len(each) for each in found] == counts
            assert [one.fingerprint.hex() for each in found for _, one, _ in each] == [
                target for _, target, _ in by_owner[state.session]
            ]

    run(any_server, story)


def test_a_worker_whose_lease_has_expired_changes_nothing(any_server: AnyServer) -> None:
    """A settle or a record under an expired lease is refused: the link stays open."""

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

    run(any_server, story)


def test_a_link_is_open_once_and_never_again_when_it_is_done(any_server: AnyServer) -> None:
    """Its host has work as long as it has an open link, and is vacant while no worker owns it.

    Its owner finds it, too, if it has lost the list of its hosts.
    """

    async def story(crowd: Crowd) -> None:
        state, calls, connection = await crowd.join()
        other, *_ = await crowd.join()
        offer = calls.offers([(link(A), None), (link(B), None)])
        assert await connection.run_all(calls.offers([(link(B), None)])) == [[b"", [], []]]
        assert await connection.run_all(offer) == [[b"", [1], []]]
        assert await connection.run_all(offer) == [[b"", [0, 1], []]]
        assert await state.vacant(range(64), 9) == [HOST]
        lease = await taken(state)
        assert await other.vacant(range(64), 9) == []
        assert await state.vacant(range(64), 9) == [HOST]
        for url in (A, B):
            assert not await state.is_exhausted()
            await connection.run_all([calls.settle(HOST, lease, fingerprint(url), "dead")])
        assert await state.is_exhausted()
        assert await connection.run_all(offer) == [[state.session.encode(), [], [0, 1]]]
        assert not await state.has_open(HOST)
        found = [target async for targets in state.done(HOST) for target in targets]
        assert sorted(found) == sorted(fingerprint(url).hex().encode() for url in (A, B))

    run(any_server, story)


def test_the_end_is_not_seen_while_links_move(any_server: AnyServer) -> None:
    """A link that comes and goes between two checks of its shard may have led to others."""

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

    run(any_server, story)


def test_the_budget_of_all_is_never_exceeded(any_server: AnyServer) -> None:
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

    run(any_server, story)


def test_guests_are_taken_in_by_the_owner_alone(any_server: AnyServer) -> None:
    """Once, also if two events report their arrival."""

    async def story(crowd: Crowd) -> None:
        first, calls, connection = await crowd.join()
        second, *_ = await crowd.join()
        lease = await taken(second)
        visit = calls.visit(HOST, TravellingAgent("evo", 1.5, b"p"))
        await connection.run_all([visit, visit])
        assert await first.welcome({HOST: f"{first.session}.1"}) == []
        assert [host for host, _ in await second.welcome({HOST: lease})] == [HOST]
        assert await second.welcome({HOST: lease}) == []

    run(any_server, story)


def test_heartbeats_return_all_live_workers(any_server: AnyServer) -> None:
    """Workers that are silent or leave are not among them; invalid rows never are."""

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

    run(any_server, story)


def test_the_chance_of_a_workers_best_link_dies_out_before_the_worker(
    any_server: AnyServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Redis measures its age, from the latest heartbeat."""

    async def story(crowd: Crowd) -> None:
        first, *_ = await crowd.join()
        second, *_ = await crowd.join()
        await first.beat(3, 0, chance=0.125)
        assert await second.beat(0, 2, chance=1.0) == [
            Worker(first.session, 3, 0, 0.125), Worker(second.session, 0, 2, 1.0)
        ]  # fmt: skip
        with crowd.server.client() as client:
            row = f"{10**15} 1 0 {'9' * 400} {10**15}"
            client.hset(first.layout.whole("workers"), "hostile", row)
            assert 1.0 in [each.chance for each in await first.beat(3, 0, chance=0.125)]
            client.hdel(first.layout.whole("workers"), "hostile")
        monkeypatch.setattr(cluster_state, "FRESH_MS", 0)
        await asyncio.sleep(0.01)
        late = {each.session: each.chance for each in await second.beat(0, 2, chance=0.5)}
        assert late == {first.session: 0.0, second.session: 0.5}

    run(any_server, story)
