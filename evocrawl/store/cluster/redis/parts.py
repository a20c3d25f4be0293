"""What the workers of a crawl have learnt, in Redis: a part of each worker by name and number."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from evocrawl.store.cluster.redis.connection import Connection
from evocrawl.store.cluster.redis.keys import KeyNames

PARTS_READ_AGAIN = 8
"""Most parts of workers known already that are read at once, so that the cost of an exchange does
not grow with the number of workers beyond.
"""


class SharedParts:
    """The parts of all workers, those that have left included."""

    def __init__(self, connection: Connection, layout: KeyNames) -> None:
        self._connection = connection
        self._layout = layout

    async def exchange(
        self, session: str, own: Mapping[str, bytes], known: Mapping[str, Mapping[str, int]]
    ) -> dict[str, dict[str, tuple[int, bytes]]]:
        """Send what the worker `session` has learnt; return the parts of others that are new.

        `own` are its parts by name, if there are any. `known` and the result have, by name, the
        number of each worker's part: how often it was sent. Of the workers in `known` at most
        `PARTS_READ_AGAIN` parts of a name are returned, the first in its order. Raises what
        `Connection` does.
        """
        steps: list[tuple[Any, ...]] = []
        for name, row in own.items():
            steps.append(("hset", self._layout.whole(f"parts:{name}"), session, row))
            steps.append(("hincrby", self._layout.whole(f"numbers:{name}"), session, 1))
        steps += [("hgetall", self._layout.whole(f"numbers:{name}")) for name in known]
        numbers = (await self._connection.ask_all(steps))[2 * len(own) :]
        new = {
            name: _to_read(session, known[name], found)
            for name, found in zip(known, numbers, strict=True)
        }
        return await self._read({name: parts for name, parts in new.items() if parts})

    async def _read(
        self, wanted: Mapping[str, Mapping[str, int]]
    ) -> dict[str, dict[str, tuple[int, bytes]]]:
        """Return the parts of some workers, by name, with their numbers."""
        if not wanted:
            return {}
        rows = await self._connection.ask_all(
            [
                ("hmget", self._layout.whole(f"parts:{name}"), [*parts])
                for name, parts in wanted.items()
            ]
        )
        return {
            name: {
                worker: (number, row)
                for (worker, number), row in zip(parts.items(), found, strict=True)
                if row
            }
            for (name, parts), found in zip(wanted.items(), rows, strict=True)
        }


def _to_read(
    session: str, known: Mapping[str, int], found: Mapping[bytes, bytes]
) -> dict[str, int]:
    """Return the workers whose parts are to be read, with the numbers of these parts."""
    numbers = {each.decode(errors="replace"): n for each, n in found.items()}
    latest = {each: int(n) for each, n in numbers.items() if n.isdigit() and len(n) < 16}
    changed = [each for each in known if each in latest and known[each] != latest[each]]
    unread = [each for each in latest if each not in known and each != session]
    return {each: latest[each] for each in (*unread, *changed[:PARTS_READ_AGAIN])}
