"""Events for the workers of a crawl, as rows of a stream in Redis."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ClusterEvent:
    """An event of the worker `session`: `kind` is link, guest or lease.

    `host` is that of a guest or a lease; `body` has the links of a page: see `RowCodec.pack_found`.
    """

    session: str
    kind: str
    host: str
    body: bytes = b""


def events_of(entries: Iterable[tuple[bytes, Sequence[bytes]]]) -> list[ClusterEvent]:
    """Return the events of a stream, whose entries have names and values in turn.

    Skips invalid entries.
    """
    found = []
    for _, flat in entries:
        try:
            fields = dict(zip(flat[::2], flat[1::2], strict=True))
            by, kind, host = (fields[name].decode() for name in (b"by", b"kind", b"host"))
            event = ClusterEvent(by, kind, host, fields[b"body"])
        except (KeyError, ValueError):
            continue
        if kind in ("link", "guest", "lease"):
            found.append(event)
    return found
