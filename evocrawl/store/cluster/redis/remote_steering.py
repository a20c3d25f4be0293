"""Reads and changes a crawl of several workers from outside, while it runs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from evocrawl.core.errors import StateError
from evocrawl.store.cluster.redis.archive import SharedArchive
from evocrawl.store.cluster.redis.changes import Change, pack_change, unpack_change
from evocrawl.store.cluster.redis.keys import KeyNames
from evocrawl.store.cluster.redis.lua import SOURCES

_AT_ONCE = 100


class RemoteSteering:
    """The changes of a crawl of several workers. Every method raises StateError."""

    def __init__(self, archive: SharedArchive) -> None:
        self._archive = archive
        self._ask = archive.ask
        self._place = archive.path
        self._layout = KeyNames(archive.path.name)
        self._read = 0

    def new_changes(self) -> list[Change]:
        """Return the changes since the last call, without those that cannot be read."""
        key = self._layout.whole("changes")
        found: list[Change] = []
        while rows := self._ask("lrange", key, self._read, self._read + _AT_ONCE - 1):
            self._read += len(rows)
            found += _readable(rows)
        return found

    def send(self, change: Change) -> None:
        """Append a change, which every worker applies within a second."""
        changes, mark = self._layout.whole("changes"), self._layout.whole("mark")
        epoch = self._ask("hget", mark, "epoch")
        if epoch is None:
            raise StateError(f"{self._place}: there is no such crawl")
        self._ask("eval", SOURCES["steer"], 2, changes, mark, pack_change(change), epoch)

    def workers(self) -> int:
        """Return how many workers are alive."""
        now_ms = self._archive.now_ms()
        rows = self._ask("hvals", self._layout.whole("workers"))
        return sum(_deadline_ms(row) > now_ms for row in rows)

    def has_page(self, host: str, key: str) -> bool:
        """Return whether a page is recorded."""
        return bool(self._ask("hexists", self._layout.of(host, "pages:")[0], key))

    def has_ended(self) -> bool:
        """Return whether the workers have recorded the end of the crawl."""
        return self._ask("get", self._layout.whole("ended")) is not None


def _readable(rows: Sequence[bytes]) -> list[Change]:
    found = []
    for row in rows:
        try:
            found.append(unpack_change(row))
        except ValueError:
            continue  # the workers put it aside
    return found


def _deadline_ms(row: Any) -> int:
    begin = bytes(row).partition(b" ")[0]
    return int(begin) if begin.isdigit() else 0
