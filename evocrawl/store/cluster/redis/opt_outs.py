"""The opt-out files of servers in Redis, where all workers of a crawl have them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from evocrawl.core.urls.identity import host_of
from evocrawl.politeness.opt_out_files import FILES, OptOutFile
from evocrawl.store.cluster.redis.connection import Connection
from evocrawl.store.cluster.redis.keys import KeyNames, shard_of

_ASKING_MS = 120_000
"""How long no other worker asks a server that one asks; of a worker that was killed, too."""


class SharedOptOuts:
    """As `evocrawl.store.journal.kept_opt_outs`; every method raises what `Connection` does.

    `session` is the number of the worker, "" before it joins.
    """

    def __init__(self, connection: Connection, layout: KeyNames, session: str = "") -> None:
        self._connection = connection
        self._layout = layout
        self.session = session

    async def missing(self, authority: str) -> Sequence[str]:
        """Return the files of a server to be asked for now; none if another worker asks."""
        host = host_of(f"{authority}/")
        fields = [f"{authority}{path}" for path in FILES]
        known = await self._connection.ask("hmget", self._layout.of(host, "opt_outs:")[0], fields)
        missing = [path for path, row in zip(FILES, known, strict=True) if row is None]
        if not missing:
            return ()
        claim = self._layout.shard(shard_of(host), f"asking:{authority}")
        claimed = ("set", claim, self.session, None, _ASKING_MS, True)
        return missing if await self._connection.ask(*claimed) else ()

    def servers(self) -> Iterable[str]:
        """Return none: each worker asks the servers of the pages that it fetches itself."""
        return ()

    async def keep(self, file: OptOutFile) -> None:
        """Keep what a server has answered."""
        key = self._layout.of(host_of(f"{file.authority}/"), "opt_outs:")[0]
        await self._connection.ask("hset", key, f"{file.authority}{file.path}", file.pack())
