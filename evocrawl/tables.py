"""Columns of numbers that grow together, on disk once they are many.

Beyond `_SMALL` rows a table is a file mapped into memory: numpy reads and writes it as any array,
the operating system keeps what is in use, and the process lets go of it now and then, so that it
does not count as the process's memory.
"""

from __future__ import annotations

import mmap
import os
from typing import Any
from weakref import finalize

import numpy as np
import numpy.typing as npt

from evocrawl.spill import Spill

Column = npt.NDArray[Any]

_SMALL = 1 << 13
_MORE = 1 << 15
_USES = 1 << 8
"""Columns asked for until memory is let go of."""


class MappedTable:
    """Rows of named columns; `kinds` maps a name to (type, width, value of a new row).

    A width of 0 makes a flat column. Columns have room for more rows than `len`. Where the file
    cannot grow, the table goes on in memory and `spill` is told.

    >>> table = MappedTable(Spill(), worth=("f4", 0, 0.5))
    >>> table.grow(3); len(table), table["worth"][2].item()
    slice(0, 3, None)
    (3, 0.5)
    """

    def __init__(self, spill: Spill, small: int = _SMALL, **kinds: tuple[str, int, float]) -> None:
        self._spill = spill
        self._small = small
        fields = [
            (name, kind, (width,) if width else ()) for name, (kind, width, _) in kinds.items()
        ]
        self._new = np.zeros(1, np.dtype(fields, align=True))
        for name, (_, _, value) in kinds.items():
            self._new[name] = value
        self._rows = np.repeat(self._new, 64)
        self._file: int | None = None
        self._map: mmap.mmap | None = None
        self._count = 0
        self._uses = 0

    def __len__(self) -> int:
        return self._count

    def __getitem__(self, name: str) -> Column:
        """Return a column; not to be kept, since it is another array after the table has grown."""
        self._uses += 1
        if self._uses > _USES:
            self._let_go()
        return self._rows[name]

    def grow(self, rows: int) -> slice:
        """Add new rows; return where they are. O(rows) amortised."""
        start, self._count = self._count, self._count + rows
        while self._count > len(self._rows):
            self._make_room()
        return slice(start, self._count)

    def _make_room(self) -> None:
        if len(self._rows) >= self._small:
            try:
                self._extend_file()
                return
            except OSError as error:
                self._spill.fail(error)
                self._file = self._map = None
        self._rows = np.concatenate((self._rows, np.repeat(self._new, len(self._rows))))

    def _extend_file(self) -> None:
        """Map the file anew, with more rows, which are written first: the disk has room."""
        size = self._new.itemsize
        if self._file is None:
            self._file = self._spill.nameless()
            finalize(self, os.close, self._file)
            _write(self._file, self._rows, 0)
        _write(self._file, np.repeat(self._new, _MORE), len(self._rows) * size)
        self._map = mmap.mmap(self._file, (len(self._rows) + _MORE) * size)
        self._rows = np.frombuffer(self._map, self._new.dtype)

    def _let_go(self) -> None:
        """Give the pages that were in use back to the system; they stay in the file."""
        self._uses = 0
        if self._map is not None:
            self._map.madvise(mmap.MADV_DONTNEED)


def _write(file: int, rows: Column, at: int) -> None:
    rest = memoryview(rows.tobytes())
    while rest:
        done = os.pwrite(file, rest, at)
        rest, at = rest[done:], at + done
