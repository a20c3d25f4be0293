"""How often a worker scans for hosts without an owner, and looks for news."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable

import pytest
from crowd import BOUNDS
from tiny_webs import link, make_population

from evocrawl.store.cluster.quotas import ClusterTerms
from evocrawl.store.cluster.redis.answers import HUNGRY, IDLE, News
from evocrawl.store.cluster.redis.cluster_event import ClusterEvent
from evocrawl.store.cluster.redis.keys import RedisAddress
from evocrawl.store.cluster.worker import ClusterWorker
from evocrawl.store.journal.codec import NoPayloads


def test_scans_are_less_and_less_often_while_there_are_no_hosts(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """At least one a second; after a find, or without any work, it scans at once."""
    scans: list[bool] = []
    finds = False
    now_s = 0.0

    async def scan(most: int, *, everywhere: bool) -> bool:  # noqa: ARG001 - the method's form
        scans.append(everywhere)
        return finds

    def scans_in(seconds: float, need: int) -> int:
        nonlocal now_s
        before = len(scans)
        for _ in range(round(10 * seconds)):
            now_s += 0.1
            asyncio.run(worker.poller.scan(need))
        return len(scans) - before

    population, _ = make_population(bounds=BOUNDS)
    place, terms = RedisAddress.of("redis://unused.test"), ClusterTerms(None, BOUNDS, 15.0, 60.0)
    worker = ClusterWorker(place, population, NoPayloads(), terms)
    monkeypatch.setattr(worker.host_leases, "scan", scan)
    monkeypatch.setattr(worker.host_leases.table, "clock", lambda: now_s)
    assert 3 <= scans_in(2.0, HUNGRY) <= 5
    assert scans_in(5.0, HUNGRY) <= 6
    assert scans_in(1.0, 0) == 0
    assert not any(scans)
    assert scans_in(1.0, IDLE) == 10
    assert all(scans[-10:])
    finds = True
    scans_in(1.0, IDLE)
    assert scans_in(1.0, HUNGRY) >= 5


def test_a_worker_with_enough_hosts_looks_for_news_every_two_seconds(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """One with few hosts looks twice a second while it fetches a page, and each time if it does
    not; so does one that has not read all news.
    """
    looks, now_s, is_behind = 0, 0.0, False

    async def look(after: str, most: int, *_: object) -> News:
        nonlocal looks
        looks += 1
        return News([ClusterEvent("1", "guest", "a.test")] * (most * is_behind), after)

    def looks_in(seconds: float, need: int) -> int:
        nonlocal now_s
        before = looks
        for _ in range(round(10 * seconds)):
            now_s += 0.1
            asyncio.run(worker.poller.listen(need))
        return looks - before

    population, _ = make_population(bounds=BOUNDS)
    place, terms = RedisAddress.of("redis://unused.test"), ClusterTerms(None, BOUNDS, 15.0, 60.0)
    worker = ClusterWorker(place, population, NoPayloads(), terms)
    monkeypatch.setattr(worker.poller._news._state, "look", look)
    monkeypatch.setattr(worker.host_leases.table, "clock", lambda: now_s)
    assert looks_in(9.0, 0) in (4, 5)
    assert looks_in(1.0, HUNGRY) == looks_in(1.0, IDLE) == 10
    population.place([link("http://a.test/")])
    assert population.choose(0.0) is not None
    assert 15 <= looks_in(9.0, HUNGRY) <= 18
    assert looks_in(9.0, 0) in (4, 5)
    is_behind = True
    looks_in(2.0, 0)
    assert looks_in(1.0, 0) == 10


def test_links_are_shown_in_one_step_although_agents_have_come_between_them(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The agents arrive after all links, those for one host together."""
    steps: list[list[bytes | str]] = []
    kinds = ("link", "guest", "link", "guest", "link")

    async def look(after: str, *_: object) -> News:
        return News(
            [ClusterEvent("1", kind, "a.test", b"%d" % at) for at, kind in enumerate(kinds)], after
        )

    async def note(some: Iterable[bytes | str]) -> None:
        steps.append([*some])

    population, _ = make_population(bounds=BOUNDS)
    place, terms = RedisAddress.of("redis://unused.test"), ClusterTerms(None, BOUNDS, 15.0, 60.0)
    worker = ClusterWorker(place, population, NoPayloads(), terms)
    monkeypatch.setattr(worker._state, "look", look)
    monkeypatch.setattr(worker.host_leases, "show_found", note)
    monkeypatch.setattr(worker.host_leases, "welcome", note)
    assert asyncio.run(worker._news.listen(0))
    assert steps == [[b"0", b"2", b"4"], ["a.test"]]
