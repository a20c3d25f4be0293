"""A cluster of Redis or Valkey servers, empty and whole at the beginning of each test."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from rediscluster import RedisCluster, is_installed, programs


@pytest.fixture(scope="session", params=programs())
def running_cluster(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[RedisCluster]:
    """Start one for all tests."""
    if not is_installed(request.param):
        pytest.skip(f"{request.param} is not installed")
    with RedisCluster(tmp_path_factory.mktemp(request.param), request.param) as cluster:
        yield cluster


@pytest.fixture
def cluster(running_cluster: RedisCluster) -> RedisCluster:
    """Start nodes that a test has ended again, and empty all."""
    for node in running_cluster.nodes:
        if node.process is None:
            running_cluster.start_node(node)
    running_cluster.wait_until_whole()
    running_cluster.flush()
    return running_cluster
