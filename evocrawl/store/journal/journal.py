"""The interface of a journal, and the journal of a crawl that is not stored."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Protocol, runtime_checkable

from evocrawl.store.journal.operations import Op
from evocrawl.store.journal.snapshot_steps import SnapshotSteps


class Journal(Protocol):
    """Records the operations of a crawl. `has_begun` is True if an earlier run has recorded any."""

    has_begun: bool

    def append(self, op: Op) -> None:
        """Add an operation; the next `commit` makes it durable."""

    def commit(self) -> None:
        """Make the appended operations durable. Raises StateError on failure."""

    def ops(self) -> Iterator[Op]:
        """Read the operations of earlier runs, in order."""

    def close(self) -> None:
        """Close the state; ignore later operations."""


@runtime_checkable
class SnapshotJournal(Protocol):
    """A journal that also stores snapshots, as `SqliteJournal` does."""

    def begin_snapshot(self, root: dict[str, object], *, compacts: bool) -> SnapshotSteps:
        """Begin a snapshot of `root` as of now, at the last entry; return its steps.

        If it `compacts`, it takes the place of the entries before it. Raises SnapshotError.
        """

    def check_snapshot(self, root: dict[str, object]) -> None:
        """Raise SnapshotError if no snapshot can hold an object of `root`; write nothing."""


class NoJournal:
    """Records nothing: the journal of a crawl in memory."""

    has_begun = False

    def append(self, op: Op) -> None:
        """Do nothing."""

    def commit(self) -> None:
        """Do nothing."""

    def ops(self) -> Iterator[Op]:
        """Return no operations."""
        return iter(())

    def close(self) -> None:
        """Do nothing."""
