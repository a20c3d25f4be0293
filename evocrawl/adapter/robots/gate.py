"""Opens an origin for the population once its robots.txt is known."""

from __future__ import annotations

from collections.abc import Callable

from evocrawl.adapter.context import CrawlContext
from evocrawl.adapter.robots.directory import RobotsDirectory
from evocrawl.core.urls.identity import host_of
from evocrawl.politeness.robots.rules import authority


class RobotsGate:
    """Opens origins in the population when the robots directory gets their rules.

    `directory` is None if the crawl has no robots middleware of evocrawl. `wake` is called when
    the population may have a visit to choose.
    """

    def __init__(
        self, directory: RobotsDirectory | None, context: CrawlContext, wake: Callable[[], None]
    ) -> None:
        self._directory = directory
        self._journaled = context.journaled
        self._population = context.population
        self._wake = wake
        if directory is not None:
            self._journaled.guard(self._closed_origin)
            directory.on_known.append(self._opened)
            directory.on_delayed.append(self._stays_closed)

    def look(self, host: str = "") -> None:
        """Open all origins, or those of `host`, whose robots.txt is known; request the others."""
        for origin in self._population.closed_origins():
            place = f"{origin}/"
            if host not in ("", host_of(place)):
                continue
            if self._directory is None or self._directory.is_open(place):
                self._journaled.opened(origin)

    def _closed_origin(self, url: str) -> str | None:
        return None if self._directory is None or self._directory.is_open(url) else authority(url)

    def _opened(self, origin: str) -> None:
        self._journaled.opened(origin)
        self._wake()

    def _stays_closed(self, origin: str) -> None:
        self._journaled.turn_away(origin)
        self._wake()
