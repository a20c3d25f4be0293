"""Takes the snapshots of a crawl: how often, and of what."""

from __future__ import annotations

import logging
from time import perf_counter

from evocrawl.population.population import Population
from evocrawl.store.journal.facts import ReplayedState
from evocrawl.store.journal.host_limits import JournaledHostLimits
from evocrawl.store.journal.journal import Journal, SnapshotJournal
from evocrawl.store.journal.snapshot.graph import SnapshotError

logger = logging.getLogger(__name__)

_SHARE_AT_END = 20
"""The end of a run takes a snapshot after this part of the visits between two snapshots."""


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
        """Visits that had ended when the latest snapshot was taken."""

    def is_due(self, facts: ReplayedState) -> bool:
        """Return True when enough visits have ended since the latest snapshot."""
        return 0 < self.every_visits <= facts.settled - self.taken_at

    def is_due_at_end(self, facts: ReplayedState) -> bool:
        """Return True when a run that ends now has visits whose replay would take a while."""
        return 0 < self.every_visits <= _SHARE_AT_END * (facts.settled - self.taken_at)

    def take(self, facts: ReplayedState) -> None:
        """Make a snapshot durable; all operations are committed.

        If a part of the crawl cannot be stored, no snapshot is taken any more, and a resume replays
        the journal after the latest one. Raises StateError on failure.
        """
        if not isinstance(self._journal, SnapshotJournal):
            return
        began_s = perf_counter()
        try:
            size = self._journal.snapshot(self.root(facts), compacts=self.compacts)
        except SnapshotError as error:
            self.every_visits = 0
            after = " after the latest one" if self.taken_at else ""
            logger.warning(
                "store: no snapshot is taken: %s; a resume replays every visit%s", error, after
            )
            return
        self.taken_at = facts.settled
        logger.info(
            "store: took a snapshot after %d visits: %.1f MB in %.1f s",
            self.taken_at, size / 1e6, perf_counter() - began_s,
        )  # fmt: skip

    def check(self, facts: ReplayedState) -> None:
        """Raise SnapshotError if there can be no snapshot of the crawl as it is now."""
        if isinstance(self._journal, SnapshotJournal):
            self._journal.check_snapshot(self.root(facts))

    def root(self, facts: ReplayedState) -> dict[str, object]:
        """Return the objects that a snapshot holds, with all that they refer to."""
        parts = {f"part {name}": part for name, part in self.parts.items()}
        return {"population": self._population, "limits": self._limits, "facts": facts, **parts}
