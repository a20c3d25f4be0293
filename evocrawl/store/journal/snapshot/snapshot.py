"""Writes and reads the snapshot of a crawl: its population as of one entry of its journal.

`root` names the objects that a snapshot holds, with all that they refer to.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any
from weakref import WeakKeyDictionary

import msgpack

from evocrawl.store.journal.snapshot import graph
from evocrawl.store.journal.snapshot.graph import SnapshotError
from evocrawl.store.journal.snapshot.parts import TABLE, KeptFiles, PartReader, PartWriter
from evocrawl.store.journal.snapshot.reader import GraphReader
from evocrawl.store.journal.snapshot.writer import GraphWriter


@dataclass(frozen=True, slots=True)
class Head:
    """What a snapshot tells of itself: its form, the last entry that it contains, its nodes."""

    form: int
    entry: int
    nodes: tuple[int, int]


def write(
    database: sqlite3.Connection,
    entry: int,
    root: dict[str, object],
    pack: Callable[[Any], Any],
    kept: KeptFiles | None = None,
) -> PartWriter:
    """Replace the snapshot within the transaction that is open.

    `kept` are the files of the snapshot that is replaced, if this process wrote or read it. Return
    what was written: the bytes and the files. Raises SnapshotError for an object that no snapshot
    can hold.
    """
    database.execute(TABLE)
    parts = PartWriter(database, WeakKeyDictionary() if kept is None else kept)
    try:
        nodes = GraphWriter(parts, pack).write(root)
    except (ValueError, TypeError, OverflowError) as error:
        raise SnapshotError(f"a snapshot cannot hold a value: {error}") from error
    parts.finish(graph.packed({"form": graph.FORMAT, "entry": entry, "nodes": nodes}))
    return parts


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
        parts.check()
        reader = GraphReader(parts, head.nodes, unpack)
        reader.read_into(root)
    except (ValueError, TypeError, LookupError) as error:
        raise SnapshotError(f"it cannot be read: {error}") from error
    if kept is not None:
        kept.update(reader.files)
    return head.entry
