"""What hosts allow, told to the journal where it changes."""

from __future__ import annotations

from collections.abc import Callable

from evocrawl.politeness.host_slots import HostLimit
from evocrawl.store.journal.operations import Limited


class JournaledHostLimits:
    """A `HostLimit` that asks another one, at most once a host in each step.

    A crawl's own limits move: AutoThrottle sets delays, robots.txt arrives. `on_change` is told
    of each answer that differs from the last, the first being `default`. While `is_replaying` the
    limits are those told before.
    """

    def __init__(self, ask: HostLimit, default: tuple[int, float]) -> None:
        self.default = default
        self.on_change: Callable[[Limited], None] = lambda _: None
        self.is_replaying = False
        self._ask = ask
        self._known: dict[str, tuple[int, float]] = {}
        self._asked: set[str] = set()

    def __call__(self, host: str) -> tuple[int, float]:
        """Return visits at once and seconds between the starts of two."""
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
        """A step begins: what hosts allow may have changed."""
        self._asked.clear()

    def learn(self, host: str, limit: tuple[int, float]) -> None:
        """Know what `host` allows."""
        self._known[host] = limit
