"""Sends the reports of a worker to Redis in order, and repeats them until Redis has them.

The worker reports a settled visit in three steps: it opens the links found at their hosts, records
the page, and settles the link of the visit. The owners of the hosts learn of the new links before
the page is recorded. Redis has each step before the next one begins, so after a failure it has the
first steps and not the later ones. The link is then still open and nothing is lost: at worst a
worker fetches the page again, and Redis still keeps one record of it. A single Redis gets all steps
but the first in one batch; the nodes of a Redis Cluster get them step by step, since a link and the
page that it was found on may be on two nodes.
"""

from __future__ import annotations

import asyncio
from collections import Counter, defaultdict, deque
from collections.abc import Sequence
from dataclasses import dataclass
from operator import attrgetter
from typing import Any

from evocrawl.core.errors import StateError
from evocrawl.population.exchange import NO_DIGEST, PageDigest
from evocrawl.store.cluster.events import WorkerEvents
from evocrawl.store.cluster.redis.commands import RedisCommands
from evocrawl.store.cluster.redis.connection import Call, Connection, Unreachable

_AT_ONCE = 64
_FIRST_PAUSE_S, _LONGEST_PAUSE_S = 0.05, 1.0


@dataclass(frozen=True, slots=True)
class OutboxBatch:
    """The calls of one report: its three steps, agents that travel, events for other workers.

    `digest` is that of the page on which the offered links were found.

    The outbox sends `then` after Redis has accepted this batch, and drops it if a lease expired.
    """

    offers: Sequence[Call] = ()
    records: Sequence[Call] = ()
    settles: Sequence[Call] = ()
    news: Sequence[Call] = ()
    then: OutboxBatch | None = None
    digest: PageDigest = NO_DIGEST
    visits: Sequence[Call] = ()


class Outbox:
    """Sends batches in the order in which they were put in.

    The outbox sends the events `report_refused`, `links_offered`, `host_offered` and
    `redis_answered`. `failure` is the error that ended sending, if any. With `most` batches the
    outbox is `full`: it accepts more, but no new visit should begin. `calls` builds the events for
    the owners of hosts.
    """

    def __init__(
        self, connection: Connection, most: int, calls: RedisCommands, events: WorkerEvents
    ) -> None:
        self.failure: StateError | None = None
        self.is_stuck = False
        """True while Redis does not accept the batches that wait."""
        self._connection = connection
        self._calls = calls
        self._most = most
        self._events = events
        self._waiting: deque[OutboxBatch] = deque()
        self._offering: Counter[str] = Counter()
        """Hosts of links whose offers Redis has not answered yet, by the number of offers."""
        self._answered = 0
        """Number of batches, the first of those waiting, whose offers Redis has answered."""
        self._something = asyncio.Event()
        self._nothing = asyncio.Event()
        self._nothing.set()

    def __len__(self) -> int:
        return len(self._waiting)

    @property
    def full(self) -> bool:
        """True when so many batches wait that no new visit should begin."""
        return len(self._waiting) >= self._most

    def put(self, parcel: OutboxBatch) -> None:
        """Append a batch to the queue. O(offers)."""
        self._waiting.append(parcel)
        self._offering.update(hosts_of(parcel.offers))
        self._nothing.clear()
        self._something.set()

    def is_offering(self, host: str) -> bool:
        """Return whether `host_offered` will soon be sent for the host. O(1)."""
        return host in self._offering

    async def sent(self) -> None:
        """Wait until Redis has all batches."""
        await self._nothing.wait()

    async def run(self) -> None:
        """Send batches until cancelled. Raises StateError if Redis cannot accept them."""
        pause_s, is_repeated = _FIRST_PAUSE_S, False
        while True:
            if not self._waiting:
                self._nothing.set()
                self._something.clear()
                await self._something.wait()
            parcels = [self._waiting[at] for at in range(min(len(self._waiting), _AT_ONCE))]
            try:
                await self._send(parcels, is_repeated=is_repeated)
            except Unreachable as error:
                self.is_stuck = is_repeated = True
                self._events.redis_answered.send(error)
                await asyncio.sleep(pause_s)
                pause_s = min(2 * pause_s, _LONGEST_PAUSE_S)
                continue
            except StateError as error:
                self.failure = error
                raise
            self._events.redis_answered.send(None)
            pause_s, self.is_stuck, is_repeated = _FIRST_PAUSE_S, False, False
            for _ in parcels:
                self._waiting.popleft()
            self._answered = 0

    async def _send(self, parcels: Sequence[OutboxBatch], *, is_repeated: bool) -> None:
        """Send all offers, then all agents, events, records and settled links.

        If that `is_repeated`, the links that Redis has already may be those of the first time.
        """
        offers = [call for parcel in parcels for call in parcel.offers]
        found = await self._connection.run_all(offers) if offers else []
        for parcel in parcels[self._answered :]:
            self._offering -= Counter(hosts_of(parcel.offers))
        self._answered = len(parcels)
        answer = iter(found)
        notes = [note for parcel in parcels for note in self._note(
                 parcel.digest, parcel.offers, [next(answer) for _ in parcel.offers])]  # fmt: skip
        steps = [
            [(parcel, call) for parcel in parcels for call in calls(parcel)] for calls in _STEPS
        ]
        sent = [each for step in steps for each in step]
        later = [[call for _, call in step] for step in steps]
        later[0][:0] = notes
        answers = await self._connection.run_steps(later) if any(later) else []
        for (_, _, arguments), (_, *places) in zip(offers, found, strict=True):
            targets = [bytes.fromhex(each) for each in arguments[1::2]]
            known = set() if is_repeated else {targets[at] for some in places for at in some}
            self._events.links_offered.send(targets, known)
        fenced = set()
        for (parcel, call), answer in zip(sent, answers[len(notes) :], strict=True):
            script, _, arguments = call
            if script in _FENCED and answer == 0:
                fenced.add(id(parcel))
                host, lease = arguments[:2]
                self._events.report_refused.send(host, lease)
        for parcel in parcels:
            if parcel.then is not None and id(parcel) not in fenced:
                self.put(parcel.then)

    def _note(
        self, digest: PageDigest, offers: Sequence[Call], answers: Sequence[Any]
    ) -> list[Call]:
        """Return the events for the other workers that lease the hosts of a page's links.

        They have all links that are not settled, also those that were found on another page before.
        """
        by_owner = defaultdict[str, list[tuple[str, str, str]]](list)
        for (_, _, (host, *rows)), (session, _, done) in zip(offers, answers, strict=True):
            owner, settled = session.decode(), set(done)
            self._events.host_offered.send(host, owner)
            if owner in ("", self._calls.session):
                continue
            for place, (target, row) in enumerate(zip(rows[::2], rows[1::2], strict=True)):
                if place not in settled:
                    by_owner[owner].append((host, target, row))
        return [self._calls.found(digest, by_owner)] if by_owner else []


def hosts_of(offers: Sequence[Call]) -> list[str]:
    """Return the hosts of links that are offered."""
    return [host for _, _, (host, *_) in offers]


_FENCED = ("record", "settle")
"""Scripts that return 0 when the lease has expired."""

_STEPS = tuple(map(attrgetter, ("visits", "news", "records", "settles")))
