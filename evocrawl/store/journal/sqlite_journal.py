"""The journal: the operations and the pages of a crawl in one SQLite file.

`append` adds operations; `commit` makes them durable together with the fetched pages. A killed
process loses only what it had not committed. A power cut may also lose the last commits, but never
the consistency of the file (``synchronous=NORMAL`` in WAL mode).

Each page has exactly one record, by its fingerprint: a later visit increments `visits`, and
updates the record if the content has changed.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any
from weakref import WeakKeyDictionary

from evocrawl.core.errors import StateError
from evocrawl.core.model import Fetched, Page
from evocrawl.politeness.opt_out_files import OptOutFile
from evocrawl.store.journal import sqlite_file
from evocrawl.store.journal.codec import NoPayloads, OperationCodec, Payloads, digest_of
from evocrawl.store.journal.compaction import compact, first_entry
from evocrawl.store.journal.kept_opt_outs import KeptOptOuts
from evocrawl.store.journal.kept_values import KeptValues
from evocrawl.store.journal.operations import Op, VisitSettled
from evocrawl.store.journal.operations.row import Row
from evocrawl.store.journal.ownership import Ownership
from evocrawl.store.journal.snapshot import snapshot as snapshots
from evocrawl.store.journal.snapshot.parts import KeptFiles

_ADD_OP = "INSERT INTO ops (kind, at, visit, key, content, data) VALUES (?, ?, ?, ?, ?, ?)"
_ADD_CONTENT = "INSERT OR IGNORE INTO contents (digest, packed) VALUES (?, ?)"
_PAGE_COLUMNS = (
    "fingerprint", "url", "relevance", "energy", "visit", "agent", "depth", "parent", "anchor",
    "status", "fetched_at", "seconds", "version", "content", "duplicate_of", "truncated",
    "published_at", "changed_at",
)  # fmt: skip
_ADD_PAGE = f"""
INSERT INTO pages ({", ".join(_PAGE_COLUMNS)})
VALUES ({", ".join(f":{each}" for each in _PAGE_COLUMNS)})
ON CONFLICT (fingerprint) DO NOTHING
"""
_COUNT_VISIT = "UPDATE pages SET visits = visits + 1 WHERE fingerprint = :fingerprint"
_RENEW_PAGE = """
UPDATE pages SET url = :url, relevance = :relevance, energy = :energy, status = :status,
                 fetched_at = :fetched_at, seconds = :seconds, version = :version,
                 content = :content, duplicate_of = :duplicate_of, truncated = :truncated,
                 published_at = :published_at, changed_at = :changed_at
WHERE fingerprint = :fingerprint AND version <> :version
"""
_ADD_BODY = "REPLACE INTO bodies (fingerprint, status_line, headers, body) VALUES (?, ?, ?, ?)"
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
        self._pages: list[tuple[Any, ...]] = []
        self._bodies: list[tuple[Any, ...]] = []
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
            self._owner.close()
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
            self._record(op, op.outcome.page, digest)
        self._rows.append(self._packer.pack(op, digest))

    def commit(self) -> None:
        """Make the appended operations durable in one transaction.

        Raises StateError if the disk is full or not writable, if another process has written to
        the state, and if the file was moved or deleted. The journal is closed after such an error.
        """
        if not self._is_open:
            return
        write = self._database
        try:
            self._owner.check()
            if not (self._rows or self.kept or self.opt_outs):
                return
            with sqlite_file.explained(self.path):
                write.execute("BEGIN IMMEDIATE")
                self._check_sole_writer()
                write.executemany(_ADD_OP, self._rows)
                for content in self._contents.items():
                    write.execute(_ADD_CONTENT, content)
                for values in self._pages:
                    page = dict(zip(_PAGE_COLUMNS, values, strict=True))
                    if not write.execute(_ADD_PAGE, page).rowcount:
                        write.execute(_COUNT_VISIT, page)
                        write.execute(_RENEW_PAGE, page)
                for body in self._bodies:
                    write.execute(_ADD_BODY, body)
                self.kept.write(write)
                self.opt_outs.write(write)
                write.execute("COMMIT")
        except StateError:
            self._rows.clear()
            self.close()
            raise
        for each in (self._rows, self._contents, self._pages, self._bodies):
            each.clear()
        self.kept.written()
        self.opt_outs.written()

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

    def snapshot(self, root: dict[str, object], *, compacts: bool = False) -> int:
        """Replace the snapshot by one of `root` at the last committed entry; return bytes written.

        It takes the place of the earlier one in one transaction; if that `compacts`, also of the
        entries before it. Raises SnapshotError for an object that no snapshot can hold, which
        leaves the earlier one and all entries; StateError as `commit` does.
        """
        write = self._database
        with sqlite_file.explained(self.path):
            self._owner.check()
            write.execute("BEGIN IMMEDIATE")
            try:
                self._check_sole_writer()
                entry = write.execute(_LAST).fetchone()[0] or 0
                done = snapshots.write(
                    write, entry, root, self._packer.pack_payload, self._kept_files
                )
                if compacts:
                    compact(write, entry)
            except BaseException:
                write.execute("ROLLBACK")
                raise
            write.execute("COMMIT")
            self._kept_files = done.kept
            # The log has grown by the whole snapshot, and would keep that length.
            write.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        return done.size

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

    def _record(self, op: VisitSettled, page: Page, digest: bytes) -> None:
        details = op.details
        if details is None:
            return
        lead, answer = details.lead, details.answer
        seconds = op.outcome.cost.seconds if isinstance(op.outcome, Fetched) else 0.0
        self._pages.append(
            (page.fingerprint, _clean(page.url), page.relevance, page.energy, op.visit,
             details.agent, lead.depth, _clean(details.parent), _clean(lead.anchor),
             details.status, details.fetched_at, seconds, page.version, digest,
             _clean(details.duplicate_of), " ".join(details.truncated), details.published_at,
             details.changed_at)
        )  # fmt: skip
        if answer is not None:
            headers = json.dumps(answer.headers)
            self._bodies.append((page.fingerprint, answer.status_line, headers, answer.body))

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


def _clean(text: str) -> str:
    """Replace lone surrogates, which SQLite refuses, by question marks."""
    return text if text.isascii() else text.encode("utf-8", "replace").decode()
