"""Rows in blocks: blocks in use are in memory, the others in a file.

At most `most_bytes` of blocks are in memory, in the *slots* of one array. To load another block,
the least recently used blocks are evicted, and written first if they were changed. (A memory-mapped
file would need less code, but the system maps far more than is requested, and all of it counts as
the process's memory.)
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any
from weakref import finalize

import numpy as np
import numpy.typing as npt

from evocrawl.core.containers.spill_file import SpillFile

Records = npt.NDArray[Any]
Rows = npt.NDArray[np.intp]

_SHIFT = 5
_BLOCK = 1 << _SHIFT
"""Rows per block."""
_LEAST = 8
"""Fewest slots, however small `most_bytes` is."""
_SHARE = 16
"""At least one of this many slots is freed at once."""


class PagedRows:
    """Memory and file of a table; `new` is an array of one structured row, the default row.

    If the file cannot be written, blocks stay in memory and `spill` records the failure.
    """

    def __init__(self, spill: SpillFile, new: Records, most_bytes: int) -> None:
        self._spill = spill
        self._new = new
        self._size = _BLOCK * new.itemsize
        self._most = max(most_bytes // self._size, _LEAST)
        self._file: int | None = None
        self._time = 0
        self.rows = np.repeat(new, 0)
        """The slots; `places` maps rows to them. Adding blocks replaces the array."""
        self._slot_of = np.zeros(0, np.int32)
        self._block_in = np.zeros(0, np.int32)
        self._used = np.zeros(0, np.int64)
        self._is_changed = np.zeros(0, bool)

    @property
    def at_once(self) -> int:
        """Most rows in one call of `places`: each may be in another block."""
        return self._most // 2

    @property
    def is_whole(self) -> bool:
        """True while all rows are in memory, each at its own index."""
        return self._file is None

    def make(self, rows: int) -> None:
        """Grow to this many rows in all, by at most `at_once` rows."""
        first, last = len(self._slot_of), -(-rows // _BLOCK)
        if last > first:
            self._slot_of = np.concatenate((self._slot_of, np.full(last - first, -1, np.int32)))
            slots = self._put(range(first, last), is_changed=True)
            self.rows.reshape(-1, _BLOCK)[slots] = self._new

    def places(self, rows: Rows, *, changes: bool) -> Rows:
        """Load `rows` and return their indices in `self.rows`. O(rows)."""
        if self._file is None:
            return rows
        self._time += 1
        blocks = rows >> _SHIFT
        slots = self._slot_of[blocks]
        is_far = slots < 0
        if is_far.any():
            self._used[slots[~is_far]] = self._time
            self._fetch(np.unique(blocks[is_far]).tolist())
            slots = self._slot_of[blocks]
        self._used[slots] = self._time
        if changes:
            self._is_changed[slots] = True
        places: Rows = (slots.astype(np.intp) << _SHIFT) + (rows & (_BLOCK - 1))
        return places

    def place(self, row: int, *, changes: bool) -> int:
        """Load one row and return its index in `self.rows`. O(1)."""
        if self._file is None:
            return row
        self._time += 1
        block = row >> _SHIFT
        if self._slot_of[block] < 0:
            self._fetch([block])
        slot = int(self._slot_of[block])
        self._used[slot] = self._time
        if changes:
            self._is_changed[slot] = True
        return (slot << _SHIFT) + (row & (_BLOCK - 1))

    def _fetch(self, blocks: Sequence[int]) -> None:
        slots = self._put(blocks, is_changed=False)
        memory = self.rows.reshape(-1, _BLOCK)
        for slot, block in zip(slots, blocks, strict=True):
            memory[slot] = np.frombuffer(self._read(block), self._new.dtype)

    def _put(self, blocks: Sequence[int], *, is_changed: bool) -> list[int]:
        """Assign slots to blocks and return the slots, which still hold other blocks' rows."""
        free = np.flatnonzero(self._block_in < 0)
        if len(free) < len(blocks):
            self._make_room(len(blocks) - len(free))
            free = np.flatnonzero(self._block_in < 0)
        slots: list[int] = free[: len(blocks)].tolist()
        self._slot_of[blocks] = slots
        self._block_in[slots] = blocks
        self._used[slots] = self._time
        self._is_changed[slots] = is_changed
        return slots

    def _make_room(self, count: int) -> None:
        """Free `count` more slots: new ones up to `most`, then evicted ones."""
        room = len(self._block_in)
        if room + count > self._most and self._write(max(count, self._most // _SHARE)):
            return
        more = count if room + count > self._most else min(max(count, room), self._most - room)
        self.rows = np.concatenate((self.rows, np.repeat(self._new, more * _BLOCK)))
        self._block_in = np.concatenate((self._block_in, np.full(more, -1, np.int32)))
        self._used = np.concatenate((self._used, np.zeros(more, np.int64)))
        self._is_changed = np.concatenate((self._is_changed, np.zeros(more, bool)))

    def _write(self, count: int) -> bool:
        """Evict the `count` least recently used blocks; return False if the disk is full."""
        oldest = np.argsort(self._used, kind="stable")
        oldest = oldest[self._block_in[oldest] >= 0][:count]
        memory = self.rows.reshape(-1, _BLOCK)
        try:
            if self._file is None:
                self._file = self._spill.nameless()
                finalize(self, os.close, self._file)
            for slot in oldest[self._is_changed[oldest]].tolist():
                _write_all(
                    self._file, memory[slot].tobytes(), int(self._block_in[slot]) * self._size
                )
                self._is_changed[slot] = False
        except OSError as error:
            self._spill.fail(error)
            return False
        self._slot_of[self._block_in[oldest]] = -1
        self._block_in[oldest] = -1
        return True

    def _read(self, block: int) -> bytes:
        assert self._file is not None
        try:
            return os.pread(self._file, self._size, block * self._size)
        except OSError as error:
            raise self._spill.failed(error) from error


def _write_all(file: int, data: bytes, at: int) -> None:
    rest = memoryview(data)
    while rest:
        done = os.pwrite(file, rest, at)
        rest, at = rest[done:], at + done
