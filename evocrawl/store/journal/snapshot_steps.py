"""Writes a snapshot to an SQLite file, some of it at a time, while the crawl goes on."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from itertools import chain
from time import perf_counter

from evocrawl.store.journal.snapshot import snapshot as snapshots
from evocrawl.store.journal.snapshot.graph import SnapshotError


class SnapshotSteps:
    """A snapshot that is being written, and what follows it (`after`): a compaction, or nothing.

    `transaction` opens and ends a transaction; `discard` removes what was written of a snapshot
    that cannot be completed.
    """

    def __init__(
        self,
        new: snapshots.NewSnapshot,
        after: Iterator[None],
        transaction: Callable[[], AbstractContextManager[None]],
        discard: Callable[[], None],
    ) -> None:
        self._new = new
        self._steps = chain(new.steps(), after)
        self._transaction = transaction
        self._discard = discard

    @property
    def size(self) -> int:
        """The bytes of the snapshot, once it is complete."""
        return self._new.size

    def step(self, least_s: float) -> bool:
        """Write for about so many seconds, and commit; return True when all is done.

        Raises SnapshotError for a value that no snapshot can hold: the snapshot before stays.
        Raises StateError if the file cannot be written. Nothing of the snapshot is written then.
        """
        until_s = perf_counter() + least_s
        try:
            with self._transaction():
                for _ in self._steps:
                    if perf_counter() >= until_s:
                        return False
        except SnapshotError:
            self.close()
            with self._transaction():
                self._discard()
            raise
        except BaseException:
            self.close()
            raise
        self.close()
        return True

    def close(self) -> None:
        """Free what was kept for the snapshot, which is completed or given up."""
        self._new.close()
