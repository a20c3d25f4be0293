"""A store is used by one process at a time, checked by the file and not by its name."""

from __future__ import annotations

import os
import shutil
import sqlite3
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from evocrawl.core.errors import StateError
from evocrawl.core.model import Link
from evocrawl.core.urls.identity import fingerprint
from evocrawl.store.archive import Archive
from evocrawl.store.journal.operations import Placed
from evocrawl.store.journal.sqlite_journal import SqliteJournal

ABOUT = {"query": "coral"}
URL = "http://a.test/"
OP = Placed((Link(URL, fingerprint(URL)),))


@pytest.fixture
def state(tmp_path: Path) -> Path:
    return tmp_path / "s.sqlite"


@pytest.fixture
def journal(state: Path) -> Iterator[SqliteJournal]:
    """A journal that a crawl is writing."""
    journal = SqliteJournal(state, ABOUT)
    journal.append(OP)
    journal.commit()
    yield journal
    journal.close()


@pytest.mark.parametrize("link", [os.symlink, os.link], ids=["symbolic", "hard"])
@pytest.mark.parametrize("locked", [True, False])
def test_a_state_in_use_is_refused_by_any_name(
    journal: SqliteJournal, state: Path, link: Callable[[Path, Path], None], locked: bool
) -> None:
    """Also if the lock file was deleted; the first crawl continues."""
    other = state.with_name("other.sqlite")
    link(state, other)
    if not locked:
        state.with_name("s.sqlite-lock").unlink()
    for path in (state, other):
        with pytest.raises(StateError, match=f"{path}: another process is using this state"):
            SqliteJournal(path, ABOUT)
    journal.append(OP)
    journal.commit()


def test_a_store_may_be_opened_by_another_name_when_it_is_complete(
    journal: SqliteJournal, state: Path
) -> None:
    """Not while the latest writes are in a file beside the first name; the error names it."""
    other = state.with_name("other.sqlite")
    os.link(state, other)
    with pytest.raises(StateError, match=f"{other}: this file is the state {state} by another"):
        Archive(other)
    with Archive(state) as archive:
        assert list(archive.ops()) == [OP]
    journal.close()
    again = SqliteJournal(other, ABOUT)
    assert list(again.ops()) == [OP]
    again.close()


@pytest.mark.parametrize("ending", ["", "-wal", "-shm"])
@pytest.mark.parametrize("replaced", [True, False])
def test_a_deleted_store_is_noticed(
    journal: SqliteJournal, state: Path, ending: str, replaced: bool
) -> None:
    """At the next commit, even if it is the last one and is empty."""
    file = Path(f"{state}{ending}")
    copy = state.with_name("copy")
    shutil.copy(file, copy)
    file.unlink()
    if replaced:
        copy.rename(file)
    what = "has been replaced by another file" if replaced else "is gone"
    with pytest.raises(StateError, match=f"s.sqlite{ending} {what}"):
        journal.commit()
    journal.append(OP)
    journal.commit()


def test_a_second_writer_is_noticed(journal: SqliteJournal, state: Path) -> None:
    """Also if it ignores locks; readers do not count."""
    with Archive(state) as archive:
        assert len(archive) == 0
    journal.append(OP)
    journal.commit()
    with sqlite3.connect(state) as database:
        database.execute("DELETE FROM contents")
        database.execute("UPDATE ops SET at = 1")
    database.close()
    journal.append(OP)
    with pytest.raises(StateError, match="another process has written to this state"):
        journal.commit()


@pytest.mark.parametrize(
    ("name", "problem"),
    [
        ("file/s.sqlite", "file: Not a directory"),
        ("file/below/s.sqlite", "Not a directory"),
        (f"{'a' * 300}.sqlite", "File name too long"),
        ("a" * 252, "File name too long"),
        (f"{'a' * 300}/s.sqlite", "File name too long"),
        ("loop", "Too many levels of symbolic links"),
    ],
)
def test_a_path_that_cannot_be_used_is_named(tmp_path: Path, name: str, problem: str) -> None:
    """With the reason, in one line."""
    (tmp_path / "file").touch()
    (tmp_path / "loop").symlink_to(tmp_path / "loop")
    with pytest.raises(StateError, match=problem) as refused:
        SqliteJournal(tmp_path / name, ABOUT)
    assert str(refused.value).startswith(f"{tmp_path / name}: ")
    assert "\n" not in str(refused.value)
