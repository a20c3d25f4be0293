"""The journal: the operations and the pages of a crawl in one SQLite file.

`append` adds operations; `commit` makes them durable together with the fetched pages. A killed
process loses only what it had not committed. A power cut may also lose the last commits, but never
the consistency of the file (``synchronous=NORMAL`` in WAL mode).

The records of pages are written in the same transactions: see `PageRows`.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any
from weakref import WeakKeyDictionary

from evocrawl.core.errors import StateError
from evocrawl.core.model import Fetched
from evocrawl.politeness.opt_out_files import OptOutFile
from evocrawl.store.journal import sqlite_file
from evocrawl.store.journal.codec import NoPayloads, OperationCodec, Payloads, digest_of
from evocrawl.store.journal.compaction import compact, first_entry
from evocrawl.store.journal.kept_opt_outs import KeptOptOuts
from evocrawl.store.journal.kept_values import KeptValues
from evocrawl.store.journal.operations import Op, VisitSettled
from evocrawl.store.journal.operations.row import Row
from evocrawl.store.journal.ownership import Ownership
from evocrawl.store.journal.page_rows import PageRows
from evocrawl.store.journal.snapshot import snapshot as snapshots
from evocrawl.store.journal.snapshot.parts import KeptFiles
from evocrawl.store.journal.snapshot_steps import SnapshotSteps

_ADD_OP = "INSERT INTO ops (kind, at, visit, key, content, data) VALUES (?, ?, ?, ?, ?, ?)"
_ADD_CONTENT = "INSERT OR IGNORE INTO contents (digest, packed) VALUES (?, ?)"
_READ_OPS = """
SELECT kind, at, visit, key, ops.content, data, packed
FROM ops LEFT JOIN contents ON contents.digest = ops.content WHERE seq > ? ORDER BY seq
"""
_READ_LINKS = """
SELECT kind, at, visit, key, ops.content, data, packed
FROM ops LEFT JOIN contents ON contents.digest = ops.content
WHERE seq <= ? AND kind IN ('place', 'link', 'choose', 'settle') ORDER BY seq
"""
_LAST = "SELECT max(seq) FROM ops"


def read_ops(
    connection: sqlite3.Connection, packer: OperationCodec, after: int = 0
) -> Iterator[Op]:
    """Read the operations after an entry in order. Raises StateError for an invalid one."""
    for *columns, packed in connection.execute(_READ_OPS, (after,)):
        yield packer.unpack(Row(*columns), packed)


class SqliteJournal:
    """A journal in an SQLite file, used by one process at a time.

    `about` identifies the crawl: JSON values by name, the same in every run. Raises StateError if
    the file holds another crawl, naming each difference, and if it is damaged, foreign, in use or
    not writable. `has_begun` is True if an earlier run has recorded something.
    """

    def __init__(
        self, path: str | Path, about: Mapping[str, Any], payloads: Payloads | None = None
    ) -> None:
        self.path = Path(path)
        self._packer = OperationCodec(payloads or NoPayloads())
        self._rows: list[Row] = []
        self._contents: dict[bytes, bytes] = {}
        self._pages = PageRows()
        self._kept_files: KeptFiles = WeakKeyDictionary()
        self._is_open = True
        sqlite_file.refuse_other_content(self.path)
        self._owner = Ownership(self.path)
        try:
            self._database = sqlite_file.connect(self.path)
            with sqlite_file.explained(self.path):
                self._introduce(about)
                self.kept, self.opt_outs = KeptValues(), KeptOptOuts()
                self._version = self._data_version()
        except BaseException:
            sqlite_file.close(getattr(self, "_database", None))
            self._owner.leave()
            raise

    def append(self, op: Op) -> None:
        """Add an operation; the next `commit` makes it durable. O(its links)."""
        if not self._is_open:
            return
        digest = None
        if isinstance(op, VisitSettled) and isinstance(op.outcome, Fetched):
            packed = self._packer.pack_content(op.outcome.page)
            digest = digest_of(packed)
            self._contents[digest] = packed
            self._pages.add(op, op.outcome.page, digest)
        self._rows.append(self._packer.pack(op, digest))

    def commit(self) -> None:
        """Make the appended operations durable in one transaction.

        Raises StateError if the disk is full or not writable, if another process has written to
        the state, and if the file was moved or deleted. The journal is closed after such an error.
        """
        if not self._is_open:
            return
        try:
            self._owner.check()
            if not (self._rows or self.kept or self.opt_outs):
                return
            with self._transaction():
                self._database.executemany(_ADD_OP, self._rows)
                self._database.executemany(_ADD_CONTENT, self._contents.items())
                for each in (self._pages, self.kept, self.opt_outs):
                    each.write(self._database)
        except StateError:
            self._rows.clear()
            self.close()
            raise
        self._rows.clear()
        self._contents.clear()
        for each in (self._pages, self.kept, self.opt_outs):
            each.written()

    def opt_outs_of(self, authority: str) -> dict[str, OptOutFile]:
        """Return the opt-out files of a server by their paths. Raises StateError for damage."""
        with sqlite_file.explained(self.path):
            try:
                return self.opt_outs.of(authority, self._database)
            except ValueError as error:
                raise StateError(f"{self.path}: a kept file is damaged: {error}") from error

    def kept_values(self) -> dict[str, Any]:
        """Return the values that earlier runs have kept. Raises StateError if one is damaged."""
        with sqlite_file.explained(self.path):
            try:
                return self.kept.read(self._database)
            except ValueError as error:
                raise StateError(f"{self.path}: a kept value is damaged: {error}") from error

    def ops(self) -> Iterator[Op]:
        """Read the operations of earlier runs, in order. Raises StateError if one is damaged."""
        with sqlite_file.explained(self.path):
            yield from read_ops(self._database, self._packer)

    def page_urls(self) -> Iterator[str]:
        """Read the addresses of the pages of earlier runs."""
        with sqlite_file.explained(self.path):
            for (url,) in self._database.execute("SELECT url FROM pages ORDER BY visit"):
                yield str(url)

    def ops_after(self, entry: int) -> Iterator[Op]:
        """Read the operations after an entry, in order. Raises StateError if one is damaged."""
        with sqlite_file.explained(self.path):
            yield from read_ops(self._database, self._packer, entry)

    def links_until(self, entry: int) -> Iterator[Op]:
        """Read up to an entry the operations that add links, and the visits to them, in order.

        Raises StateError if one is damaged.
        """
        with sqlite_file.explained(self.path):
            for *columns, packed in self._database.execute(_READ_LINKS, (entry,)):
                yield self._packer.unpack(Row(*columns), packed)

    def begin_snapshot(self, root: dict[str, object], *, compacts: bool = False) -> SnapshotSteps:
        """Begin a snapshot of `root` as of now, at the last committed entry; return its steps.

        They write it while the crawl goes on, and the last of them lets it take the place of the
        earlier one; if it `compacts`, then also of the entries before it. Raises SnapshotError for
        an object that no snapshot can hold, and StateError as `commit` does.
        """
        database = self._database
        with sqlite_file.explained(self.path):
            entry = database.execute(_LAST).fetchone()[0] or 0
        new = snapshots.NewSnapshot(
            database, entry, root, self._packer.pack_payload, self._kept_files
        )
        after = compact(database, entry) if compacts else iter(())
        return SnapshotSteps(new, after, self._transaction, partial(snapshots.discard, database))

    def check_snapshot(self, root: dict[str, object]) -> None:
        """Raise SnapshotError if no snapshot can hold an object of `root`; write nothing."""
        with sqlite_file.explained(self.path):
            self._database.execute("BEGIN IMMEDIATE")
            try:
                snapshots.write(self._database, 0, root, self._packer.pack_payload)
            finally:
                self._database.execute("ROLLBACK")

    def first_entry(self) -> int:
        """Return the number of the first entry: more than 1 if the journal is compact."""
        with sqlite_file.explained(self.path):
            return first_entry(self._database)

    def restore(self, root: dict[str, object]) -> int:
        """Read the snapshot into the objects of `root`; return its last entry, 0 without one.

        Raises SnapshotError, before anything is changed, if it is damaged or does not fit.
        """
        with sqlite_file.explained(self.path):
            unpack, kept = self._packer.unpack_payload, self._kept_files
            return snapshots.read(self._database, root, unpack, kept)

    def close(self) -> None:
        """Close the state; drop uncommitted operations and ignore later ones."""
        self._is_open = False
        sqlite_file.close(self._database)
        self._owner.close()

    def _data_version(self) -> int:
        return int(self._database.execute("PRAGMA data_version").fetchone()[0])

    def _check_sole_writer(self) -> None:
        """Raise StateError if another connection has written to the state."""
        if self._data_version() != self._version:
            raise StateError(f"{self.path}: another process has written to this state")

    @contextmanager
    def _transaction(self) -> Iterator[None]:
        """Write in one transaction. Raises StateError as `commit` does."""
        with sqlite_file.explained(self.path):
            self._owner.check()
            self._database.execute("BEGIN IMMEDIATE")
            try:
                self._check_sole_writer()
                yield
            except BaseException:
                self._database.execute("ROLLBACK")
                raise
            self._database.execute("COMMIT")

    def _introduce(self, about: Mapping[str, Any]) -> None:
        """Store the identity of the crawl before its first run; compare it in a later one.

        A run that was refused, for a wrong seed for instance, leaves an identity and nothing else.
        """
        known = dict(self._database.execute("SELECT name, value FROM about"))
        given = {name: json.dumps(value) for name, value in about.items()}
        self.has_begun = self._database.execute(_LAST).fetchone()[0] is not None
        if not self.has_begun:
            self._database.execute("BEGIN IMMEDIATE")
            self._database.execute("DELETE FROM about")
            self._database.executemany("INSERT INTO about VALUES (?, ?)", given.items())
            self._database.execute("COMMIT")
            return
        differing = [
            f"{name} was {known.get(name, 'not set')}, is {given.get(name, 'not set')}"
            for name in sorted({*known, *given})
            if known.get(name) != given.get(name)
        ]
        if differing:
            raise StateError(f"{self.path}: the state of another crawl: {'; '.join(differing)}")
