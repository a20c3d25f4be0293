"""Which node of a Redis Cluster serves which slot, as its nodes report it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, TypeAlias

from redis.crc import key_slot

Address: TypeAlias = tuple[str, int]
"""Host and port of a node."""

SLOTS = 16384


@dataclass(slots=True)
class SlotMap:
    """The primary of each slot, and the replicas of each primary."""

    owners: list[Address | None] = field(default_factory=lambda: [None] * SLOTS)
    replicas: dict[Address, tuple[Address, ...]] = field(default_factory=dict)

    @classmethod
    def read(cls, rows: Sequence[Any], asked: Address) -> SlotMap:
        """Read the answer to CLUSTER SLOTS of the node `asked`.

        A row is first slot, last slot, primary, replica, …; a node is host, port, …. Without a host
        it is that of the node asked. Replicas that have failed are not in the answer. Raises
        ValueError.
        """
        found = cls()
        try:
            for first, last, primary, *replicas in rows:
                owner = _address(primary, asked)
                found.owners[int(first) : int(last) + 1] = [owner] * (int(last) + 1 - int(first))
                found.replicas[owner] = tuple(_address(each, asked) for each in replicas)
        except (TypeError, ValueError, IndexError) as error:
            raise ValueError(f"CLUSTER SLOTS cannot be read: {error!r}") from None
        if len(found.owners) != SLOTS:
            raise ValueError("CLUSTER SLOTS names slots that do not exist")
        return found

    def addresses(self) -> list[Address]:
        """Return primaries, then replicas."""
        replicas = [each for group in self.replicas.values() for each in group]
        return list(dict.fromkeys([*self.replicas, *replicas]))

    def owner_of(self, key: str) -> Address | None:
        """Return the primary that serves the key; None if no node does. O(1)."""
        return self.owners[_slot_of(key.partition("}")[0])]


@lru_cache(maxsize=1024)
def _slot_of(begin: str) -> int:
    """Return the slot of the keys that begin so, up to the end of their hash tag."""
    return int(key_slot(f"{begin}}}".encode()))


def _address(node: Sequence[Any], asked: Address) -> Address:
    host, port = node[0], int(node[1])
    name = host.decode() if isinstance(host, bytes) else str(host or "")
    return (name if name not in ("", "?") else asked[0]), port
