"""Crawls that cannot continue without their whole journal refuse `journal=compact`."""

from __future__ import annotations

import re
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from journeys import new_population

from evocrawl.adapter.state import check_compaction
from evocrawl.core.errors import StateError
from evocrawl.store.journal.journaled_population import JournaledPopulation
from evocrawl.store.journal.sqlite_journal import SqliteJournal


@pytest.mark.parametrize(
    ("part", "every_visits", "needs_all", "has_begun", "problem"),
    [
        ([1], 10, False, False, ""),
        (re.finditer("a", "a"), 10, False, False, "no snapshot can be taken: .*callable_iterator"),
        (re.finditer("a", "a"), 10, False, True, ""),
        ([1], 10, True, True, "DUPEFILTER_CLASS has a request_seen of its own"),
        ([1], 0, False, True, "the relevance model learns from every page"),
    ],
)
def test_a_compact_journal_is_refused_in_one_line(
    part: object, every_visits: int, needs_all: bool, has_begun: bool, problem: str, tmp_path: Path
) -> None:
    """Nothing is written by the check."""
    journal = SqliteJournal(tmp_path / "state.sqlite", {})
    population, limits, _ = new_population("best_first", 1)
    journaled = JournaledPopulation(population, limits, journal)
    journaled.snapshots.every_visits = every_visits
    journaled.snapshots.parts["own"] = part
    if problem:
        with pytest.raises(StateError, match=f"^journal=compact cannot be used.*{problem}"):
            check_compaction(journaled, needs_all=needs_all, has_begun=has_begun)
    else:
        check_compaction(journaled, needs_all=needs_all, has_begun=has_begun)
    journal.close()
    with closing(sqlite3.connect(tmp_path / "state.sqlite")) as database:
        tables = {name for (name,) in database.execute("SELECT name FROM sqlite_master")}
    assert "snapshot" not in tables
