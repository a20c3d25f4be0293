"""Compaction of a journal: a snapshot takes the place of the entries before it.

The entry of the snapshot itself stays, so that later entries go on with its number. So the journal
of a crawl is compact exactly if its first entry is not the first that was ever written.
"""

from __future__ import annotations

import sqlite3

COMPACT = (
    "the crawl ran with journal=compact, so that the journal of its earlier choices is not kept"
)
"""Says what a reader of a stored crawl lacks."""
_FIRST = "SELECT min(seq) FROM ops"
_DROP_OPS = "DELETE FROM ops WHERE seq < ?"
_DROP_CONTENTS = """
DELETE FROM contents WHERE digest NOT IN (SELECT content FROM pages)
AND digest NOT IN (SELECT content FROM ops WHERE content IS NOT NULL)
"""


def compact(database: sqlite3.Connection, entry: int) -> None:
    """Remove the entries before that of the snapshot, within the transaction that is open.

    Contents that no page has any more are removed, too. O(removed entries + pages).
    """
    database.execute(_DROP_OPS, (entry,))
    database.execute(_DROP_CONTENTS)


def first_entry(database: sqlite3.Connection) -> int:
    """Return the number of the first entry, 1 for an empty journal. O(1)."""
    return int(database.execute(_FIRST).fetchone()[0] or 1)
