"""Follows a stored crawl: replays its journal bit by bit, while the crawl runs or later."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from time import monotonic, perf_counter

from evocrawl.core.errors import EvocrawlError, StateError
from evocrawl.core.urls.identity import fingerprint, host_of
from evocrawl.monitor.crawl_record import CrawlRecord
from evocrawl.monitor.dashboard.source import ReadOnly, Source
from evocrawl.monitor.final import why_ended
from evocrawl.monitor.results import Result
from evocrawl.monitor.shared_controls import StoreControls
from evocrawl.monitor.stored_crawl import RebuiltPopulation, open_store
from evocrawl.monitor.stored_record import SharedRecord
from evocrawl.store.archive import Archive
from evocrawl.store.cluster.redis.remote_steering import RemoteSteering
from evocrawl.store.journal.compaction import COMPACT
from evocrawl.store.journal.operations import Op

_AT_ONCE = 200
_STEP_S = 0.005
_QUIET_S = 60.0
_READ_ONLY = "this dashboard reads a store; a running crawl is controlled with -a dashboard=PORT"
_SHARED = (
    "Several workers share this crawl: there are no energies and no family tree, and the numbers "
    "are those of the moment at which this command began."
)
_COMPACT = (
    f"Pages alone are shown, those of the moment at which this command began: {COMPACT}. There are "
    "no energies and no family tree."
)


class Follower:
    """Fills the record of a stored crawl. Call `step` again and again; each takes some 0.005 s.

    Raises StateError if there is no such crawl.
    """

    def __init__(
        self, store: str, learnt: str = "", now_s: Callable[[], float] = monotonic
    ) -> None:
        self._now_s = now_s
        self._archive = open_store(store)
        about = self._archive.about()
        self._last = 0
        self._changed_s: float | None = None
        self._waiting: deque[tuple[int, Op]] = deque()
        self._problem = ""
        self._is_reading = True
        query, species = str(about.get("query", "")), str(about.get("species", ""))
        relevant_at = float(about.get("relevant_at", 0.0))
        if not isinstance(self._archive, Archive):
            shared = SharedRecord(self._archive, relevant_at)
            controls = StoreControls(RemoteSteering(self._archive), about, shared, now_s)
            self.source = Source(shared, controls, query, species, relevant_at, store, "", _SHARED)
            return
        self._rebuilt = RebuiltPopulation(about, learnt=learnt)
        self._controls = ReadOnly(self._rebuilt.population, "reading", _READ_ONLY)
        if self._archive.is_compact:
            self._problem, self._is_reading, self._controls.state = _COMPACT, False, "stopped"
            self.source = Source(
                SharedRecord(self._archive, relevant_at), self._controls, query, species,
                relevant_at, store, learnt, _COMPACT,
            )  # fmt: skip
            return
        assembly = self._rebuilt.assembly
        record = CrawlRecord(self._rebuilt.population, assembly.ledger, assembly.forecast)
        record.results.add_all(_result(*row) for row in self._archive.rows())
        self.source = Source(
            record, self._controls, query, species, relevant_at, store, learnt, "Reading …",
            self._title_of,
        )  # fmt: skip

    def step(self) -> bool:
        """Replay some entries; return whether there are more at present."""
        if not isinstance(self._archive, Archive) or self._problem:
            return False
        began_s = perf_counter()
        try:
            while perf_counter() - began_s < _STEP_S:
                if not self._waiting:
                    self._read_on(self._archive)
                self._is_reading = bool(self._waiting)
                if not self._waiting:
                    break
                number, op = self._waiting.popleft()
                self._rebuilt.apply(op, number)
                self._last = number
                self._changed_s = self._now_s()
        except EvocrawlError as error:
            self._problem = f"The journal was replayed up to entry {self._last} only: {error}"
            self._is_reading = False
        self._tell()
        return self._is_reading

    def _read_on(self, archive: Archive) -> None:
        """Read the next entries. Raises StateError if a running crawl has removed some of them."""
        if archive.first_entry() > self._last + 1:
            raise StateError(COMPACT)
        self._waiting.extend(archive.ops_after(self._last, _AT_ONCE))

    def _title_of(self, url: str) -> str:
        """Return the title of a page of the store until it is read: the replay brings it then."""
        if not self._is_reading or not isinstance(self._archive, Archive):
            return ""
        page = self._archive.page_at(fingerprint(url))
        return "" if page is None else page.title

    def close(self) -> None:
        """Close the store."""
        self._archive.close()

    def _tell(self) -> None:
        ended = self._rebuilt.population.ended
        quiet_s = self._now_s() - (self._changed_s or 0.0)
        if self._is_reading:
            note = f"The store is read: {self._last} entries so far; numbers are still growing."
        elif ended:
            note = f"The crawl has ended: {why_ended(ended)}."
        else:
            note = "The store is followed; new pages appear as the crawl writes them."
        if self._is_reading:
            self._controls.state = "reading"
        elif ended:
            self._controls.state = "finished"
        else:
            is_live = self._changed_s is not None and quiet_s < _QUIET_S
            self._controls.state = "running" if is_live else "stopped"
        self.source.note = self._problem or note


def _result(
    visit: int, url: str, relevance: float, energy: float, agent: int, depth: int, parent: str,
    anchor: str, seconds: float,
) -> Result:  # fmt: skip
    return Result(
        visit, url, "", host_of(url), relevance, agent, depth, parent, anchor, energy, "", seconds
    )
