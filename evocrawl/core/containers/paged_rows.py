"""Rows in blocks: blocks in use are in memory, the others in a file.

At most `most_bytes` of blocks are in memory, in the *slots* of one array. To load another block,
the least recently used blocks are evicted, and written first if they were changed. (A memory-mapped
file would need less code, but the system maps far more than is requested, and all of it counts as
the process's memory.)
"""

from __future__ import annotations

import errno
import os
from typing import Any
from weakref import finalize

import numpy as np
import numpy.typing as npt

from evocrawl.core.containers.frozen_rows import FrozenRows
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
_AHEAD, _FEW = 7, 64
"""Most blocks to make ahead; at most one of `_FEW` slots."""
_SPARE = 16
"""Room for one of this many blocks more is made at once."""
_SHIFT_ROWS = np.array(_SHIFT)
"""Numpy shifts by an array without reading a Python number first, in half the time."""
_FAR = -(1 << 62)
_BYTE = np.dtype(np.uint8)


class PagedRows:
    """Memory and file of a table; `new` is an array of one structured row, the default row.

    If the file cannot be written, blocks stay in memory and `spill` records the failure.
    """

    def __init__(self, spill: SpillFile, new: Records, most_bytes: int) -> None:
        self._spill = spill
        self._size = _BLOCK * new.itemsize
        self._most = max(most_bytes // self._size, _LEAST)
        self._file: int | None = None
        self._time = 0
        self.rows = np.repeat(new, 0)
        """The slots; `places` maps rows to them. Adding blocks replaces the array."""
        self._blocks = 0
        self._moved = np.zeros(0, np.intp)
        """Of each block, its rows' places less the rows; `_FAR` for one that is not in memory."""
        self._free: list[int] = []
        self._block_in = np.zeros(0, np.intp)
        self._used = np.zeros(0, np.intp)
        self._is_changed = np.zeros(0, bool)
        self._frozen: FrozenRows | None = None

    @property
    def at_once(self) -> int:
        """Most rows in one call of `places`: each may be in another block.

        The other blocks in memory are enough to evict for those of the call that are not there.
        """
        return self._most * 3 // 4

    @property
    def is_whole(self) -> bool:
        """True while all rows are in memory, each at its own index."""
        return self._file is None

    def make(self, rows: int) -> None:
        """Grow to this many rows in all, by at most `at_once` rows, whose values are any.

        Some blocks are made ahead, so that a few more rows need none.
        """
        needed = -(-rows // _BLOCK)
        if needed <= self._blocks:
            return
        first, self._blocks = self._blocks, needed + min(self._most // _FEW, _AHEAD)
        if self._blocks > len(self._moved):
            # Some more, so that the array is not copied for each new block.
            more = self._blocks - len(self._moved) + self._blocks // _SPARE
            self._moved = np.concatenate((self._moved, np.full(more, _FAR)))
        self._put(np.arange(first, self._blocks), is_changed=True)

    def places(self, rows: Rows, *, changes: bool) -> Rows:
        """Load `rows` and return their indices in `self.rows`. O(rows)."""
        if self._file is None or not rows.size:
            if changes and self._frozen is not None:
                self._keep(rows >> _SHIFT_ROWS, rows >> _SHIFT_ROWS)
            return rows
        self._time += 1
        blocks = rows >> _SHIFT_ROWS
        places: Rows = rows + self._moved[blocks]
        if places.item(places.argmin()) < 0:
            is_near = places >= 0
            self._used[places[is_near] >> _SHIFT_ROWS] = self._time
            self._fetch(np.array(sorted({*blocks[~is_near].tolist()})))
            places = rows + self._moved[blocks]
        slots = places >> _SHIFT_ROWS
        self._used[slots] = self._time
        if changes:
            self._is_changed[slots] = True
            if self._frozen is not None:
                self._keep(blocks, slots)
        return places

    def place(self, row: int, *, changes: bool) -> int:
        """Load one row and return its index in `self.rows`. O(1)."""
        if self._file is None:
            if changes and self._frozen is not None:
                self._keep(np.array([row >> _SHIFT]), np.array([row >> _SHIFT]))
            return row
        self._time += 1
        block = row >> _SHIFT
        place = row + self._moved.item(block)
        if place < 0:
            self._fetch(np.array([block]))
            place = row + self._moved.item(block)
        self._used[place >> _SHIFT] = self._time
        if changes:
            self._is_changed[place >> _SHIFT] = True
            if self._frozen is not None:
                self._keep(np.array([block]), np.array([place >> _SHIFT]))
        return place

    def copies(self, rows: Rows) -> Records:
        """Return rows, shape (n,), without loading blocks: each is read from the file alone. O(n).

        For rows that are not soon needed again, so that others keep their slots.
        """
        if self._file is None:
            return self.rows.take(rows)
        places = rows + self._moved[rows >> _SHIFT_ROWS]
        found: Records = self.rows.take(np.maximum(places, 0))
        size = self.rows.itemsize
        far = np.flatnonzero(places < 0)
        read = b"".join([self._pread(size, row * size) for row in rows[far].tolist()])
        found[far] = np.frombuffer(read, self.rows.dtype)
        return found

    def freeze(self, rows: int) -> FrozenRows:
        """Return the first rows as of now, to be read later. O(blocks), of which it is little.

        The rows are frozen for one reader at a time: an earlier one gets no further rows.
        """
        if self._frozen is not None:
            self._frozen.close()
        total = rows * self.rows.dtype.itemsize
        self._frozen = FrozenRows(total, self._size, self._blocks_between)
        return self._frozen

    def _keep(self, blocks: Rows, slots: Rows) -> None:
        """Let the reader of the frozen rows have blocks as they were; they change now."""
        if self._frozen is None or self._frozen.is_done:
            self._frozen = None
        else:
            self._frozen.keep(blocks, slots, self._memory())

    def _blocks_between(self, first: int, last: int) -> npt.NDArray[np.uint8]:
        """Return some blocks as they are, shape (blocks, bytes of a block); none is loaded."""
        found = np.zeros((last - first, self._size), np.uint8)
        if self._file is not None:
            stored = self._pread(found.nbytes, first * self._size)
            found.reshape(-1)[: len(stored)] = np.frombuffer(stored, _BYTE)
        moved = self._moved[first:last]
        near = np.flatnonzero(moved != _FAR)
        found[near] = self._memory()[first + near + (moved[near] >> _SHIFT)]
        return found

    def _fetch(self, blocks: Rows) -> None:
        slots = self._put(blocks, is_changed=False)
        memory, size, file = self._memory().ravel().data, self._size, self._file
        assert file is not None
        try:
            for slot, block in zip(slots.tolist(), blocks.tolist(), strict=True):
                # It takes half the time of `pread`, whose bytes would be copied.
                if os.preadv(file, (memory[slot * size : (slot + 1) * size],), block * size) < size:
                    raise OSError(errno.EIO, "the file is too short")
        except OSError as error:
            raise self._spill.failed(error) from error

    def _put(self, blocks: Rows, *, is_changed: bool) -> Rows:
        """Assign slots to blocks and return the slots, which still hold other blocks' rows."""
        if len(self._free) < len(blocks):
            self._make_room(len(blocks) - len(self._free))
        slots = np.array(self._free[: -len(blocks) - 1 : -1])
        del self._free[-len(blocks) :]
        self._moved[blocks] = (slots - blocks) << _SHIFT
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
        self.rows = np.concatenate((self.rows, np.zeros(more * _BLOCK, self.rows.dtype)))
        self._block_in = np.concatenate((self._block_in, np.full(more, -1)))
        self._used = np.concatenate((self._used, np.zeros(more, np.intp)))
        self._is_changed = np.concatenate((self._is_changed, np.zeros(more, bool)))
        self._free[:0] = range(room + more - 1, room - 1, -1)

    def _write(self, count: int) -> bool:
        """Evict the `count` least recently used blocks; return False if the disk is full."""
        oldest = np.argsort(self._used, kind="stable")
        oldest = oldest[self._block_in[oldest] >= 0][:count]
        memory, size = self._memory().ravel().data, self._size
        try:
            if self._file is None:
                self._file = self._spill.nameless()
                finalize(self, os.close, self._file)
            for slot in oldest[self._is_changed[oldest]].tolist():
                of_slot = memory[slot * size : (slot + 1) * size]
                _write_all(self._file, of_slot, self._block_in.item(slot) * size)
                self._is_changed[slot] = False
        except OSError as error:
            self._spill.fail(error)
            return False
        self._moved[self._block_in[oldest]] = _FAR
        self._block_in[oldest] = -1
        self._free += oldest.tolist()
        return True

    def _memory(self) -> npt.NDArray[np.uint8]:
        """Return the slots as bytes, shape (slots, bytes of a block)."""
        return self.rows.view(_BYTE).reshape(-1, self._size)

    def _pread(self, size: int, at: int) -> bytes:
        assert self._file is not None
        try:
            return os.pread(self._file, size, at)
        except OSError as error:
            raise self._spill.failed(error) from error


def _write_all(file: int, rest: memoryview, at: int) -> None:
    while rest:
        done = os.pwrite(file, rest, at)
        rest, at = rest[done:], at + done
