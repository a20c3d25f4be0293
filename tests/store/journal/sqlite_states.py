"""Shared by the tests of the SQLite journal: settled pages, and written and read stores."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from evocrawl.core.fetch import FetchDetails
from evocrawl.core.model import (
    Content,
    Cost,
    Fetched,
    Lead,
    Page,
)
from evocrawl.core.urls.identity import fingerprint
from evocrawl.store.journal.operations import (
    Op,
    VisitSettled,
)
from evocrawl.store.journal.sqlite_journal import SqliteJournal

ABOUT = {"query": "coral", "seed": 1}


def page(url: str = "http://a.test/", text: str = "coral", version: bytes = b"1") -> Page:
    return Page(url, fingerprint(url), 0.5, 2.0, (), version, Content("title", text, "en"))


def landed(page: Page, visit: int = 1, **reported: Any) -> VisitSettled:
    lead = Lead(page.url, page.fingerprint, "a.test", b"", 2, 0.5, "an anchor \ud800")
    details = FetchDetails(7, lead, fetched_at="2026-01-01T00:00:00.000+00:00", **reported)
    return VisitSettled(visit, Fetched(page, Cost(1.5)), details)


def written(path: Path, *ops: Op) -> None:
    journal = SqliteJournal(path, ABOUT)
    for op in ops:
        journal.append(op)
    journal.commit()
    journal.close()


def read(path: Path) -> list[Op]:
    journal = SqliteJournal(path, ABOUT)
    try:
        return list(journal.ops())
    finally:
        journal.close()
