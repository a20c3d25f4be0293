"""Exchanges what the populations of a crawl learn, so that no worker reads the pages of others.

Each worker writes one part: what it has learnt by its own visits from its beginning until now. It
replaces the part that it has written before, so a part that is written twice, or is not read by a
worker for a while, changes nothing. Each worker adds up the parts of all others, those of workers
that have ended or were killed included. It reads a few parts in each exchange, in turn, so that the
cost depends on the size of a part, which does not grow with the pages.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from evocrawl.frontier.shared_ranks import RankSharing
from evocrawl.population.population import Population
from evocrawl.species.base import Mergeable, Sharing
from evocrawl.store.cluster.host_leases import HostLeases
from evocrawl.store.cluster.redis.state import ClusterState

_LEAST_GROWTH = 1 / 4
"""A worker exchanges again when it has settled more pages by this share, and at the latest after
`_LONGEST_PERIODS` periods.
"""
_LONGEST_PERIODS = 6
_WHOLE_PERIOD_AT = 40
"""Settled pages from which exchanges are a period apart at least; before, by that share less.

The first pages teach most. Until then there are some ten exchanges more.
"""
_WHOLE_PERIOD_AFTER = 10
"""Exchanges after which a worker that waits makes one in a period; before, sooner by that share."""


@dataclass(slots=True)
class _Subject:
    """One kind of knowledge, and the parts of other workers that were read, by worker.

    `numbers` are those of the parts; the part that was read first of all comes first.
    """

    shared: Mergeable
    numbers: dict[str, int] = field(default_factory=dict)
    parts: dict[str, Any] = field(default_factory=dict)
    refused: set[str] = field(default_factory=set)
    sent_at: int = 0


class LearningExchange:
    """Exchanges the ranks behind R, and what each species learns that can be added up.

    It does so at most once in `period_s`, except while there are few pages, and less often the more
    pages there are. A part that cannot be read goes to the quarantine with a line in the log, once
    for each worker.
    """

    def __init__(
        self,
        state: ClusterState,
        population: Population,
        host_leases: HostLeases,
        period_s: float,
    ) -> None:
        self._state = state
        self._population = population
        self._host_leases = host_leases
        self._period_s = period_s
        self._exchanged_at_s, self._pages, self._times = -math.inf, 0, 0
        self._subjects = {"ranks": _Subject(RankSharing(population.environment.base.ranks))} | {
            each.name: _Subject(each.learning.share())
            for each in population.species
            if isinstance(each.learning, Sharing)
        }

    async def look(self, pages: int, *, is_waiting: bool = False) -> None:
        """Exchange, if it is time to; this worker has settled so many `pages`. Raises Unreachable.

        A worker that waits for others settles none, and learns of their pages once in `period_s`,
        of the first ones sooner. O(parts changed), each of bounded size.
        """
        now_s = self._host_leases.table.clock()
        periods = (now_s - self._exchanged_at_s) / self._period_s
        has_grown = pages > self._pages * (1 + _LEAST_GROWTH)
        least = min(1.0, self._pages / _WHOLE_PERIOD_AT)
        soon = min(1.0, self._times / _WHOLE_PERIOD_AFTER)
        longest = soon if is_waiting else _LONGEST_PERIODS
        if periods >= longest or (has_grown and periods >= least):
            await self.exchange(pages)
            self._exchanged_at_s, self._pages, self._times = now_s, pages, self._times + 1

    async def exchange(self, pages: int) -> None:
        """Send the parts of this worker if it has settled more pages; use those of others."""
        due = {name: each for name, each in self._subjects.items() if pages > each.sent_at}
        own = {name: each.shared.pack() for name, each in due.items()}
        known = {name: each.numbers for name, each in self._subjects.items()}
        found = await self._state.parts.exchange(self._state.session, own, known)
        for subject in due.values():
            subject.sent_at = pages
        for name, parts in found.items():
            subject = self._subjects[name]
            if await self._read(name, subject, parts):
                subject.shared.merge([*subject.parts.values()])

    async def _read(
        self, name: str, subject: _Subject, found: Mapping[str, tuple[int, bytes]]
    ) -> bool:
        """Read new parts; return whether there is any that can be read."""
        has_new = False
        for worker, (number, row) in found.items():
            subject.numbers.pop(worker, None)
            subject.numbers[worker] = number
            try:
                subject.parts[worker] = subject.shared.unpack(row)
                has_new = True
            except ValueError as error:
                if worker not in subject.refused:
                    subject.refused.add(worker)
                    await self._host_leases.put_aside("", f"parts:{name}", b"", row, error)
        return has_new
