"""Visits that come to nothing now, and whose links are open again for later."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from evocrawl.urls import host_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from scrapy import Request
    from scrapy.crawler import Crawler

    from evocrawl.ecosystem import Ecosystem
    from evocrawl.flights import Flight
    from evocrawl.model import Fingerprint, Lead, Outcome

MAX_TURNS = 3
"""Times that a link is turned back before a crowded host; then it waits in the downloader."""


class Postponing:
    """Puts visits off: those that failed, and those that a redirect takes to a crowded host.

    Such a visit ends at no cost to the agent. So none of them holds a place while its host gets
    well or has other visitors.
    """

    def __init__(self, ecosystem: Ecosystem, crawler: Crawler) -> None:
        self._ecosystem = ecosystem
        self._crawler = crawler
        self._tries: dict[Fingerprint, tuple[int, Request | None]] = {}
        self._turned: dict[str, list[Callable[[], None]]] = {}
        self._turns: Counter[Fingerprint] = Counter()
        ecosystem.on_landed.append(self._landed)

    def retry(self, flight: Flight, request: Request) -> None:
        """Open the link of a failed visit again; `request` is the second try."""
        self._crawler.stats.inc_value("evocrawl/retries")
        # After a redirect it begins anew, with the link.
        again = None if flight.hops else request
        self._tries[flight.visit.lead.fingerprint] = request.meta["retry_times"], again
        self._ecosystem.put_off(flight)()

    def turn_back(self, flight: Flight, request: Request) -> bool:
        """Open the link again when the host that it redirects to has room, if it has none now.

        False where it has, and where the link was turned back often enough.
        """
        host, key = host_of(request.url), flight.visit.lead.fingerprint
        if host == host_of(flight.url) or self._has_room(host) or self._turns[key] >= MAX_TURNS:
            return False
        self._turns[key] += 1
        self._turned.setdefault(host, []).append(self._ecosystem.put_off(flight))
        return True

    def take(self, lead: Lead) -> tuple[int, Request | None]:
        """Return how often `lead` was tried before, and the request to make now if there is one."""
        return self._tries.pop(lead.fingerprint, (0, None))

    def _has_room(self, host: str) -> bool:
        there = sum(host_of(each.url) == host for each in self._ecosystem.flights.values())
        return there < self._ecosystem.host_limit(host)[0]

    def _landed(self, flight: Flight, outcome: Outcome) -> None:  # noqa: ARG002 - a listener's form
        if not flight.is_put_off:
            self._turns.pop(flight.visit.lead.fingerprint, None)
        waiting = self._turned.get(host_of(flight.url))
        if waiting:
            waiting.pop(0)()
            if not waiting:
                del self._turned[host_of(flight.url)]
