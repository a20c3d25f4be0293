"""Where the opt-out files of servers are kept: with the crawl's state."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Protocol

from evocrawl.politeness.opt_out_files import FAILED, FILES, OptOutFile
from evocrawl.politeness.robots.rules import authority
from evocrawl.store.journal.journal import Journal
from evocrawl.store.journal.sqlite_journal import SqliteJournal

if TYPE_CHECKING:
    from evocrawl.adapter.cluster import ClusterAdapter


class OptOutStore(Protocol):
    """Keeps what servers have answered for their opt-out files."""

    async def missing(self, authority: str) -> Sequence[str]:
        """Return the paths of the files of a server to be asked for now."""

    async def keep(self, file: OptOutFile) -> None:
        """Keep what a server has answered."""

    def servers(self) -> Iterable[str]:
        """Return the servers of the pages of earlier runs, if this process has them."""


class NoOptOuts:
    """Keeps nothing: a crawl without a store, whose WARC files have the responses."""

    async def missing(self, authority: str) -> Sequence[str]:  # noqa: ARG002 - the interface's form
        """Return both files."""
        return FILES

    async def keep(self, file: OptOutFile) -> None:
        """Do nothing."""

    def servers(self) -> Iterable[str]:
        """Return none."""
        return ()


class JournaledOptOuts:
    """Keeps the files beside the journal; `flush_soon` makes them durable."""

    def __init__(self, journal: SqliteJournal, flush_soon: Callable[[], None]) -> None:
        self._journal = journal
        self._flush_soon = flush_soon

    async def missing(self, authority: str) -> Sequence[str]:
        """Return the files that no run has an answer for. A failed one is asked for again."""
        known = self._journal.opt_outs_of(authority)
        return [path for path in FILES if path not in known or known[path].answer == FAILED]

    async def keep(self, file: OptOutFile) -> None:
        """Keep what a server has answered."""
        self._journal.opt_outs.keep(file)
        self._flush_soon()

    def servers(self) -> Iterable[str]:
        """Return the servers of the pages of earlier runs. O(pages)."""
        return dict.fromkeys(map(authority, self._journal.page_urls()))


def opt_out_store(
    journal: Journal, cluster: ClusterAdapter | None, flush_soon: Callable[[], None]
) -> OptOutStore:
    """Return where a crawl keeps the opt-out files of servers."""
    if cluster is not None:
        return cluster.worker.opt_outs
    if isinstance(journal, SqliteJournal):
        return JournaledOptOuts(journal, flush_soon)
    return NoOptOuts()
