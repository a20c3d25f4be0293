"""A store of your own: a journal, which here counts what it records and forwards it to another.

A crawl calls `append` for each operation and `commit` before the next request leaves. A journal
that keeps the operations durably and reads them back in order is enough to continue a crawl:
`evocrawl.store.journal.sqlite_journal.SqliteJournal` does so in a file.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from evocrawl.store.journal.journal import Journal
from evocrawl.store.journal.operations import Op


class CountingJournal:
    """Counts the operations that reach `journal`, by kind."""

    def __init__(self, journal: Journal) -> None:
        self._journal = journal
        self.counts: Counter[str] = Counter()
        self.commits = 0

    def append(self, op: Op) -> None:
        """Add an operation; the next `commit` makes it durable."""
        self.counts[op.tag] += 1
        self._journal.append(op)

    def commit(self) -> None:
        """Make the appended operations durable."""
        self.commits += 1
        self._journal.commit()

    def ops(self) -> Iterator[Op]:
        """Read the operations of earlier runs, in order."""
        return self._journal.ops()

    def close(self) -> None:
        """Close the journal."""
        self._journal.close()
