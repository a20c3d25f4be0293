"""Builds the Redis commands and events that report a worker's results."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from evocrawl.core.fetch import FetchDetails
from evocrawl.core.model import Fetched, Fingerprint, Lead, Link
from evocrawl.core.urls.identity import host_of
from evocrawl.population.exchange import PageDigest
from evocrawl.store.cluster.redis.codec import RowCodec, Source, TravellingAgent
from evocrawl.store.cluster.redis.connection import Call
from evocrawl.store.cluster.redis.keys import KeyNames

NEWS_KEPT = 20_000
"""Number of events that the inbox of a worker keeps, at least; so does the list of leases."""

_STREAM_MS = 3_600_000
"""An inbox to which nothing was added for so long is deleted: its worker has gone."""


_LINKS = 100
"""Most links in one event."""

_OFFERED = ("open:", "done:", "todo", "version", "owner", "alive")


@dataclass(slots=True)
class RedisCommands:
    """Builds the script calls of the worker `session` ("" before it has joined)."""

    rows: RowCodec
    layout: KeyNames
    session: str = ""
    guests: int = 0

    def offers(self, links: Iterable[tuple[Link, Source | None]]) -> list[Call]:
        """Return the calls that open links at their hosts. O(links)."""
        by_host: dict[str, list[str]] = {}
        for link, source in links:
            row = self.rows.pack_link(link, source)
            by_host.setdefault(host_of(link.url), []).extend((link.fingerprint.hex(), row))
        return [
            ("offer", self.layout.of(host, *_OFFERED), [host, *rows])
            for host, rows in by_host.items()
        ]

    def settle(self, host: str, lease: str, target: Fingerprint, ended: str) -> Call:
        """Return the call that settles a link with the outcome `ended`."""
        keys = self.layout.of(host, "owner", "open:", "done:", "todo", "version")
        return "settle", keys, [host, lease, target.hex(), ended]

    def record(
        self, host: str, lease: str, outcome: Fetched, lead: Lead, details: FetchDetails
    ) -> Call:
        """Return the call that records a page of `host`."""
        page, seconds = outcome.page, outcome.cost.seconds
        keys = self.layout.of(host, "owner", "pages:", "contents:", "bodies:")
        record = self.rows.pack_record(page, lead, details, seconds, self.session)
        body = b"" if details.answer is None else self.rows.pack_answer(details.answer)
        content = self.rows.pack_content(page)
        return "record", keys, [host, lease, page.fingerprint.hex(), record, content, body]

    def visit(self, host: str, guest: TravellingAgent) -> Call:
        """Return the call that sends an agent to `host`."""
        self.guests += 1
        name = f"{self.session}.{self.guests}"
        return "visit", self.layout.of(host, "guests:"), [name, self.rows.pack_guest(guest)]

    def news(self, worker: str, kind: str, host: str, body: bytes = b"") -> Call:
        """Return the call that sends an event to the inbox of a worker; see `ClusterEvent`."""
        return events_for([self._inbox(worker)], self.session, kind, host, [body])

    def found(
        self, digest: PageDigest, by_owner: Mapping[str, Sequence[tuple[str, str, str]]]
    ) -> Call:
        """Return the call that sends links of a page to the workers that lease their hosts.

        The links of a worker are given by host, hexadecimal target and row.
        """
        packed = self.rows.pack_digest(digest)
        parts = [
            (self._inbox(owner), self.rows.pack_found(packed, rows[at : at + _LINKS]))
            for owner, rows in by_owner.items()
            for at in range(0, len(rows), _LINKS)
        ]
        inboxes, bodies = zip(*parts, strict=True)
        return events_for(inboxes, self.session, "link", "", bodies)

    def _inbox(self, worker: str) -> str:
        return self.layout.whole(f"inbox:{worker}")


def events_for(
    streams: Sequence[str], session: str, kind: str, host: str, bodies: Sequence[bytes] = (b"",)
) -> Call:
    """Return the call that adds an event of the worker `session` to each stream, with a body each.

    All streams are of the whole crawl.
    """
    return "tell", streams, [NEWS_KEPT, _STREAM_MS, session, kind, host, *bodies]
