"""Takes the snapshots of a crawl: how often, of what, and when it goes on with one.

The crawl waits while the objects of a snapshot are frozen, and for each of the short steps in which
it is written.
"""

from __future__ import annotations

import logging
from time import perf_counter

from evocrawl.population.population import Population
from evocrawl.store.journal.facts import ReplayedState
from evocrawl.store.journal.host_limits import JournaledHostLimits
from evocrawl.store.journal.journal import Journal, SnapshotJournal
from evocrawl.store.journal.snapshot.graph import SnapshotError
from evocrawl.store.journal.snapshot_steps import SnapshotSteps

logger = logging.getLogger(__name__)

_SHARE_AT_END = 20
"""The end of a run takes a snapshot after this part of the visits between two snapshots."""
_STEP_S = 0.02
"""Seconds of a step; the part that is written last comes on top."""
_AT_ONCE_S = 0.05
"""Seconds in which a small snapshot is complete at once."""
_PAUSE = 2
"""The crawl goes on for this many times as long as a step before the next one."""


class Snapshots:
    """The snapshots of a crawl: a resume reads the latest one and replays the journal after it."""

    def __init__(
        self, journal: Journal, population: Population, limits: JournaledHostLimits
    ) -> None:
        self._journal = journal
        self._population = population
        self._limits = limits
        self.parts: dict[str, object] = {}
        """Objects that a snapshot holds beside the population: what they know comes from events."""
        self.every_visits = 0
        """Visits between two snapshots; 0: no snapshot is taken."""
        self.compacts = False
        """True if a snapshot takes the place of the entries of the journal before it."""
        self.taken_at = 0
        """Visits that had ended when the latest snapshot was begun."""
        self._under_way: SnapshotSteps | None = None
        self._taken_before = 0
        self._ended_s = 0.0
        self._held_s: list[float] = []

    @property
    def is_under_way(self) -> bool:
        """True while a snapshot that was begun is not complete."""
        return self._under_way is not None

    def is_due(self, facts: ReplayedState) -> bool:
        """Return True when enough visits have ended since the latest snapshot."""
        is_time = 0 < self.every_visits <= facts.settled - self.taken_at
        return is_time and self._under_way is None

    def is_due_at_end(self, facts: ReplayedState) -> bool:
        """Return True when a run that ends now has visits whose replay would take a while."""
        return 0 < self.every_visits <= _SHARE_AT_END * (facts.settled - self.taken_at)

    def take(self, facts: ReplayedState) -> None:
        """Make a snapshot durable at once; all operations are committed. Raises StateError.

        It takes the place of the one that was begun, of which no more is written.
        """
        if self._under_way is not None:
            self._under_way.close()
            self._under_way, self.taken_at = None, self._taken_before
        self.begin(facts)
        self.complete()

    def begin(self, facts: ReplayedState) -> None:
        """Begin a snapshot of the crawl as of now; all operations are committed.

        If a part of the crawl cannot be stored, no snapshot is taken any more, and a resume replays
        the journal after the latest one. Raises StateError on failure.
        """
        if not isinstance(self._journal, SnapshotJournal):
            return
        began_s = perf_counter()
        self._taken_before, self.taken_at = self.taken_at, facts.settled
        try:
            self._under_way = self._journal.begin_snapshot(self.root(facts), compacts=self.compacts)
        except SnapshotError as error:
            self._give_up(error)
            return
        self._ended_s = perf_counter()
        frozen_s = self._ended_s - began_s
        self._held_s = [frozen_s]
        if frozen_s < _AT_ONCE_S:
            self._step(self._under_way, _AT_ONCE_S - frozen_s, self._held_s.pop())

    def go_on(self) -> None:
        """Go on with the snapshot that was begun, if the crawl has had its time. Raises StateError.

        The pause keeps the crawl going, and several calls in one turn of the event loop short.
        """
        is_time = perf_counter() - self._ended_s >= _PAUSE * _STEP_S
        if self._under_way is not None and is_time:
            self._step(self._under_way, _STEP_S)

    def complete(self) -> None:
        """Write all of the snapshot that was begun. Raises StateError on failure."""
        while self._under_way is not None:
            self._step(self._under_way, _STEP_S)

    def _step(self, under_way: SnapshotSteps, least_s: float, before_s: float = 0.0) -> None:
        """Write for at least so many seconds; the crawl has waited for `before_s` already."""
        began_s = perf_counter() - before_s
        self._under_way = None
        try:
            if not under_way.step(least_s):
                self._under_way = under_way
        except SnapshotError as error:
            self._give_up(error)
            return
        self._ended_s = perf_counter()
        self._held_s.append(self._ended_s - began_s)
        if self._under_way is None:
            logger.info(
                "store: took a snapshot after %d visits: %.1f MB in %.1f s, %.2f s at a time at "
                "most", self.taken_at, under_way.size / 1e6, sum(self._held_s), max(self._held_s),
            )  # fmt: skip

    def _give_up(self, error: SnapshotError) -> None:
        self.every_visits = 0
        self.taken_at = self._taken_before
        after = " after the latest one" if self.taken_at else ""
        logger.warning(
            "store: no snapshot is taken: %s; a resume replays every visit%s", error, after
        )

    def check(self, facts: ReplayedState) -> None:
        """Raise SnapshotError if there can be no snapshot of the crawl as it is now."""
        if isinstance(self._journal, SnapshotJournal):
            self._journal.check_snapshot(self.root(facts))

    def root(self, facts: ReplayedState) -> dict[str, object]:
        """Return the objects that a snapshot holds, with all that they refer to."""
        parts = {f"part {name}": part for name, part in self.parts.items()}
        return {"population": self._population, "limits": self._limits, "facts": facts, **parts}
