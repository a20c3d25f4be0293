"""What a worker has to tell, on its way to Redis: in order, again and again until it is there.

A settled visit is told in four steps, each over before the next begins: links found are open at
their hosts; the page is recorded; the visit's own link is done; the others hear of it. A worker
that dies in between leaves the link open, so that nothing is lost: at worst the page is fetched
again, and recorded once all the same.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from evocrawl.errors import StateError
from evocrawl.store.shared.connection import Call, Connection, Unreachable
from evocrawl.store.shared.layout import Layout

NEWS_KEPT = 20_000
_AT_ONCE = 64
_FIRST_PAUSE_S, _LONGEST_PAUSE_S = 0.05, 1.0


@dataclass(frozen=True, slots=True)
class Parcel:
    """What belongs together: the calls of each step, then the news."""

    offers: Sequence[Call] = ()
    records: Sequence[Call] = ()
    settles: Sequence[Call] = ()
    news: Mapping[str, str] | None = None


class Outbox:
    """Sends parcels in the order in which they were put in.

    `on_fenced` is called for each record or settled link that came too late, since the host had
    been taken over. `on_reached` is called with True or False as Redis answers or does not.
    `failure` is what sending ended with, if it did. More than `most` parcels make it `full`: it
    still takes some, but no new visits should begin.
    """

    def __init__(
        self,
        connection: Connection,
        most: int,
        on_fenced: Callable[[], None],
        on_reached: Callable[[bool], None],
    ) -> None:
        self.failure: StateError | None = None
        self._connection = connection
        self._layout = Layout(connection.place.name)
        self._most = most
        self._on_fenced = on_fenced
        self._on_reached = on_reached
        self._waiting: deque[Parcel] = deque()
        self._something = asyncio.Event()
        self._nothing = asyncio.Event()
        self._nothing.set()

    def __len__(self) -> int:
        return len(self._waiting)

    @property
    def full(self) -> bool:
        """True when too much waits to be sent."""
        return len(self._waiting) >= self._most

    def put(self, parcel: Parcel) -> None:
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

    async def _send(self, parcels: Sequence[Parcel]) -> None:
        send = self._connection.run_all
        await send([call for parcel in parcels for call in parcel.offers])
        recorded = await send([call for parcel in parcels for call in parcel.records])
        settled = await send([call for parcel in parcels for call in parcel.settles])
        key = self._layout.whole("news")
        told: list[tuple[Any, ...]] = [
            ("xadd", key, dict(parcel.news), "*", NEWS_KEPT, True)
            for parcel in parcels
            if parcel.news is not None
        ]
        if told:
            await self._connection.ask_all(told)
        for answer in (*recorded, *settled):
            if answer == 0:
                self._on_fenced()
