"""Events for the workers of a crawl, as they stand in a stream of Redis."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ClusterEvent:
    """An event for the worker that leases `host`: `kind` is link or guest.

    `keys` are the targets of new links, or of the link that a guest follows.
    """

    session: str
    kind: str
    host: str
    keys: tuple[bytes, ...]


def events_of(entries: Iterable[tuple[bytes, dict[bytes, bytes]]]) -> list[ClusterEvent]:
    """Return the events of an inbox; skip invalid entries."""
    found = []
    for _, fields in entries:
        try:
            by, kind, host = (fields[name].decode() for name in (b"by", b"kind", b"host"))
            keys = [bytes.fromhex(each.decode()) for each in fields[b"keys"].split()]
        except (KeyError, ValueError):
            continue
        if kind in ("link", "guest"):
            found.append(ClusterEvent(by, kind, host, tuple(e.hex().encode() for e in keys)))
    return found
