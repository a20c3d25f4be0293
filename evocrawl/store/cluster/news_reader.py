"""Reads the news stream and applies what other workers have settled."""

from __future__ import annotations

import asyncio
from collections.abc import Collection

from evocrawl.core.model import Page
from evocrawl.store.cluster.host_leases import HostLeases, target_of
from evocrawl.store.cluster.population_sync import PopulationSync
from evocrawl.store.cluster.redis.codec import RowCodec
from evocrawl.store.cluster.redis.state import ClusterEvent, ClusterState

_AT_ONCE = 100
_WARM_UP = 2000


class NewsReader:
    """Reads the news stream and the pages named in it."""

    def __init__(
        self, state: ClusterState, rows: RowCodec, sync: PopulationSync, host_leases: HostLeases
    ) -> None:
        self._state = state
        self._rows = rows
        self._sync = sync
        self._host_leases = host_leases
        self._waiting: list[ClusterEvent] = []
        self._after = "0-0"

    def __bool__(self) -> bool:
        """Return True while there are events that were read and not applied yet."""
        return bool(self._waiting)

    async def begin(self) -> None:
        """Read the latest 2 000 events, so that a new worker knows what others have settled."""
        self._waiting, self._after = await self._state.latest_news(_WARM_UP)

    async def listen(self, living: Collection[str]) -> bool:
        """Apply up to 100 events and return whether there were any.

        `living` are the workers alive. The event loop runs between two events.
        """
        if not self._waiting:
            self._waiting, self._after = await self._state.news(self._after, _AT_ONCE)
        news = self._waiting[:_AT_ONCE]
        pages = [each for each in news if each.kind == "page"]
        found = dict(zip(pages, await self._state.pages(pages), strict=True)) if pages else {}
        for each in news:
            self._sync.is_of(each.host, each.session, living)
            if each.kind == "page":
                await self._hear_page(each, *found[each])
            elif each.kind == "dead" and (target := target_of(each.key)):
                self._sync.heard_dead(target)
            elif each.kind == "link":
                await self._host_leases.show_link(each.host, each.key)
            else:
                await self._host_leases.welcome(each.host)
            await asyncio.sleep(0)
        self._waiting = self._waiting[_AT_ONCE:]
        return bool(news)

    async def page_at(self, host: str, key: str) -> Page | None:
        """Return a recorded page, which the population knows then; None if Redis has none."""
        news = ClusterEvent("", "page", host, key.encode())
        return await self._hear_page(news, *(await self._state.pages([news]))[0])

    async def _hear_page(
        self, news: ClusterEvent, record: bytes | None, content: bytes | None
    ) -> Page | None:
        if record is None or content is None:
            return None
        try:
            page, fields = self._rows.unpack_page(news.host, news.key, record, content)
            depth = int(fields.get("depth", 0))
        except (ValueError, TypeError, KeyError) as error:
            await self._host_leases.put_aside(news.host, "pages", news.key, record, error)
            return None
        self._sync.heard(page, depth)
        return page
