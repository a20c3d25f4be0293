"""Reads the inbox of a worker: links to its hosts that others have found, and agents for them."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Iterator

from evocrawl.core.model import Page
from evocrawl.store.cluster.host_leases import HostLeases
from evocrawl.store.cluster.population_sync import PopulationSync
from evocrawl.store.cluster.redis.codec import RowCodec
from evocrawl.store.cluster.redis.state import ClusterState

_AT_ONCE = 100
_BYTES_A_STEP = 64_000
"""Bytes of links that are shown in one step: the more, the less a link costs, the longer it takes.
"""


class NewsReader:
    """Reads the inbox of a worker, and pages that a user names."""

    def __init__(
        self, state: ClusterState, rows: RowCodec, sync: PopulationSync, host_leases: HostLeases
    ) -> None:
        self.read_to = "0-0"
        """The position in the inbox up to which events were read and applied."""
        self._leases_to = ""
        """The position in the list of leases up to which they were read."""
        self._state = state
        self._rows = rows
        self._sync = sync
        self._host_leases = host_leases
        self._is_behind = False
        self.has_changes = False
        """True if users have changed the crawl, as of the last look."""

    def __bool__(self) -> bool:
        """Return True while there may be events that were not read yet."""
        return self._is_behind

    async def listen(self, applied: int) -> bool:
        """Apply up to 100 events, show links left for later; return whether there were any.

        Looks for leases of other workers, and for further changes of users than the first
        `applied`, too. Agents arrive after all links.
        """
        news = await self._state.look(self.read_to, _AT_ONCE, applied, self._leases_to)
        self.has_changes = news.has_changes
        self._host_leases.note_others(news.leases)
        self._leases_to = news.leases_to
        has_later = self._sync.links.has_later
        steps = [*_in_steps(each.body for each in news.events if each.kind == "link")]
        for some in steps or [[]] * has_later:
            await self._host_leases.show_found(some)
            await asyncio.sleep(0)
        if guests := {each.host: None for each in news.events if each.kind == "guest"}:
            await self._host_leases.welcome(guests)
        self.read_to, self._is_behind = news.read_to, len(news.events) >= _AT_ONCE
        return bool(news.events) or has_later

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


def _in_steps(found: Iterable[bytes]) -> Iterator[list[bytes]]:
    """Divide the links of pages, in their order, into those that are shown in one step each."""
    step, bytes_ = list[bytes](), 0
    for each in found:
        bytes_ += len(each)
        if step and bytes_ > _BYTES_A_STEP:
            yield step
            step, bytes_ = [], len(each)
        step.append(each)
    if step:
        yield step
