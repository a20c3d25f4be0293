"""A set that can be drawn from at random."""

from __future__ import annotations

from typing import Generic, TypeVar

from numpy.random import Generator

_T = TypeVar("_T")


class Pool(Generic[_T]):
    """A set whose every operation, a uniform draw included, takes O(1).

    A draw depends on the generator and on the history of additions and removals alone, never on
    hash order.

    >>> import numpy as np
    >>> pool = Pool()
    >>> pool.add("a"); pool.add("a"); len(pool), pool.draw(np.random.default_rng(0))
    (1, 'a')
    """

    def __init__(self) -> None:
        self._items: list[_T] = []
        self._places: dict[_T, int] = {}

    def __len__(self) -> int:
        return len(self._items)

    def __contains__(self, item: _T) -> bool:
        return item in self._places

    def add(self, item: _T) -> None:
        """Add `item` unless it is in."""
        if item not in self._places:
            self._places[item] = len(self._items)
            self._items.append(item)

    def discard(self, item: _T) -> None:
        """Remove `item` if it is in; the last item takes its place."""
        place = self._places.pop(item, None)
        if place is None:
            return
        last = self._items.pop()
        if place < len(self._items):
            self._items[place] = last
            self._places[last] = place

    def draw(self, rng: Generator) -> _T | None:
        """Return one item, each with the same probability; None when there is none."""
        return self._items[int(rng.integers(len(self._items)))] if self._items else None
