"""A Redis for the tests of this folder, empty at the beginning of each."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from redisserver import RedisServer


@pytest.fixture(scope="module")
def running_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RedisServer]:
    """Start a server for a module."""
    folder: Path = tmp_path_factory.mktemp("redis")
    with RedisServer(folder) as server:
        yield server


@pytest.fixture
def server(running_server: RedisServer) -> RedisServer:
    """Return the server, emptied."""
    with running_server.client() as client:
        client.flushall()
    return running_server
