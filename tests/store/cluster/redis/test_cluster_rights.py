"""A user of Redis needs the rights that the guide names, and no more; connections may use TLS."""

from __future__ import annotations

import asyncio
import re
from pathlib import Path

import pytest
import redisacl
from certificates import self_signed
from cluster_crowd import about, joined
from rediscluster import RedisCluster, is_installed
from redisserver import PASSWORD

from evocrawl.core.errors import StateError
from evocrawl.store.cluster.redis import lua


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
