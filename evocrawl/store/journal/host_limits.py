"""Records changes of the limits of hosts in the journal."""

from __future__ import annotations

from collections.abc import Callable

from evocrawl.politeness.host_slots import HostLimit
from evocrawl.store.journal.operations import Limited


class JournaledHostLimits:
    """A `HostLimit` that calls another one, at most once per host in each step.

    The limits of a crawl change: AutoThrottle sets delays, robots.txt arrives. `on_change` is
    called with each limit that differs from the host's last one; the first is `default`. While
    `is_replaying` the limits are those of the journal.
    """

    def __init__(self, ask: HostLimit, default: tuple[int, float]) -> None:
        self.default = default
        self.on_change: Callable[[Limited], None] = lambda _: None
        self.is_replaying = False
        self._ask = ask
        self._known: dict[str, tuple[int, float]] = {}
        self._asked: set[str] = set()

    def __call__(self, host: str) -> tuple[int, float]:
        """Return the most concurrent visits and the seconds between the starts of two."""
        known = self._known.get(host, self.default)
        if self.is_replaying or host in self._asked:
            return known
        self._asked.add(host)
        limit = self._ask(host)
        if limit != known:
            self.learn(host, limit)
            self.on_change(Limited(host, *limit))
        return limit

    def step(self) -> None:
        """Begin a step, in which the limit of each host is read again."""
        self._asked.clear()

    def learn(self, host: str, limit: tuple[int, float]) -> None:
        """Set the limit of `host`."""
        self._known[host] = limit
