"""Several workers on a real Redis Cluster: a primary fails and slots move during the crawl."""

from __future__ import annotations

import math
from contextlib import ExitStack
from pathlib import Path

import pytest
from rediscluster import RedisCluster, is_installed, programs
from redisserver import PASSWORD
from workers import Fleet, ManyHosts, check_whole, repeats

from evocrawl.store.cluster.redis.archive import SharedArchive
from evocrawl.store.cluster.redis.keys import KeyNames

COMMON = {"CONCURRENT_REQUESTS": 8}
BUDGET = 90


@pytest.mark.takes_s(30)
@pytest.mark.parametrize("program", programs())
def test_workers_share_a_crawl_on_a_cluster(serve, tmp_path: Path, program: str) -> None:
    """Each page is fetched once, and the budget is used exactly, while nodes and slots change.

    The primary of the budget is killed in the first part, which the budget ends. In the second part
    a third of the shards move to other nodes.
    """
    if not is_installed(program):
        pytest.skip(f"{program} is not installed")
    web = ManyHosts(pages=150, hosts=30, delay_s=0.05)
    layout = KeyNames("evocrawl")
    with RedisCluster(tmp_path, program) as cluster:
        fleet = Fleet(serve(web.sites()), cluster, tmp_path)
        try:
            options = {"seeds": web.url(0), "lease_s": 60}
            fleet.start(2, {**options, "max_requests": BUDGET}, **COMMON)
            fleet.wait_for_requests(25)
            killed = cluster.primary_of(layout.whole("budget"))
            killed.kill()
            assert fleet.wait() == [0, 0]
            assert BUDGET - 10 <= len(fleet.proxy.log) <= BUDGET
            assert cluster.primary_of(layout.whole("budget")) is not killed
            assert "is not responding; pausing new requests" in fleet.log()
            cluster.start_node(killed)
            cluster.wait_until_whole()
            web.delay_s = 0.4
            web.most_answers = web.pages - 45  # the crawl lasts until all shards are moved
            fleet.start(2, {**options, "max_requests": 0}, **COMMON)
            fleet.wait_for_requests(BUDGET + 5)
            move_shards(cluster, layout, range(20))
            assert fleet.asked().total() < web.pages
            web.most_answers = math.inf
            assert fleet.wait() == [0] * 4
            check_whole(fleet, web)
            with SharedArchive(cluster.url) as archive:
                assert {page.url for page in archive.pages()} == set(fleet.recorded())
            assert repeats(fleet.asked().values()) == 0
            assert PASSWORD not in fleet.log()
        finally:
            fleet.stop()


def move_shards(cluster: RedisCluster, layout: KeyNames, shards: range) -> None:
    """Move each of these shards to another primary; begin with one key of each."""
    primaries = cluster.primaries()
    with ExitStack() as moves:
        for shard in shards:
            mark = layout.shard(shard, "mark")
            source = cluster.primary_of(mark)
            target = primaries[(primaries.index(source) + 1) % len(primaries)]
            move = moves.enter_context(cluster.migrating(cluster.slot_of(mark), source, target))
            move(1)
