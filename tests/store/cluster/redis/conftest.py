"""A cluster of Redis or Valkey servers, empty and whole at the beginning of each test."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack

import pytest
from rediscluster import RedisCluster, is_installed, programs
from redisserver import RedisServer

Clusters = Callable[[str], RedisCluster]


@pytest.fixture(scope="session")
def clusters(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Clusters]:
    """Start one of each program that a test needs."""
    started: dict[str, RedisCluster] = {}
    with ExitStack() as stack:

        def start(program: str) -> RedisCluster:
            if not is_installed(program):
                pytest.skip(f"{program} is not installed")
            if program not in started:
                folder = tmp_path_factory.mktemp(program)
                started[program] = stack.enter_context(RedisCluster(folder, program))
            started[program].mend()
            started[program].flush()
            return started[program]

        yield start


@pytest.fixture(params=programs())
def cluster(request: pytest.FixtureRequest, clusters: Clusters) -> RedisCluster:
    """Return a cluster of Redis, and one of Valkey."""
    return clusters(request.param)


@pytest.fixture(params=["one", *programs()])
def any_server(
    request: pytest.FixtureRequest, server: RedisServer, clusters: Clusters
) -> RedisServer | RedisCluster:
    """Return a single Redis, and a cluster of each program."""
    return server if request.param == "one" else clusters(request.param)
