"""The keys of a crawl lie in slots of a Redis Cluster by shard, and nodes report their slots."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from redis.crc import key_slot

from evocrawl.store.cluster.redis.keys import KeyNames, mark_of
from evocrawl.store.cluster.redis.slots import SLOTS, SlotMap

SHARD_KEYS = (
    "mark", "alive", "owner", "todo", "version",
    "open:", "done:", "pages:", "contents:", "bodies:", "guests:",
)  # fmt: skip


@given(st.text(min_size=1, max_size=30), st.from_regex(r"[A-Za-z0-9_-]{1,64}", fullmatch=True))
def test_all_keys_of_a_shard_are_in_one_slot(host: str, name: str) -> None:
    """Also of a host with braces in its name, which are no hash tag; shards are in many slots."""
    layout = KeyNames(name)
    keys = layout.of(host, *SHARD_KEYS)
    assert {key_slot(each.encode(errors="replace")) for each in keys} == {
        key_slot(mark_of(keys[0]).encode())
    }
    whole = [layout.whole(each) for each in ("mark", "workers", "budget", "changes", "rules:x")]
    assert len({key_slot(each.encode()) for each in whole}) == 1
    assert len({key_slot(layout.shard(each, "mark").encode()) for each in range(64)}) > 50


def test_the_slots_of_nodes_are_read() -> None:
    """Nodes without a host have that of the node that answers; invalid answers are refused."""
    rows = [
        [0, 8191, [b"10.0.0.1", 7000, b"id", []], [b"", 7001, b"id", []]],
        [8192, 16383, [None, 7002, b"id"]],
    ]
    slots = SlotMap.read(rows, ("seed.test", 1))
    assert {slots.owners[0], slots.owners[8191]} == {("10.0.0.1", 7000)}
    assert slots.owners[8192] == ("seed.test", 7002)
    assert slots.replicas == {("10.0.0.1", 7000): (("seed.test", 7001),), ("seed.test", 7002): ()}
    assert SlotMap.read([], ("seed.test", 1)).owner_of("{a}") is None
    for rows in ([[0]], [[0, "x", [b"h", 1]]], [[0, SLOTS, [b"h", 1]]]):
        with pytest.raises(ValueError, match="CLUSTER SLOTS"):
            SlotMap.read(rows, ("seed.test", 1))
