"""Workers without Scrapy on a real Redis, killed at random instants: nothing is lost or doubled."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from crowd import AT_ONCE, Hand, Pick, Seen, crawl
from redisserver import RedisServer
from tiny_webs import Web, random_web

from evocrawl.core.urls.identity import host_of
from evocrawl.store.cluster.redis.archive import SharedArchive
from evocrawl.store.cluster.redis.connection import Unreachable
from evocrawl.store.cluster.redis.keys import shard_of
from evocrawl.store.cluster.redis.state import ClusterState


def still_web(rng: np.random.Generator, pages: int = 250) -> Web:
    """Return a web without redirects."""
    return replace(random_web(rng, pages, hosts=pages // 10), moved={})


def check_whole(server: RedisServer, seen: Seen) -> None:
    """Check that every page is recorded once, and no host had two requests at once."""
    with SharedArchive(server.url) as archive:
        recorded = Counter(page.url for page in archive.pages())
    seed = next(iter(seen.web.links))
    assert set(recorded) == seen.web.reachable([seed]) - set(seen.web.failing)
    assert set(recorded.values()) == {1}
    assert seen.most == 1


def repeats(seen: Seen) -> int:
    return sum(times - 1 for times in seen.asked.values())


@pytest.mark.parametrize("species", ["evo", "energy", "random"])
def test_kills_at_random_instants_lose_nothing(server: RedisServer, species: str) -> None:
    """R1, C3: every page is recorded once.

    Repeats are bounded, and no host has two requests at once.
    """
    rng, kills = np.random.default_rng(1), 8
    web = still_web(rng)

    async def at_random(hands: list[Hand]) -> Hand:
        await asyncio.sleep(float(rng.uniform(0.05, 0.4)))
        return hands[int(rng.integers(len(hands)))]

    async def play(pick: Pick) -> Seen:
        seen = Seen(web)
        await crawl(lambda: Hand(server.url, seen, species, {}), 3, kills, pick)
        return seen

    seen = asyncio.run(play(at_random))
    check_whole(server, seen)
    assert repeats(seen) <= kills * 2 * AT_ONCE


def test_a_host_that_could_not_be_released_is_fetched(
    server: RedisServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """B073: Redis still names a worker that has released it, and that is alive in its shard."""
    web = still_web(np.random.default_rng(3), 400)
    kept: list[set[str]] = []
    release = ClusterState.release

    async def break_off(self: ClusterState, leases: Mapping[str, str]) -> None:
        if leases and len(kept) < 3:
            kept.append(set(leases))
            raise Unreachable
        await release(self, leases)

    monkeypatch.setattr(ClusterState, "release", break_off)

    async def play() -> Seen:
        seen = Seen(web)
        await crawl(lambda: Hand(server.url, seen, "energy", {}), 2)
        return seen

    check_whole(server, asyncio.run(play()))
    shards = [shard_of(host) for host in {host_of(url) for url in web.links}]
    assert any(shards.count(shard_of(host)) > 1 for hosts in kept for host in hosts)


def test_links_put_off_outlive_the_worker_that_put_them_off(server: RedisServer) -> None:
    """R1: one of two pages fails once, and the worker that should try it again is killed.

    That happens five times, with AT_ONCE requests or more between one kill and the next.
    """
    kills = 5
    web = still_web(np.random.default_rng(2), 150)
    flaky = frozenset(list(web.links)[::2]) - set(web.failing)
    killed_with: list[int] = []

    async def play() -> Seen:
        seen = Seen(web, flaky)

        async def who_put_off(hands: list[Hand]) -> Hand:
            while not seen.put_off.empty():
                seen.put_off.get_nowait()
            asked_before = killed_with[-1] if killed_with else 0
            while True:
                hand = await seen.put_off.get()
                if hand in hands and seen.asked.total() >= asked_before + AT_ONCE:
                    break
            killed_with.append(seen.asked.total())
            return hand

        await crawl(lambda: Hand(server.url, seen, "energy", {}), 3, kills, who_put_off)
        return seen

    seen = asyncio.run(play())
    check_whole(server, seen)
    assert len(killed_with) == kills
    assert all(later - earlier >= AT_ONCE for earlier, later in pairwise(killed_with))
    assert all(seen.asked[url] >= 2 for url in flaky & seen.asked.keys())
    assert repeats(seen) <= kills * 2 * AT_ONCE + len(flaky)
