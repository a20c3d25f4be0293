"""All rows with an open link in turn: some of them are scored again at each look."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable, Iterator, Sequence

from evocrawl.species.evo.interfaces import LeadsByRow

_SWEPT = 32
_SWEPT_AT_ONCE = 1024


class Sweep:
    """Rows in turn; those whose link is not open any more leave, and their links leave `leads`."""

    def __init__(self, leads: LeadsByRow) -> None:
        self._leads = leads
        self._turns = array("I")
        self._next_turn = 0
        self._to_sweep = 0

    def __iter__(self) -> Iterator[int]:
        return iter(self._turns)

    def add(self, rows: Iterable[int]) -> None:
        """Add rows that are not in."""
        self._turns.extend(rows)

    def hurry(self) -> None:
        """Let all rows have a turn within the next looks, `_SWEPT_AT_ONCE` in each."""
        self._to_sweep = len(self._turns)

    def next(self, open_of: Callable[[Sequence[int]], set[int]]) -> set[int]:
        """Return the next open rows in turn; `open_of` returns those of some rows that are open."""
        turns = self._turns
        most = _SWEPT_AT_ONCE if self._to_sweep > 0 else _SWEPT
        self._to_sweep -= most
        count = min(most, len(turns))
        self._next_turn %= max(len(turns), 1)
        end = self._next_turn + count
        around = max(end - len(turns), 0)
        ahead = turns[self._next_turn : end] + turns[:around]
        are_open = open_of(ahead)
        if len(are_open) == count:
            self._next_turn = around or end
            return are_open
        swept = set[int]()
        for _ in range(count):
            self._next_turn %= max(len(turns), 1)
            row = turns[self._next_turn]
            if row in are_open or (row not in ahead and open_of((row,))):
                swept.add(row)
                self._next_turn += 1
            else:
                self._leads.forget(row)
                last = turns.pop()
                if self._next_turn < len(turns):
                    turns[self._next_turn] = last
                if not turns:
                    break
        return swept
