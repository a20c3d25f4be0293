"""The parts of a snapshot: numbered byte strings in the SQLite file of the crawl.

A snapshot is written a few parts at a time, each time within a transaction, under numbers that the
snapshot before it does not have. The head, part 0, comes last: it names the parts of the new
snapshot, and so takes the place of the old one at once. Then the parts that it does not name are
removed. So a crawl that is killed has the old snapshot or the new one, whole, and perhaps parts
that belong to none, which the next snapshot removes. Each part has a checksum.

The records that have left memory are most of a snapshot, and more of them come at the end of their
file only. So full parts of such a file stay from one snapshot to the next: they have negative
numbers, each file a range of its own.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Generator, Iterable, Iterator
from dataclasses import dataclass
from itertools import pairwise
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
SIZE = 1 << 20
"""Most bytes of a part."""
_ADD = "REPLACE INTO snapshot VALUES (?, ?, ?)"
_READ = "SELECT checksum, data FROM snapshot WHERE part = ?"
_READ_SOME = "SELECT part, checksum, data FROM snapshot WHERE part >= ? AND part < ?"
_ENDS = "SELECT min(part), max(part) FROM snapshot"
_REMOVE = """
DELETE FROM snapshot WHERE part IN
(SELECT part FROM snapshot WHERE part > ? AND part < ? LIMIT 8)
"""
_RANGE = 1 << 32
"""Numbers for the parts of a file of records."""
_LEAST, _MOST = -(1 << 63), (1 << 63) - 1

Place = tuple[int, int]
"""Number of the first part of some data, and the number of its parts."""
Steps: TypeAlias = Generator[None, None, Place]
"""Writes some more at each step; returns the place."""
KeptFiles: TypeAlias = WeakKeyDictionary[SpillFile, Place]
"""Files of records, each with the place of its full parts in the snapshot that is stored."""


@dataclass(frozen=True, slots=True)
class Head:
    """What a snapshot tells of itself: its form, the last entry that it contains, its parts."""

    form: int
    entry: int
    nodes: Place = (0, 0)
    parts: Place = (0, 0)
    """All parts but the head and those of `files`."""
    files: tuple[Place, ...] = ()

    @property
    def places(self) -> list[Place]:
        """The places of all parts, in order."""
        return sorted([(0, 1), self.parts, *self.files])


class PartWriter:
    """Writes the parts of a new snapshot, each time within the transaction that is open.

    `kept` are the files of the snapshot before it.
    """

    def __init__(self, database: sqlite3.Connection, kept: KeptFiles) -> None:
        database.execute(TABLE)
        lowest, highest = database.execute(_ENDS).fetchone()
        self._database = database
        self._first = self._next = max(highest or 0, 0) + 1
        self._lowest = min(lowest or 0, 0) // _RANGE * _RANGE
        self._before = kept
        self._reserved: list[tuple[int, memoryview]] = []
        self.kept: KeptFiles = WeakKeyDictionary()
        """The files of this snapshot, for the next one."""
        self.size = 0
        """Bytes written."""

    def put(self, pieces: Iterable[bytes | bytearray]) -> Steps:
        """Write data, given in pieces, part by part; return its place."""
        first = self._next
        for piece in pieces:
            with memoryview(piece) as view:
                for at in range(0, len(view), SIZE):
                    self._next += 1
                    self._add(self._next - 1, bytes(view[at : at + SIZE]))
                    yield
        return first, self._next - first

    def reserve(self, pieces: Iterable[memoryview]) -> Place:
        """Return the place of data that `put_reserved` writes later."""
        first = self._next
        for piece in pieces:
            for at in range(0, len(piece), SIZE):
                self._reserved.append((self._next, piece[at : at + SIZE]))
                self._next += 1
        return first, self._next - first

    def put_reserved(self) -> Iterator[None]:
        """Write the data whose place was reserved, part by part."""
        for part, piece in self._reserved:
            self._add(part, bytes(piece))
            yield
        self._reserved.clear()

    def put_file(self, file: SpillFile, length: int) -> Generator[None, None, tuple[Place, Place]]:
        """Write the first `length` bytes of a file as far as the snapshot before lacks them.

        Return the places of its full parts and of the rest. O(new bytes).
        """
        first, full = self._before.get(file, (self._lowest - _RANGE, 0))
        self._lowest = min(self._lowest, first)
        count = length // SIZE
        for part, piece in enumerate(file.pieces(SIZE, full * SIZE, count * SIZE), first + full):
            self._add(part, piece)
            yield
        self.kept[file] = first, count
        rest = yield from self.put(file.pieces(SIZE, count * SIZE, length))
        return (first, count), rest

    def head(self, form: int, entry: int, nodes: Place) -> Head:
        """Return the head for what was written."""
        parts = self._first, self._next - self._first
        return Head(form, entry, nodes, parts, tuple(sorted(self.kept.values())))

    def finish(self, packed: bytes) -> None:
        """Write the head."""
        self._add(0, packed)

    def _add(self, part: int, data: bytes) -> None:
        self._database.execute(_ADD, (part, crc32(data), data))
        self.size += len(data)


def remove_others(database: sqlite3.Connection, head: Head | None) -> Iterator[None]:
    """Remove, a few at a time, the parts that a snapshot does not name; all if there is none."""
    places = [] if head is None else head.places
    ends = [(_LEAST, 0), *[each for each in places if each[1]], (_MOST, 0)]
    for (first, count), (then, _) in pairwise(ends):
        while database.execute(_REMOVE, (first + count - 1 if count else first, then)).rowcount:
            yield


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

    def check(self, head: Head) -> None:
        """Raise ValueError if a part that the head names is damaged. O(bytes)."""
        for first, count in head.places:
            for row in self._database.execute(_READ_SOME, (first, first + count)):
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
