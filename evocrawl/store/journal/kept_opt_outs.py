"""The opt-out files of servers, beside the journal in its SQLite file."""

from __future__ import annotations

import sqlite3

from evocrawl.politeness.opt_out_files import FILES, OptOutFile

TABLE = """
CREATE TABLE IF NOT EXISTS opt_outs (
    authority TEXT NOT NULL, path TEXT NOT NULL, packed BLOB NOT NULL, PRIMARY KEY (authority, path)
) WITHOUT ROWID
"""
_WRITE = "REPLACE INTO opt_outs VALUES (?, ?, ?)"
_READ = "SELECT path, packed FROM opt_outs WHERE authority = ?"
_HAS_TABLE = "SELECT 1 FROM sqlite_master WHERE name = 'opt_outs'"


class KeptOptOuts:
    """Files that the journal's next commit makes durable; a later answer replaces an earlier one.

    Every method is O(1) or O(log n), `write` O(its rows).
    """

    def __init__(self) -> None:
        self._new: dict[tuple[str, str], OptOutFile] = {}

    def __bool__(self) -> bool:
        """Return True if there are files that are not written."""
        return bool(self._new)

    def keep(self, file: OptOutFile) -> None:
        """Keep what a server has answered."""
        self._new[file.authority, file.path] = file

    def of(self, authority: str, database: sqlite3.Connection) -> dict[str, OptOutFile]:
        """Return the files of a server by their paths, written or not."""
        found = {each.path: each for each in read_opt_outs(database, authority)}
        new = {path: self._new[authority, path] for path in FILES if (authority, path) in self._new}
        return found | new

    def write(self, database: sqlite3.Connection) -> None:
        """Write the files within the transaction that is open."""
        for each in self._new.values():
            database.execute(_WRITE, (each.authority, each.path, each.pack()))

    def written(self) -> None:
        """Note that the transaction has been committed."""
        self._new.clear()


def read_opt_outs(database: sqlite3.Connection, authority: str) -> list[OptOutFile]:
    """Return the files of a server that are written; raises ValueError for a damaged row."""
    rows = database.execute(_READ, (authority,))
    return [OptOutFile.unpack(authority, path, bytes(packed)) for path, packed in rows]


def has_opt_outs(database: sqlite3.Connection) -> bool:
    """Return False for the file of a version that knew no opt-outs."""
    return database.execute(_HAS_TABLE).fetchone() is not None
