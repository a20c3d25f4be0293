"""Reads the inbox of a worker: links to its hosts that others have found, and agents for them."""

from __future__ import annotations

import asyncio

from evocrawl.core.model import Page
from evocrawl.store.cluster.host_leases import HostLeases
from evocrawl.store.cluster.population_sync import PopulationSync
from evocrawl.store.cluster.redis.codec import RowCodec
from evocrawl.store.cluster.redis.state import ClusterState

_AT_ONCE = 100


class NewsReader:
    """Reads the inbox of a worker, and pages that a user names."""

    def __init__(
        self, state: ClusterState, rows: RowCodec, sync: PopulationSync, host_leases: HostLeases
    ) -> None:
        self.read_to = "0-0"
        """The position in the inbox up to which events were read and applied."""
        self._state = state
        self._rows = rows
        self._sync = sync
        self._host_leases = host_leases
        self._is_behind = False

    def __bool__(self) -> bool:
        """Return True while there may be events that were not read yet."""
        return self._is_behind

    async def listen(self) -> bool:
        """Apply up to 100 events and return whether there were any."""
        news, read_to = await self._state.news(self.read_to, _AT_ONCE)
        for each in news:
            if each.kind == "link":
                await self._host_leases.show_found(each.body)
            else:
                await self._host_leases.welcome(each.host)
            await asyncio.sleep(0)
        self.read_to, self._is_behind = read_to, len(news) >= _AT_ONCE
        return bool(news)

    async def page_at(self, host: str, key: str) -> Page | None:
        """Return a recorded page, which the population knows then; None if Redis has none."""
        record, content = await self._state.page(host, key.encode())
        if record is None or content is None:
            return None
        try:
            page, fields = self._rows.unpack_page(host, key.encode(), record, content)
            depth = int(fields.get("depth", 0))
        except (ValueError, TypeError, KeyError) as error:
            await self._host_leases.put_aside(host, "pages", key.encode(), record, error)
            return None
        self._sync.links.of_page(page, depth)
        return page
