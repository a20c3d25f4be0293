"""Compaction of a journal: a snapshot takes the place of the entries before it.

The entry of the snapshot itself stays, so that later entries go on with its number. So the journal
of a crawl is compact exactly if its first entry is not the first that was ever written.

Entries are removed from the first one on, a few at a time. Then contents go that no page has any
more: each was noted when its page got another one, so that a crawl that is killed meanwhile removes
it at its next compaction.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator

COMPACT = (
    "the crawl ran with journal=compact, so that the journal of its earlier choices is not kept"
)
"""Says what a reader of a stored crawl lacks."""
TABLE = "CREATE TABLE IF NOT EXISTS replaced (content BLOB PRIMARY KEY) WITHOUT ROWID"
"""Contents that a page does not have any more."""
_FIRST = "SELECT min(seq) FROM ops"
_OPS = 400
"""Entries removed in a step."""
_DROP_OPS = "DELETE FROM ops WHERE seq < ?"
_HAS_REPLACED = "SELECT 1 FROM replaced LIMIT 1"
_ROWS = "SELECT max(rowid) FROM pages"
_PAGES = 4000
"""Rows of pages looked at in a step."""
_SPARE = """
DELETE FROM replaced WHERE content IN (SELECT content FROM pages WHERE rowid > ? AND rowid <= ?)
"""
_FORGET = "DELETE FROM replaced WHERE content NOT IN (SELECT digest FROM contents)"
_NEXT = """
SELECT max(content) FROM
(SELECT content FROM replaced WHERE content > ? ORDER BY content LIMIT 500)
"""
_DROP_CONTENTS = """
DELETE FROM contents WHERE digest IN
(SELECT content FROM replaced WHERE content > ? AND content <= ?)
AND digest NOT IN (SELECT content FROM ops WHERE content IS NOT NULL)
"""


def compact(database: sqlite3.Connection, entry: int) -> Iterator[None]:
    """Remove the entries before that of a snapshot, a little at each step.

    Each step is within a transaction that is open then; the steps may be in different ones.
    O(removed entries, and pages if one has another content than before).
    """
    first = first_entry(database)
    while first < entry:
        first = min(first + _OPS, entry)
        database.execute(_DROP_OPS, (first,))
        yield
    if database.execute(_HAS_REPLACED).fetchone() is None:
        return
    for row in range(0, database.execute(_ROWS).fetchone()[0] or 0, _PAGES):
        database.execute(_SPARE, (row, row + _PAGES))
        yield
    done = b""
    while (until := database.execute(_NEXT, (done,)).fetchone()[0]) is not None:
        # A page that got one of these contents meanwhile has an entry, which is there.
        database.execute(_DROP_CONTENTS, (done, until))
        done = until
        yield
    database.execute(_FORGET)


def first_entry(database: sqlite3.Connection) -> int:
    """Return the number of the first entry, 1 for an empty journal. O(1)."""
    return int(database.execute(_FIRST).fetchone()[0] or 1)
