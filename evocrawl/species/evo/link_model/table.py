"""Columns of numbers that grow together."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

Column = npt.NDArray[Any]


class Table:
    """Rows of named columns; `kinds` maps a name to (type, width, value of a new row).

    A width of 0 makes a flat column. Columns have room for more rows than `len`.

    >>> table = Table(worth=("f4", 0, 0.5))
    >>> table.grow(3); len(table), table["worth"][2].item()
    slice(0, 3, None)
    (3, 0.5)
    """

    def __init__(self, **kinds: tuple[str, int, float]) -> None:
        self._kinds = kinds
        self._count = 0
        self._columns = {name: self._new(name, 64) for name in kinds}

    def __len__(self) -> int:
        return self._count

    def __getitem__(self, name: str) -> Column:
        """Return a column. Do not keep it: a growing table moves to another array."""
        return self._columns[name]

    def grow(self, rows: int) -> slice:
        """Add new rows; return their slice. O(rows) amortised."""
        start, self._count = self._count, self._count + rows
        room = len(next(iter(self._columns.values())))
        if self._count > room:
            more = max(room, self._count - room)
            for name, column in self._columns.items():
                self._columns[name] = np.concatenate((column, self._new(name, more)))
        return slice(start, self._count)

    def _new(self, name: str, rows: int) -> Column:
        kind, width, value = self._kinds[name]
        return np.full((rows, width) if width else rows, value, np.dtype(kind))
