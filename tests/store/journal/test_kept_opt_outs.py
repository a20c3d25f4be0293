"""The opt-out files beside the journal."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator

import pytest

from evocrawl.politeness.opt_out_files import AI_TXT, FOUND, NONE, TDMREP, OptOutFile
from evocrawl.store.journal.kept_opt_outs import TABLE, KeptOptOuts, has_opt_outs, read_opt_outs

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
