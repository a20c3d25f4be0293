"""Who opens the doors of hosts whose robots.txt the population waits for."""

from __future__ import annotations

from collections.abc import Callable

from evocrawl.adapter.context import CrawlContext
from evocrawl.adapter.robots.directory import RobotsDirectory
from evocrawl.core.urls.identity import host_of
from evocrawl.politeness.robots.rules import authority


class RobotsGate:
    """Stands between the robots gate (None: there is none) and the population.

    `wake` is called when there may be something to choose.
    """

    def __init__(
        self, gate: RobotsDirectory | None, context: CrawlContext, wake: Callable[[], None]
    ) -> None:
        self._gate = gate
        self._journaled = context.journaled
        self._population = context.population
        self._wake = wake
        if gate is not None:
            self._journaled.guard(self._door_of)
            gate.on_known.append(self._opened)
            gate.on_delayed.append(self._stays_shut)
            context.crawl_delay = gate.delay_of

    def look(self, host: str = "") -> None:
        """Open the doors, or those of `host`, behind which robots.txt is known; ask for others."""
        for door in self._population.shut_doors():
            place = f"{door}/"
            if host in ("", host_of(place)) and (self._gate is None or self._gate.is_open(place)):
                self._journaled.opened(door)

    def _door_of(self, url: str) -> str | None:
        return None if self._gate is None or self._gate.is_open(url) else authority(url)

    def _opened(self, door: str) -> None:
        self._journaled.opened(door)
        self._wake()

    def _stays_shut(self, door: str) -> None:
        self._journaled.turn_away(door)
        self._wake()
