"""What a worker has to tell, on its way to Redis: in order, again and again until it is there.

A settled visit is told in four steps, one after the other: links found are open at their hosts;
the page is recorded; the visit's own link is done; the others hear of it. They go over one
connection in this order, so that whatever breaks, the first of them are there and the rest are
not. Then the link is open still, and nothing is lost: at worst the page is fetched again, and
recorded once all the same.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from operator import attrgetter

from evocrawl.core.errors import StateError
from evocrawl.store.cluster.redis.connection import Call, Connection, Unreachable

_AT_ONCE = 64
_FIRST_PAUSE_S, _LONGEST_PAUSE_S = 0.05, 1.0


@dataclass(frozen=True, slots=True)
class OutboxBatch:
    """What belongs together: the calls of each step, then the news.

    `then` is sent once Redis has taken all of this, and not where a lease was over.
    """

    offers: Sequence[Call] = ()
    records: Sequence[Call] = ()
    settles: Sequence[Call] = ()
    news: Sequence[Call] = ()
    then: OutboxBatch | None = None


class Outbox:
    """Sends parcels in the order in which they were put in.

    `on_fenced` is called with host and lease of each record or settled link that came too late,
    since the host had been taken over. `on_reached` is called with True or False as Redis answers
    or does not. `failure` is what sending ended with, if it did. More than `most` parcels make it
    `full`: it still takes some, but no new visits should begin.
    """

    def __init__(
        self,
        connection: Connection,
        most: int,
        on_fenced: Callable[[str, str], None],
        on_reached: Callable[[bool], None],
    ) -> None:
        self.failure: StateError | None = None
        self._connection = connection
        self._most = most
        self._on_fenced = on_fenced
        self._on_reached = on_reached
        self._waiting: deque[OutboxBatch] = deque()
        self._something = asyncio.Event()
        self._nothing = asyncio.Event()
        self._nothing.set()

    def __len__(self) -> int:
        return len(self._waiting)

    @property
    def full(self) -> bool:
        """True when too much waits to be sent."""
        return len(self._waiting) >= self._most

    def put(self, parcel: OutboxBatch) -> None:
        """Send it when its turn comes. O(1)."""
        self._waiting.append(parcel)
        self._nothing.clear()
        self._something.set()

    async def sent(self) -> None:
        """Wait until all is there."""
        await self._nothing.wait()

    async def run(self) -> None:
        """Send until cancelled, or until sending fails for good; raises StateError then."""
        pause_s = _FIRST_PAUSE_S
        while True:
            if not self._waiting:
                self._nothing.set()
                self._something.clear()
                await self._something.wait()
            parcels = [self._waiting[at] for at in range(min(len(self._waiting), _AT_ONCE))]
            try:
                await self._send(parcels)
            except Unreachable:
                self._on_reached(False)
                await asyncio.sleep(pause_s)
                pause_s = min(2 * pause_s, _LONGEST_PAUSE_S)
                continue
            except StateError as error:
                self.failure = error
                raise
            self._on_reached(True)
            pause_s = _FIRST_PAUSE_S
            for _ in parcels:
                self._waiting.popleft()

    async def _send(self, parcels: Sequence[OutboxBatch]) -> None:
        """All offers, then all records, then what is settled, then the news, in one round."""
        sent = [(parcel, call) for calls in _STEPS for parcel in parcels for call in calls(parcel)]
        answers = await self._connection.run_all([call for _, call in sent])
        fenced = set()
        for (parcel, (script, _, arguments)), answer in zip(sent, answers, strict=True):
            if script in _FENCED and answer == 0:
                fenced.add(id(parcel))
                self._on_fenced(*arguments[:2])
        for parcel in parcels:
            if parcel.then is not None and id(parcel) not in fenced:
                self.put(parcel.then)


_FENCED = ("record", "settle")
"""Scripts that refuse, with 0, what is said under a lease that is over."""

_STEPS = tuple(map(attrgetter, ("offers", "records", "settles", "news")))
