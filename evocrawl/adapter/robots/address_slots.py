"""Limits how many robots.txt are fetched at once from one address."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field
from typing import Generic, TypeVar

T = TypeVar("T")


@dataclass(slots=True)
class _Address(Generic[T]):
    taken: int = 0
    kept_out: deque[T] = field(default_factory=deque)


class AddressSlots(Generic[T]):
    """Gives out `most` places at each address, first come, first served.

    The address "" stands for an unknown one and has room for all.

    >>> places = AddressSlots[str](1)
    >>> places.enter("a", "192.0.2.1"), places.enter("b", "192.0.2.1"), places.enter("c", "")
    (True, False, True)
    >>> places.leave("192.0.2.1"), places.leave("192.0.2.1")
    ('b', None)
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self._addresses: dict[str, _Address[T]] = {}

    def enter(self, each: T, address: str) -> bool:
        """Take a place; return False if none is free: the key then waits. O(1)."""
        if not address:
            return True
        here = self._addresses.setdefault(address, _Address())
        if here.taken < self._most:
            here.taken += 1
            return True
        here.kept_out.append(each)
        return False

    def hurry(self, each: T, address: str) -> None:
        """Let this key be the next of those that wait for an address. O(waiting)."""
        kept_out = self._addresses[address].kept_out
        kept_out.remove(each)
        kept_out.appendleft(each)

    def leave(self, address: str) -> T | None:
        """Give a place back; return the key that gets it, None if no key waits. O(1)."""
        if not address:
            return None
        here = self._addresses[address]
        if here.kept_out:
            return here.kept_out.popleft()
        here.taken -= 1
        if not here.taken:
            del self._addresses[address]
        return None
