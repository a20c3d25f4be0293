"""The parts of a snapshot: numbered byte strings in the SQLite file of the crawl.

A snapshot is written and replaced within one transaction, so that a crawl that is killed has the
old one or the new one, whole. Each part has a checksum.

The records that have left memory are most of a snapshot, and more of them come at the end of their
file only. So full parts of such a file stay from one snapshot to the next: they have negative
numbers, each file a range of its own.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator
from typing import TypeAlias
from weakref import WeakKeyDictionary
from zlib import crc32

from evocrawl.core.containers.spill_file import SpillFile

TABLE = """
CREATE TABLE IF NOT EXISTS snapshot (
    part INTEGER PRIMARY KEY,
    checksum INTEGER NOT NULL,
    data BLOB NOT NULL
)
"""
SIZE = 1 << 22
"""Most bytes of a part."""
_ADD = "INSERT INTO snapshot VALUES (?, ?, ?)"
_READ = "SELECT checksum, data FROM snapshot WHERE part = ?"
_READ_ALL = "SELECT part, checksum, data FROM snapshot ORDER BY part"

_REPLACE = "DELETE FROM snapshot WHERE part >= 0"
_CUT = "DELETE FROM snapshot WHERE part >= ? AND part < ?"
_RANGE = 1 << 32
"""Numbers for the parts of a file of records."""

Place = tuple[int, int]
"""Number of the first part of some data, and the number of its parts."""
KeptFiles: TypeAlias = WeakKeyDictionary[SpillFile, Place]
"""Files of records, each with the place of its full parts in the snapshot that is stored."""


class PartWriter:
    """Writes the parts of a new snapshot, from 1 on, within the transaction that is open.

    Part 0 is the head, which `finish` writes. `kept` are the files of the snapshot before it.
    """

    def __init__(self, database: sqlite3.Connection, kept: KeptFiles) -> None:
        self._database = database
        self._next = 1
        self._before = kept
        self._end = 0
        self.kept: KeptFiles = WeakKeyDictionary()
        """The files of this snapshot, for the next one."""
        self.size = 0
        """Bytes written."""
        database.execute(_REPLACE)

    def put(self, pieces: Iterable[bytes | bytearray | memoryview]) -> Place:
        """Write data, given in pieces; return its place."""
        first = self._next
        for piece in pieces:
            with memoryview(piece) as whole, whole.cast("B") as view:
                for at in range(0, len(view), SIZE):
                    self._add(self._next, bytes(view[at : at + SIZE]))
                    self._next += 1
        return first, self._next - first

    def put_file(self, file: SpillFile) -> Place:
        """Write the records of a file that the snapshot before does not have; return their place.

        Files come in the same order each time. O(new bytes).
        """
        first, full = self._end - _RANGE, 0
        place = self._before.get(file)
        if place is not None and place[0] == first:
            full = place[1]
        self._database.execute(_CUT, (first + full, self._end))
        count = full
        for piece in file.pieces(SIZE, full * SIZE):
            self._add(first + count, piece)
            count += 1
        self.kept[file] = first, len(file) // SIZE
        self._end = first
        return first, count

    def finish(self, head: bytes) -> None:
        """Write the head, and remove files that the snapshot does not have any more."""
        self._add(0, head)
        self._database.execute("DELETE FROM snapshot WHERE part < ?", (self._end,))

    def _add(self, part: int, data: bytes) -> None:
        self._database.execute(_ADD, (part, crc32(data), data))
        self.size += len(data)


class PartReader:
    """Reads the parts of the snapshot of an SQLite file."""

    def __init__(self, database: sqlite3.Connection) -> None:
        self._database = database

    def head(self) -> bytes | None:
        """Return the head, None if there is no snapshot. Raises ValueError if it is damaged."""
        name = "SELECT 1 FROM sqlite_master WHERE name = 'snapshot'"
        if self._database.execute(name).fetchone() is None:
            return None
        row = self._database.execute(_READ, (0,)).fetchone()
        if row is None:
            return None
        _check(0, *row)
        return bytes(row[1])

    def check(self) -> None:
        """Raise ValueError if a part is damaged. O(bytes)."""
        for row in self._database.execute(_READ_ALL):
            _check(*row)

    def pieces(self, place: Place) -> Iterator[bytes]:
        """Yield data part by part. Raises ValueError if a part is missing."""
        first, count = place
        for part in range(first, first + count):
            row = self._database.execute(_READ, (part,)).fetchone()
            if row is None:
                raise ValueError(f"part {part} of the snapshot is missing")
            yield row[1]

    def whole(self, place: Place) -> bytes:
        """Return data as one string. Raises ValueError if a part is missing."""
        return b"".join(self.pieces(place))


def _check(part: int, checksum: int, data: bytes) -> None:
    if not isinstance(data, bytes) or crc32(data) != checksum:
        raise ValueError(f"part {part} of the snapshot is damaged")
