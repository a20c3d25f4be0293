"""The SQLite file behind a journal: its tables, its marks, and who may use it.

Everything a crawl keeps is in one file in WAL mode. `application_id` marks it as evocrawl's,
`user_version` is the version of the tables. Who may write it: see
`evocrawl.store.journal.ownership`.

What was written last is in a file of its own (``…-wal``) that SQLite finds by the state's name. A
state that is opened by another of its names (a hard link) would be read without. So each crawl
writes down by which name it has opened the state.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from evocrawl.core.errors import StateError
from evocrawl.core.files import problem_of

APPLICATION_ID = 0x65766F63  # "evoc"
SCHEMA_VERSION = 2

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
"""The name by which a crawl has opened the state last."""


def connect(path: Path) -> sqlite3.Connection:
    """Open the state at `path` for writing, made if need be.

    Raises StateError for a file that is something else, damaged, or of a newer version.
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
            database.execute("REPLACE INTO opened VALUES (1, ?)", (os.fsencode(real),))
            database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        except BaseException:
            database.close()
            raise
    return database


def connect_to_read(path: Path) -> sqlite3.Connection:
    """Open the state at `path` for reading, also while a crawl is writing it.

    Raises StateError as `connect` does, and where there is no such file.
    """
    if not os.path.isfile(path):
        raise StateError(f"{path}: there is no such state")
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
    """Turn whatever SQLite or the system has to complain about into a StateError."""
    try:
        yield
    except sqlite3.Error as error:
        raise StateError(f"{path}: {error}") from error
    except OSError as error:
        raise StateError(f"{path}: {problem_of(error)}") from error


def close(*connections: sqlite3.Connection | None) -> None:
    """Close what is open; a disk that is full cannot keep it from closing."""
    for connection in connections:
        if connection is not None:
            with suppress(sqlite3.Error):
                connection.close()


def _is_empty(database: sqlite3.Connection) -> bool:
    """A file without any table: new, or left by a process that died while making it."""
    marked = _pragma(database, "application_id") or _pragma(database, "user_version")
    tables = database.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]
    return not marked and not tables


def _make(database: sqlite3.Connection) -> None:
    marks = f"PRAGMA application_id = {APPLICATION_ID}; PRAGMA user_version = {SCHEMA_VERSION};"
    database.executescript(f"BEGIN;{marks}{_TABLES}COMMIT;")


def _check_marks(database: sqlite3.Connection, path: Path) -> None:
    if _pragma(database, "application_id") != APPLICATION_ID:
        raise StateError(f"{path}: not a state of evocrawl")
    version = _pragma(database, "user_version")
    if version != SCHEMA_VERSION:
        raise StateError(
            f"{path}: its tables are of version {version}, this evocrawl knows {SCHEMA_VERSION}"
        )


def _check_name(database: sqlite3.Connection, path: Path) -> None:
    """Refuse one of several names where what was written last lies beside another of them."""
    is_told = database.execute("SELECT 1 FROM sqlite_master WHERE name = 'opened'").fetchone()
    if not is_told or os.stat(path).st_nlink < 2:
        return
    for (name,) in database.execute("SELECT path FROM opened"):
        other = os.fsdecode(name)
        is_other = other != os.path.realpath(path) and os.path.exists(other)
        if is_other and os.path.samefile(other, path) and _size(f"{other}-wal"):
            raise StateError(
                f"{path}: this file is the state {other} by another name (a hard link), and what "
                "was written last lies beside that name: use that one"
            )


def _size(path: str) -> int:
    return os.path.getsize(path) if os.path.exists(path) else 0


def _pragma(database: sqlite3.Connection, name: str) -> int:
    return int(database.execute(f"PRAGMA {name}").fetchone()[0])
