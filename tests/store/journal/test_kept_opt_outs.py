"""The opt-out files beside the journal."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlite_states import ABOUT

from evocrawl.core.errors import StateError
from evocrawl.politeness.opt_out_files import AI_TXT, FOUND, NONE, TDMREP, OptOutFile
from evocrawl.store.journal.kept_opt_outs import TABLE, KeptOptOuts, has_opt_outs, read_opt_outs
from evocrawl.store.journal.sqlite_journal import SqliteJournal

PLACE = "http://a.test"


@pytest.fixture
def database() -> Iterator[sqlite3.Connection]:
    """Return a database without tables."""
    connection = sqlite3.connect(":memory:", isolation_level=None)
    yield connection
    connection.close()


def test_a_later_answer_replaces_an_earlier_one(database: sqlite3.Connection) -> None:
    """Written or not; those of other servers stay."""
    assert not has_opt_outs(database)
    database.execute(TABLE)
    assert has_opt_outs(database)
    kept = KeptOptOuts()
    assert not kept
    first, other = OptOutFile(PLACE, AI_TXT, NONE), OptOutFile(PLACE, TDMREP, FOUND, "", b"[]")
    elsewhere = OptOutFile("http://b.test", AI_TXT, FOUND, "bot", b"\xff")
    for file in (first, other, elsewhere):
        kept.keep(file)
    assert kept
    assert kept.of(PLACE, database) == {AI_TXT: first, TDMREP: other}
    kept.write(database)
    kept.written()
    assert not kept
    later = OptOutFile(PLACE, AI_TXT, FOUND, "bot", b"User-Agent: *")
    kept.keep(later)
    assert kept.of(PLACE, database) == {AI_TXT: later, TDMREP: other}
    kept.write(database)
    assert {each.path: each for each in read_opt_outs(database, PLACE)} == {
        AI_TXT: later, TDMREP: other,
    }  # fmt: skip
    assert read_opt_outs(database, "http://b.test") == [elsewhere]


def test_a_continued_crawl_has_the_files_of_earlier_runs(tmp_path: Path) -> None:
    """Those that were committed; a damaged row is an error of the state."""
    file = OptOutFile(PLACE, AI_TXT, FOUND, "bot", b"User-Agent: *")
    journal = SqliteJournal(tmp_path / "s", ABOUT)
    journal.opt_outs.keep(file)
    journal.commit()
    journal.opt_outs.keep(OptOutFile(PLACE, TDMREP, NONE))
    journal.close()
    again = SqliteJournal(tmp_path / "s", ABOUT)
    assert again.opt_outs_of(PLACE) == {AI_TXT: file}
    assert again.opt_outs_of("http://b.test") == {}
    again.close()
    with sqlite3.connect(tmp_path / "s") as database:
        database.execute("UPDATE opt_outs SET packed = x'5b315d'")
    database.close()
    harmed = SqliteJournal(tmp_path / "s", ABOUT)
    with pytest.raises(StateError, match="a kept file is damaged"):
        harmed.opt_outs_of(PLACE)
    harmed.close()
