"""A client of a cluster follows the redirections of nodes whose view of the slots is old."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

pytest.importorskip("redis")

from redis import exceptions as errors

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

    async def execute_command(self, *command: str) -> Any:
        assert command == ("CLUSTER SLOTS",)
        return [[0, SLOTS - 1, [self.owner[0].encode(), self.owner[1], b"id", []]]]

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
        return [b"OK" if each == "ASKING" else self._answer(is_asking) for each in self.names]

    def _answer(self, is_asking: bool) -> Any:
        node = self.node
        if node.is_moving:
            return errors.AskError(f"1 {NEW[0]}:{NEW[1]}")
        if node.address == NEW and (is_asking or node.owner == NEW):
            return b"value"
        return errors.MovedError(f"1 {NEW[0]}:{NEW[1]}")


def batch(old: Node, new: Node, times: int) -> list[Any]:
    """Send a batch of two commands some times; return all answers."""
    servers = {OLD: old, NEW: new}
    place = RedisAddress.of(f"redis://{OLD[0]}:{OLD[1]}/?crawl=a")
    nodes = ClusterNodes(place, lambda url: servers[address_of(url)])

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
