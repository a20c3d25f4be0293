"""Writes and reads the snapshot of a crawl: its population as of one entry of its journal.

`root` names the objects that a snapshot holds, with all that they refer to.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator
from typing import Any
from weakref import WeakKeyDictionary

import msgpack

from evocrawl.store.journal.snapshot import graph
from evocrawl.store.journal.snapshot.frozen import FrozenGraph
from evocrawl.store.journal.snapshot.graph import SnapshotError
from evocrawl.store.journal.snapshot.parts import (
    Head,
    KeptFiles,
    PartReader,
    PartWriter,
    remove_others,
)
from evocrawl.store.journal.snapshot.reader import GraphReader
from evocrawl.store.journal.snapshot.writer import GraphWriter


class NewSnapshot:
    """A snapshot of `root` as of now, to be written while the crawl goes on.

    `entry` is the last one of the journal that it contains; `kept` are the files of the snapshot
    that is stored, if this process wrote or read it. Raises SnapshotError for an object that no
    snapshot can hold.
    """

    def __init__(
        self,
        database: sqlite3.Connection,
        entry: int,
        root: dict[str, object],
        pack: Callable[[Any], Any],
        kept: KeptFiles | None = None,
    ) -> None:
        self._database = database
        self.entry = entry
        self._kept = WeakKeyDictionary() if kept is None else kept
        self._pack = pack
        self._frozen = _frozen(root)
        self.size = 0
        """Bytes written."""

    def steps(self) -> Iterator[None]:
        """Write the snapshot and remove the one before, a little at each step.

        Each step is within a transaction that is open then; the steps may be in different ones. The
        files of this snapshot replace those in `kept`. Raises SnapshotError for a value that no
        snapshot can hold, and StateError if a file of records cannot be read.
        """
        stored = _stored(self._database)
        parts = PartWriter(self._database, self._kept)
        yield from remove_others(self._database, stored)
        try:
            nodes = yield from GraphWriter(self._frozen, parts, self._pack).steps()
        except (ValueError, TypeError, OverflowError) as error:
            raise SnapshotError(f"a snapshot cannot hold a value: {error}") from error
        head = parts.head(graph.FORMAT, self.entry, nodes)
        parts.finish(_packed(head))
        self.size = parts.size
        self._kept.clear()
        self._kept.update(parts.kept)
        yield
        yield from remove_others(self._database, head)

    def close(self) -> None:
        """Free what was kept for a snapshot that is complete, or is not completed."""
        self._frozen.close()


def write(
    database: sqlite3.Connection,
    entry: int,
    root: dict[str, object],
    pack: Callable[[Any], Any],
    kept: KeptFiles | None = None,
) -> int:
    """Write a snapshot at once, see `NewSnapshot`; return the bytes written."""
    new = NewSnapshot(database, entry, root, pack, kept)
    try:
        for _ in new.steps():
            pass
    finally:
        new.close()
    return new.size


def discard(database: sqlite3.Connection) -> None:
    """Remove what was written of a snapshot that is not completed."""
    for _ in remove_others(database, _stored(database)):
        pass


def head_of(database: sqlite3.Connection) -> Head | None:
    """Return the head of the snapshot, None without one. Raises SnapshotError."""
    try:
        packed = PartReader(database).head()
        return None if packed is None else Head(**msgpack.unpackb(packed, use_list=False))
    except (ValueError, TypeError) as error:
        raise SnapshotError(f"its head cannot be read: {error}") from error


def read(
    database: sqlite3.Connection,
    root: dict[str, object],
    unpack: Callable[[Any], Any],
    kept: KeptFiles | None = None,
) -> int:
    """Read the snapshot into the objects of `root`; return its last entry, 0 without a snapshot.

    Files of records are added to `kept`, for the next snapshot.
    Raises SnapshotError, before anything is changed, if it is damaged or does not fit.
    """
    head = head_of(database)
    if head is None:
        return 0
    if head.form != graph.FORMAT:
        raise SnapshotError(f"its form is {head.form}, this evocrawl knows {graph.FORMAT}")
    parts = PartReader(database)
    try:
        parts.check(head)
        reader = GraphReader(parts, head.nodes, unpack)
        reader.read_into(root)
    except (ValueError, TypeError, LookupError) as error:
        raise SnapshotError(f"it cannot be read: {error}") from error
    if kept is not None:
        kept.update(reader.files)
    return head.entry


def _frozen(root: dict[str, object]) -> FrozenGraph:
    try:
        return FrozenGraph(root)
    except (ValueError, TypeError, OverflowError) as error:
        raise SnapshotError(f"a snapshot cannot hold a value: {error}") from error


def _stored(database: sqlite3.Connection) -> Head | None:
    """Return the head of a snapshot that a resume could read, None without one."""
    try:
        head = head_of(database)
    except SnapshotError:
        return None
    return head if head is not None and head.form == graph.FORMAT else None


def _packed(head: Head) -> bytes:
    return graph.packed({name: getattr(head, name) for name in Head.__slots__})
