"""A client of a cluster follows the redirections of nodes whose view of the slots is old."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

pytest.importorskip("redis")

from redis import exceptions as errors

from evocrawl.store.cluster.redis import nodes as cluster_nodes
from evocrawl.store.cluster.redis.keys import RedisAddress
from evocrawl.store.cluster.redis.nodes import ClusterNodes, address_of
from evocrawl.store.cluster.redis.slots import SLOTS

OLD, NEW = ("10.0.0.1", 7000), ("10.0.0.2", 7000)
KEY = "evocrawl:{a}:b"


class Node:
    """A substitute for a server that reports `owner` for all slots."""

    def __init__(self, address: tuple[str, int], owner: tuple[str, int]) -> None:
        self.address, self.owner = address, owner
        self.calls: list[str] = []
        self.is_moving = False
        self.replicas: list[tuple[str, int]] = []

    async def execute_command(self, *command: str) -> Any:
        assert command == ("CLUSTER SLOTS",)
        nodes = [[host.encode(), port, b"id", []] for host, port in (self.owner, *self.replicas)]
        return [[0, SLOTS - 1, *nodes]]

    def pipeline(self, transaction: bool) -> Pipeline:
        assert not transaction
        return Pipeline(self)

    async def aclose(self) -> None:
        pass


class Pipeline:
    """A batch for one server."""

    def __init__(self, node: Node) -> None:
        self.node, self.names = node, list[str]()

    def execute_command(self, *command: object) -> None:
        self.names.append(str(command[0]))

    def get(self, _key: str) -> None:
        self.names.append("get")

    async def execute(self, raise_on_error: bool) -> list[Any]:
        assert not raise_on_error
        self.node.calls += self.names
        is_asking = "ASKING" in self.names
        fixed = {"ASKING": b"OK", "WAIT": 1}
        return [fixed.get(each) or self._answer(is_asking) for each in self.names]

    def _answer(self, is_asking: bool) -> Any:
        node = self.node
        if node.is_moving:
            return errors.AskError(f"1 {NEW[0]}:{NEW[1]}")
        if node.address == NEW and (is_asking or node.owner == NEW):
            return b"value"
        return errors.MovedError(f"1 {NEW[0]}:{NEW[1]}")


def nodes_of(old: Node, new: Node) -> ClusterNodes:
    """Return a client of both servers."""
    servers = {OLD: old, NEW: new}
    place = RedisAddress.of(f"redis://{OLD[0]}:{OLD[1]}/?crawl=a")
    return ClusterNodes(place, lambda url: servers[address_of(url)])


def batch(old: Node, new: Node, times: int) -> list[Any]:
    """Send a batch of two commands some times; return all answers."""
    nodes = nodes_of(old, new)

    async def send() -> list[Any]:
        return [each for _ in range(times) for each in await nodes.batch([("get", KEY)] * 2)]

    return asyncio.run(send())


def test_a_node_that_moved_names_is_asked_at_once_and_for_the_slots() -> None:
    """The first node may be the last one to know who serves a slot."""
    old, new = Node(OLD, OLD), Node(NEW, NEW)
    assert batch(old, new, 3) == [b"value"] * 6
    assert (old.calls, new.calls) == (["get"] * 2, ["get"] * 6)


def test_ask_holds_for_one_command() -> None:
    """The next batch goes to the node that serves the slot."""
    old, new = Node(OLD, OLD), Node(NEW, OLD)
    old.is_moving = True
    assert batch(old, new, 2) == [b"value"] * 4
    assert (old.calls, new.calls) == (["get"] * 4, ["ASKING", "get"] * 4)


def test_a_replica_that_comes_later_confirms_changes(monkeypatch: pytest.MonkeyPatch) -> None:
    """After a failover a primary has none for a while; the client looks for one again."""
    old, now_s = Node(OLD, NEW), [0.0]
    new = Node(NEW, NEW)
    monkeypatch.setattr(cluster_nodes, "clock_s", lambda: now_s[0])
    nodes = nodes_of(old, new)

    async def send(at_s: float) -> list[str]:
        now_s[0] = at_s
        new.calls.clear()
        assert await nodes.batch([("get", KEY)], is_kept=True) == [b"value"]
        return new.calls.copy()

    async def story() -> None:
        assert await send(0.0) == ["get"]
        old.replicas = new.replicas = [OLD]
        assert await send(4.9) == ["get"]
        assert await send(5.0) == ["get", "WAIT"]
        assert await send(99.0) == ["get", "WAIT"]

    asyncio.run(story())
