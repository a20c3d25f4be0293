"""The SQLite file behind a journal: its tables, its version marks and its connections.

A crawl keeps everything in one file in WAL mode. `application_id` marks it as evocrawl's file,
`user_version` is the version of the tables. `evocrawl.store.journal.ownership` locks it.

SQLite keeps recent writes in a second file (``…-wal``), which it finds by the name of the state. If
the state were opened by another of its names (a hard link), these writes would be missing. So each
crawl stores the name by which it has opened the state.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from evocrawl.core.errors import StateError
from evocrawl.core.files import problem_of
from evocrawl.store.journal.compaction import TABLE as REPLACED
from evocrawl.store.journal.kept_opt_outs import TABLE as OPT_OUTS

APPLICATION_ID = 0x65766F63  # "evoc"
SCHEMA_VERSION = 2
_NO_STATE = "not a state of evocrawl; give the file of a crawl, or a new path for a new crawl"
_NO_DATABASE = "not a database; give the file of a crawl, or a new path for a new crawl"
_HEADER = b"SQLite format 3\0"
"""First bytes of each SQLite file with tables (https://sqlite.org/fileformat.html, 1.3)."""

_TABLES = """
CREATE TABLE about (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE ops (
    seq INTEGER PRIMARY KEY,
    kind TEXT NOT NULL,
    at REAL,
    visit INTEGER,
    key BLOB,
    content BLOB,
    data TEXT
);
CREATE TABLE contents (digest BLOB NOT NULL UNIQUE, packed BLOB NOT NULL);
CREATE TABLE pages (
    fingerprint BLOB PRIMARY KEY,
    url TEXT NOT NULL,
    relevance REAL NOT NULL,
    energy REAL NOT NULL,
    visit INTEGER NOT NULL,
    agent INTEGER NOT NULL,
    depth INTEGER NOT NULL,
    parent TEXT NOT NULL,
    anchor TEXT NOT NULL,
    status INTEGER NOT NULL,
    fetched_at TEXT NOT NULL,
    seconds REAL NOT NULL,
    version BLOB NOT NULL,
    content BLOB NOT NULL,
    duplicate_of TEXT NOT NULL,
    truncated TEXT NOT NULL,
    published_at TEXT NOT NULL,
    changed_at TEXT NOT NULL,
    visits INTEGER NOT NULL DEFAULT 1
);
CREATE INDEX pages_by_visit ON pages (visit);
CREATE TABLE bodies (
    fingerprint BLOB PRIMARY KEY,
    status_line TEXT NOT NULL,
    headers TEXT NOT NULL,
    body BLOB NOT NULL
);
"""


_OPENED = "CREATE TABLE IF NOT EXISTS opened (one INTEGER PRIMARY KEY, path BLOB NOT NULL)"
"""The name by which a crawl last opened the state."""

_KEPT = "CREATE TABLE IF NOT EXISTS kept (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID"
"""The table of `evocrawl.store.journal.kept_values`."""


def refuse_other_content(path: Path) -> None:
    """Raise StateError if the file has other content, which SQLite overwrites if it is short."""
    if not os.path.isfile(path):
        return
    with explained(path), open(path, "rb") as file:
        header = file.read(len(_HEADER))
    if header and header != _HEADER:
        raise StateError(f"{path}: {_NO_DATABASE}")


def connect(path: Path) -> sqlite3.Connection:
    """Open the state at `path` for writing; create it if it does not exist.

    Raises StateError if the file is no state of evocrawl, is damaged, or has another version.
    """
    with explained(path):
        real = os.path.realpath(path)
        database = sqlite3.connect(real, isolation_level=None, check_same_thread=False)
        try:
            if _is_empty(database):
                _make(database)
            _check_marks(database, path)
            _check_name(database, path)
            database.execute("PRAGMA journal_mode = WAL")
            database.execute("PRAGMA synchronous = NORMAL")
            database.execute(_OPENED)
            database.execute(_KEPT)
            database.execute(OPT_OUTS)
            database.execute(REPLACED)
            database.execute("REPLACE INTO opened VALUES (1, ?)", (os.fsencode(real),))
            database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        except BaseException:
            database.close()
            raise
    return database


def connect_to_read(path: Path) -> sqlite3.Connection:
    """Open the state at `path` for reading, also while a crawl is writing it.

    Raises StateError as `connect` does, and if the file does not exist.
    """
    if not os.path.isfile(path):
        problem = "this is a folder" if os.path.isdir(path) else "there is no such state"
        raise StateError(f"{path}: {problem}; give the SQLite file of a crawl")
    with explained(path):
        database = sqlite3.connect(os.path.realpath(path), isolation_level=None)
        try:
            database.execute("PRAGMA query_only = 1")
            _check_marks(database, path)
            _check_name(database, path)
        except BaseException:
            database.close()
            raise
    return database


@contextmanager
def explained(path: Path) -> Iterator[None]:
    """Turn an error of SQLite or of the system into a StateError."""
    try:
        yield
    except sqlite3.Error as error:
        is_other = getattr(error, "sqlite_errorcode", None) == sqlite3.SQLITE_NOTADB
        raise StateError(f"{path}: {_NO_DATABASE if is_other else error}") from error
    except OSError as error:
        raise StateError(f"{path}: {problem_of(error)}") from error


def close(*connections: sqlite3.Connection | None) -> None:
    """Close the connections, even if SQLite reports an error such as a full disk."""
    for connection in connections:
        if connection is not None:
            with suppress(sqlite3.Error):
                connection.close()


def _is_empty(database: sqlite3.Connection) -> bool:
    """Return True for a file without tables: new, or left by a process that was killed."""
    marked = _pragma(database, "application_id") or _pragma(database, "user_version")
    tables = database.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]
    return not marked and not tables


def _make(database: sqlite3.Connection) -> None:
    marks = f"PRAGMA application_id = {APPLICATION_ID}; PRAGMA user_version = {SCHEMA_VERSION};"
    database.executescript(f"BEGIN;{marks}{_TABLES}COMMIT;")


def _check_marks(database: sqlite3.Connection, path: Path) -> None:
    if _pragma(database, "application_id") != APPLICATION_ID:
        raise StateError(f"{path}: {_NO_STATE}")
    version = _pragma(database, "user_version")
    if version != SCHEMA_VERSION:
        raise StateError(
            f"{path}: its tables are of version {version}, this evocrawl knows {SCHEMA_VERSION}; "
            "continue it with the evocrawl that made it, or give the path of a new file"
        )


def _check_name(database: sqlite3.Connection, path: Path) -> None:
    """Raise StateError if recent writes lie beside another name of the same file."""
    has_name = database.execute("SELECT 1 FROM sqlite_master WHERE name = 'opened'").fetchone()
    if not has_name or os.stat(path).st_nlink < 2:
        return
    for (name,) in database.execute("SELECT path FROM opened"):
        other = os.fsdecode(name)
        is_other = other != os.path.realpath(path) and os.path.exists(other)
        if is_other and os.path.samefile(other, path) and _size(f"{other}-wal"):
            raise StateError(
                f"{path}: this file is the state {other} by another name (a hard link), and its "
                "latest entries are in a file beside that name: use that name"
            )


def _size(path: str) -> int:
    return os.path.getsize(path) if os.path.exists(path) else 0


def _pragma(database: sqlite3.Connection, name: str) -> int:
    return int(database.execute(f"PRAGMA {name}").fetchone()[0])
