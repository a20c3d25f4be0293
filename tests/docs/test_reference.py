"""The reference page and the code say the same."""

from __future__ import annotations

import runpy
from pathlib import Path

from evocrawl.core.budget import Budget
from evocrawl.core.ledger import Ledger
from evocrawl.core.stats import STATS, report

DOCS = Path(__file__).parent.parent.parent / "docs"


def test_the_page_agrees_with_the_tables() -> None:
    """A new option, stat or meta key without its entry fails here."""
    make = runpy.run_path(str(DOCS / "make_reference.py"))
    assert (DOCS / "reference" / "settings.md").read_text(encoding="utf-8") == make["reference"]()


def test_every_stat_that_is_reported_is_declared() -> None:
    """The table has every stat that is set."""
    assert set(report(Ledger(), Budget(1))) <= set(STATS)
