"""Connections to the SQLite file of a crawl."""

from __future__ import annotations

import sqlite3

import pytest

from evocrawl.store.journal.sqlite_file import close


class Broken(sqlite3.Connection):
    """A connection on a full disk."""

    def close(self) -> None:
        """Close, and report what could not be written."""
        super().close()
        raise sqlite3.OperationalError("database or disk is full")


def test_each_connection_is_closed_although_another_reports_an_error() -> None:
    """A crawl ends also on a full disk."""
    broken, whole = sqlite3.connect(":memory:", factory=Broken), sqlite3.connect(":memory:")
    close(broken, None, whole)
    with pytest.raises(sqlite3.ProgrammingError, match="closed"):
        whole.execute("SELECT 1")
