"""The records of pages, each exactly once by its fingerprint, and the responses.

A later visit increments `visits`, and updates the record if the content has changed.
"""

from __future__ import annotations

import json
import sqlite3
from typing import Any

from evocrawl.core.model import Fetched, Page
from evocrawl.store.journal.operations import VisitSettled

_COLUMNS = (
    "fingerprint", "url", "relevance", "energy", "visit", "agent", "depth", "parent", "anchor",
    "status", "fetched_at", "seconds", "version", "content", "duplicate_of", "truncated",
    "published_at", "changed_at",
)  # fmt: skip
_ADD = f"""
INSERT INTO pages ({", ".join(_COLUMNS)})
VALUES ({", ".join(f":{each}" for each in _COLUMNS)})
ON CONFLICT (fingerprint) DO NOTHING
"""
_COUNT_VISIT = "UPDATE pages SET visits = visits + 1 WHERE fingerprint = :fingerprint"
_RENEW = """
UPDATE pages SET url = :url, relevance = :relevance, energy = :energy, status = :status,
                 fetched_at = :fetched_at, seconds = :seconds, version = :version,
                 content = :content, duplicate_of = :duplicate_of, truncated = :truncated,
                 published_at = :published_at, changed_at = :changed_at
WHERE fingerprint = :fingerprint AND version <> :version
"""
_NOTE_REPLACED = """
INSERT OR IGNORE INTO replaced SELECT content FROM pages
WHERE fingerprint = :fingerprint AND version <> :version AND content <> :content
"""
_ADD_BODY = "REPLACE INTO bodies (fingerprint, status_line, headers, body) VALUES (?, ?, ?, ?)"


class PageRows:
    """Records of pages that wait for the next commit."""

    def __init__(self) -> None:
        self._pages: list[tuple[Any, ...]] = []
        self._bodies: list[tuple[Any, ...]] = []

    def add(self, op: VisitSettled, page: Page, digest: bytes) -> None:
        """Add the page of a visit; `digest` is that of its content."""
        details = op.details
        if details is None:
            return
        lead, answer = details.lead, details.answer
        seconds = op.outcome.cost.seconds if isinstance(op.outcome, Fetched) else 0.0
        self._pages.append(
            (page.fingerprint, _clean(page.url), page.relevance, page.energy, op.visit,
             details.agent, lead.depth, _clean(details.parent), _clean(lead.anchor),
             details.status, details.fetched_at, seconds, page.version, digest,
             _clean(details.duplicate_of), " ".join(details.truncated), details.published_at,
             details.changed_at)
        )  # fmt: skip
        if answer is not None:
            headers = json.dumps(answer.headers)
            self._bodies.append((page.fingerprint, answer.status_line, headers, answer.body))

    def write(self, database: sqlite3.Connection) -> None:
        """Write the records within the transaction that is open."""
        for values in self._pages:
            page = dict(zip(_COLUMNS, values, strict=True))
            if not database.execute(_ADD, page).rowcount:
                database.execute(_COUNT_VISIT, page)
                database.execute(_NOTE_REPLACED, page)
                database.execute(_RENEW, page)
        database.executemany(_ADD_BODY, self._bodies)

    def written(self) -> None:
        """Forget the records, which are durable now."""
        self._pages.clear()
        self._bodies.clear()


def _clean(text: str) -> str:
    """Replace lone surrogates, which SQLite refuses, by question marks."""
    return text if text.isascii() else text.encode("utf-8", "replace").decode()
