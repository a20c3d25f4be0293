"""The SQLite file behind a journal: its tables, its marks, and who may use it.

Everything a crawl keeps is in one file in WAL mode. `application_id` marks it as evocrawl's,
`user_version` is the version of the tables. A second file, ``…-lock``, is held in an exclusive
transaction for as long as a crawl uses the state; the system frees it when the process dies.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from evocrawl.errors import StateError

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


def lock(path: Path) -> sqlite3.Connection:
    """Take the state at `path` for this process until the connection is closed.

    Raises StateError where another process has it, or nothing can be written there.
    """
    with explained(path):
        path.parent.mkdir(parents=True, exist_ok=True)
    beside = path.with_name(path.name + "-lock")
    held = sqlite3.connect(beside, timeout=0, isolation_level=None, check_same_thread=False)
    try:
        held.execute("BEGIN EXCLUSIVE")
    except sqlite3.Error as error:
        held.close()
        if "locked" in str(error):
            raise StateError(f"{path}: another process is using this state") from error
        raise StateError(f"{path}: {error}") from error
    return held


def connect(path: Path) -> sqlite3.Connection:
    """Open the state at `path` for writing, made if need be.

    Raises StateError for a file that is something else, damaged, or of a newer version.
    """
    with explained(path):
        database = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
        try:
            if _is_empty(database):
                _make(database)
            _check_marks(database, path)
            database.execute("PRAGMA journal_mode = WAL")
            database.execute("PRAGMA synchronous = NORMAL")
        except BaseException:
            database.close()
            raise
    return database


def connect_to_read(path: Path) -> sqlite3.Connection:
    """Open the state at `path` for reading, also while a crawl is writing it.

    Raises StateError as `connect` does, and where there is no such file.
    """
    if not path.is_file():
        raise StateError(f"{path}: there is no such state")
    with explained(path):
        database = sqlite3.connect(path, isolation_level=None)
        try:
            database.execute("PRAGMA query_only = 1")
            _check_marks(database, path)
        except BaseException:
            database.close()
            raise
    return database


@contextmanager
def explained(path: Path) -> Iterator[None]:
    """Turn whatever SQLite or the system has to complain about into a StateError."""
    try:
        yield
    except (sqlite3.Error, OSError) as error:
        raise StateError(f"{path}: {error}") from error


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


def _pragma(database: sqlite3.Connection, name: str) -> int:
    return int(database.execute(f"PRAGMA {name}").fetchone()[0])
