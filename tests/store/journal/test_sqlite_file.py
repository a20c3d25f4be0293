"""Connections to the SQLite file of a crawl."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest

from evocrawl.core.errors import StateError
from evocrawl.store.journal.sqlite_file import close, connect_to_read


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


def test_what_is_no_file_is_refused_with_its_path(tmp_path: Path) -> None:
    """SQLite would make an empty one."""
    for path, problem in ((tmp_path, "this is a folder"), (tmp_path / "no", "there is no such")):
        with pytest.raises(StateError, match=f"^{path}: {problem}"):
            connect_to_read(path)
    assert not [*tmp_path.iterdir()]
