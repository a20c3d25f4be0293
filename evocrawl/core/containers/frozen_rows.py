"""The rows of a table as they are at one moment, while the table goes on to change."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import numpy.typing as npt

Blocks = npt.NDArray[np.intp]
Bytes = npt.NDArray[np.uint8]


class FrozenRows:
    """Yields the first `total` bytes of blocks of `block_bytes` as of now, some at a time.

    `read` returns the blocks from one number to another as they are, shape (blocks, bytes of a
    block). Nothing is copied at first: the table calls `keep` before it changes blocks, so that
    what was not yet read is copied then.
    """

    def __init__(self, total: int, block_bytes: int, read: Callable[[int, int], Bytes]) -> None:
        self._total = total
        self._block_bytes = block_bytes
        self._count = -(-total // block_bytes)
        self._read = read
        self._is_closed = False
        self.is_done = not self._count
        """True once nothing needs to be kept any more."""
        self._is_awaited = np.ones(self._count, np.bool_)
        self._kept: dict[int, bytes] = {}

    def keep(self, blocks: Blocks, slots: Blocks, memory: npt.NDArray[Any]) -> None:
        """Copy blocks about to change that were not read yet; `memory[slots]` holds them. O(n)."""
        is_old = blocks < self._count
        blocks, slots = blocks[is_old], slots[is_old]
        is_awaited = self._is_awaited[blocks]
        if not is_awaited.any():
            return
        blocks = blocks[is_awaited]
        for block, slot in zip(blocks.tolist(), slots[is_awaited].tolist(), strict=True):
            if block not in self._kept:
                self._kept[block] = memory[slot].tobytes()
        self._is_awaited[blocks] = False

    def pieces(self, size: int) -> Iterator[bytes]:
        """Yield all rows, once, in pieces of about `size` bytes. O(size) each.

        A row may begin in one piece and end in the next. Raises StateError if the file of the table
        cannot be read, and ValueError if the table was frozen for another reader.
        """
        at_once = max(size // self._block_bytes, 1)
        for first in range(0, self._count, at_once):
            if self._is_closed:
                raise ValueError("the rows were frozen for another reader")
            last = min(first + at_once, self._count)
            whole = self._read(first, last)
            for block in range(first, last):
                kept = self._kept.pop(block, None)
                if kept is not None:
                    whole[block - first] = np.frombuffer(kept, np.uint8)
            self._is_awaited[first:last] = False
            self.is_done = last == self._count
            yield whole.tobytes()[: self._total - first * self._block_bytes]

    def close(self) -> None:
        """Free the copies; no further row is yielded."""
        self._is_closed = self.is_done = True
        self._kept.clear()
