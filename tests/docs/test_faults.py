"""The page of faults, its catalogue and the tests agree."""

from __future__ import annotations

import runpy
from functools import cache
from pathlib import Path

DOCS = Path(__file__).parents[2] / "docs"
MAKE = runpy.run_path(str(DOCS / "make_faults.py"))
by_id = cache(MAKE["tests_by_id"])


def test_each_fault_has_a_test_or_a_reason_for_none() -> None:
    """A row of the catalogue without a test gives a reason."""
    rows = [row for section in MAKE["catalogue"]()["section"] for row in section["rows"]]
    assert [row["id"] for row in rows if row["id"] not in by_id() and not row.get("without")] == []


def test_each_id_in_a_test_is_in_the_catalogue_once() -> None:
    """A misspelt id would belong to no fault."""
    ids = [row["id"] for section in MAKE["catalogue"]()["section"] for row in section["rows"]]
    assert len(ids) == len(set(ids))
    assert set(by_id()) <= set(ids)


def test_the_page_agrees_with_catalogue_and_tests() -> None:
    """If this fails, run ``python docs/make_faults.py``."""
    assert (DOCS / "reference" / "faults.md").read_text(encoding="utf-8") == MAKE["page"](by_id())
