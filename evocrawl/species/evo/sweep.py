"""All rows with an open link in turn: some of them are scored again at each look."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable, Iterator, Sequence
from collections.abc import Set as AbstractSet

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

    def ahead(self) -> Sequence[int]:
        """Return the rows whose turn is next, open or not."""
        turns = self._turns
        self._next_turn %= max(len(turns), 1)
        end = self._next_turn + min(self._at_once, len(turns))
        return turns[self._next_turn : end] + turns[: max(end - len(turns), 0)]

    def next(
        self, ahead: Sequence[int], are_open: AbstractSet[int], is_open: Callable[[int], bool]
    ) -> set[int]:
        """Return the next open rows in turn, and go on.

        `ahead` are those that the method `ahead` has returned; `are_open` has the open ones of
        them. `is_open` is asked about further rows, which take the place of the others.
        """
        turns, count = self._turns, len(ahead)
        self._to_sweep -= self._at_once
        swept, known = set[int](), {*ahead}
        if known <= are_open:
            end = self._next_turn + count
            self._next_turn = max(end - len(turns), 0) or end
            return known
        for _ in range(count):
            self._next_turn %= max(len(turns), 1)
            row = turns[self._next_turn]
            if row in are_open if row in known else is_open(row):
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

    @property
    def _at_once(self) -> int:
        return _SWEPT_AT_ONCE if self._to_sweep > 0 else _SWEPT
