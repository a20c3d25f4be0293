"""The buckets of a map as they are at one moment, while the map goes on to change."""

from __future__ import annotations

from collections.abc import Iterator, Sequence


class FrozenBuckets:
    """Yields the records of all `buckets` as of now, some at a time.

    Nothing is copied at first: the map calls `keep` before it changes a bucket, so that what was
    not yet read is copied then.
    """

    def __init__(self, buckets: Sequence[bytearray]) -> None:
        self._buckets = buckets
        self._count = len(buckets)
        self._next = 0
        self._is_closed = False
        self.is_done = not self._count
        """True once nothing needs to be kept any more."""
        self._kept: dict[int, bytes] = {}

    def keep(self, place: int) -> None:
        """Copy a bucket that is about to change, unless it was read or is a new one. O(bucket)."""
        if self._next <= place < self._count and place not in self._kept:
            self._kept[place] = bytes(self._buckets[place])

    def pieces(self, size: int) -> Iterator[bytes]:
        """Yield all records, once, in pieces of about `size` bytes. O(size) each.

        Raises ValueError if the map was frozen for another reader.
        """
        while self._next < self._count:
            if self._is_closed:
                raise ValueError("the map was frozen for another reader")
            piece = bytearray()
            while self._next < self._count and len(piece) < size:
                kept = self._kept.pop(self._next, None)
                piece += self._buckets[self._next] if kept is None else kept
                self._next += 1
            self.is_done = self._next == self._count
            yield bytes(piece)

    def close(self) -> None:
        """Free the copies; no further record is yielded."""
        self._is_closed = self.is_done = True
        self._kept.clear()
