"""Stores that are refused: another crawl's, another program's, in use, damaged or too new."""

from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from sqlite_states import ABOUT, landed, page, read, written

from evocrawl.core.errors import StateError
from evocrawl.core.model import (
    Link,
)
from evocrawl.store.journal.journal import NoJournal
from evocrawl.store.journal.operations import (
    Placed,
    Spent,
)
from evocrawl.store.journal.sqlite_journal import SqliteJournal


def test_the_state_of_another_crawl_is_refused(tmp_path: Path) -> None:
    """R6: every difference is named, with both values."""
    written(tmp_path / "s", Spent(1))
    with pytest.raises(StateError, match='query was "coral", is "fish"; seed was 1, is 2'):
        SqliteJournal(tmp_path / "s", {"query": "fish", "seed": 2})
    with pytest.raises(StateError, match="seed was 1, is not set"):
        SqliteJournal(tmp_path / "s", {"query": "coral"})
    assert read(tmp_path / "s") == [Spent(1)]


def test_a_file_of_something_else_is_refused(tmp_path: Path) -> None:
    """Another program's database, and a file that is no database, are not changed."""
    with sqlite3.connect(tmp_path / "other") as database:
        database.execute("CREATE TABLE mine (x)")
    database.close()
    (tmp_path / "text").write_text("not a database, certainly not one\n" * 99)
    for name, problem in (("other", "not a state of evocrawl"), ("text", "not a database")):
        before = (tmp_path / name).read_bytes()
        with pytest.raises(StateError, match=f"{name}: .*{problem}"):
            SqliteJournal(tmp_path / name, ABOUT)
        assert (tmp_path / name).read_bytes() == before
    # A mistyped name leaves no file.
    assert {path.name for path in tmp_path.iterdir()} == {"other", "text"}


def test_a_refused_state_keeps_its_lock_file(tmp_path: Path) -> None:
    """A file that an earlier crawl made stays, also if this crawl may not continue it."""
    written(tmp_path / "s", Spent(1))
    with pytest.raises(StateError, match="query was"):
        SqliteJournal(tmp_path / "s", {"query": "fish", "seed": 1})
    assert (tmp_path / "s-lock").exists()


def test_a_newer_version_is_refused(tmp_path: Path) -> None:
    """C7: both versions are named."""
    written(tmp_path / "s", Spent(1))
    with sqlite3.connect(tmp_path / "s") as database:
        database.execute("PRAGMA user_version = 99")
    database.close()
    with pytest.raises(StateError, match="of version 99, this evocrawl knows 2"):
        SqliteJournal(tmp_path / "s", ABOUT)


def test_a_state_in_use_is_refused(tmp_path: Path) -> None:
    """C6: by this process and by another; it is free when the other has ended."""
    first = SqliteJournal(tmp_path / "s", ABOUT)
    with pytest.raises(StateError, match="another process is using"):
        SqliteJournal(tmp_path / "s", ABOUT)
    code = (
        "import sys; from evocrawl.store.journal.sqlite_journal import SqliteJournal\n"
        "SqliteJournal(sys.argv[1], {'query': 'coral', 'seed': 1})"
    )
    line = [sys.executable, "-c", code, str(tmp_path / "s")]
    other = subprocess.run(line, capture_output=True, text=True, check=False)
    assert "another process is using" in other.stderr
    first.close()
    assert subprocess.run(line, check=False, capture_output=True).returncode == 0


def test_an_incomplete_store_is_made_again(tmp_path: Path) -> None:
    """B061: a process that is killed at once leaves an empty file."""
    (tmp_path / "s").touch()
    assert read(tmp_path / "s") == []


def test_an_incomplete_end_loses_only_its_own_entries(tmp_path: Path) -> None:
    """R4, C4, B059: all other entries are read, in order."""
    journal = SqliteJournal(tmp_path / "s", ABOUT)
    for number in range(50):
        journal.append(Spent(number))
        journal.commit()
    copy = tmp_path / "copy"
    copy.write_bytes((tmp_path / "s").read_bytes())
    wal = (tmp_path / "s-wal").read_bytes()
    Path(f"{copy}-wal").write_bytes(wal[: len(wal) * 2 // 3])
    journal.close()
    survivors = read(copy)
    assert 0 < len(survivors) < 50
    assert survivors == [Spent(number) for number in range(len(survivors))]


def test_a_damaged_file_is_refused(tmp_path: Path) -> None:
    """C10, B059: found by SQLite or by an invalid entry."""
    written(tmp_path / "s", *[landed(page(f"http://a.test/{n}", "x" * n)) for n in range(400)])
    whole = (tmp_path / "s").read_bytes()
    (tmp_path / "s").write_bytes(whole[: len(whole) // 2])
    with pytest.raises(StateError, match="malformed"):
        read(tmp_path / "s")
    written(tmp_path / "t", Spent(1))
    with sqlite3.connect(tmp_path / "t") as database:
        database.execute("UPDATE ops SET kind = 'settle'")
    database.close()
    with pytest.raises(StateError, match="cannot be read"):
        read(tmp_path / "t")


def test_a_full_disk_is_an_error_and_loses_no_committed_entry(tmp_path: Path) -> None:
    """R7, C5: no entry is stored after the first failure: a journal has no gaps."""
    journal = SqliteJournal(tmp_path / "s", ABOUT)
    journal.append(Spent(1))
    journal.commit()
    journal._database.execute("PRAGMA max_page_count = 1")
    for number in range(200):
        journal.append(landed(page(f"http://a.test/{number}", os.urandom(999).hex())))
    with pytest.raises(StateError, match="full"):
        journal.commit()
    journal.append(Spent(2))
    journal.commit()
    assert read(tmp_path / "s") == [Spent(1)]


def test_links_with_payloads_need_a_codec_for_them(tmp_path: Path) -> None:
    """No entry is stored that could not be read."""
    journal = SqliteJournal(tmp_path / "s", ABOUT)
    link = replace(Link("http://a.test/", b"x" * 12), payload=object())
    with pytest.raises(StateError, match="carries object"):
        journal.append(Placed((link,)))
    journal.close()


def test_a_crawl_without_a_store_has_a_journal_that_stores_nothing() -> None:
    """A crawl in memory uses the same code."""
    journal = NoJournal()
    journal.append(Spent(1))
    journal.commit()
    assert list(journal.ops()) == []
    journal.close()


def test_a_state_in_which_no_run_has_begun_belongs_to_no_crawl(tmp_path: Path) -> None:
    """A run that was refused for a wrong argument leaves it: the right argument then counts."""
    SqliteJournal(tmp_path / "s", {"query": "coral", "seeds": "wrong"}).close()
    journal = SqliteJournal(tmp_path / "s", ABOUT)
    assert not journal.has_begun
    journal.append(Spent(1))
    journal.commit()
    journal.close()
    with pytest.raises(StateError, match='query was "coral", is "fish"'):
        SqliteJournal(tmp_path / "s", {**ABOUT, "query": "fish"})
    again = SqliteJournal(tmp_path / "s", ABOUT)
    assert again.has_begun
    again.close()
