"""Stores values by key beside the journal of a crawl; the last value of each key counts."""

from __future__ import annotations

import json
import sqlite3
from typing import Any

_WRITE = "REPLACE INTO kept VALUES (?, ?)"
_DELETE = "DELETE FROM kept WHERE key = ?"


class KeptValues:
    """JSON values by key in the journal's SQLite file; the journal's commit makes them durable.

    A later value of a key replaces an earlier one. Every method is O(1), `read` and `write` O(their
    rows).
    """

    def __init__(self) -> None:
        self._changes: dict[str, str | None] = {}

    def __bool__(self) -> bool:
        """Return True if there are changes that are not written."""
        return bool(self._changes)

    def keep(self, key: str, value: Any) -> None:
        """Keep `value`, which JSON can hold, as the value of `key`."""
        self._changes[key] = json.dumps(value, allow_nan=False, separators=(",", ":"))

    def forget(self, key: str) -> None:
        """Remove the value of `key`."""
        self._changes[key] = None

    def read(self, database: sqlite3.Connection) -> dict[str, Any]:
        """Return the values that are written, in the order of their keys."""
        rows = database.execute("SELECT key, value FROM kept ORDER BY key")
        return {key: json.loads(value) for key, value in rows}

    def write(self, database: sqlite3.Connection) -> None:
        """Write the changes within the transaction that is open."""
        for key, value in self._changes.items():
            if value is None:
                database.execute(_DELETE, (key,))
            else:
                database.execute(_WRITE, (key, value))

    def written(self) -> None:
        """Note that the transaction has been committed."""
        self._changes.clear()
