"""Ends a crawl when the forecast says that enough is found."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from evocrawl.core.config.stop import StopCondition
from evocrawl.core.events import Event, VisitSettled
from evocrawl.estimation.forecast import Forecast

PATIENCE = 50
"""Requests for which a condition must hold, so that a short unlucky phase does not end a crawl."""
_EVERY = 10
"""Requests between two checks of the forecast."""

REASONS = {"yield": "stopped_by_yield", "recall": "stopped_by_recall"}
"""Stop reason of each kind of condition."""


class Stoppable(Protocol):
    """Something that a stop rule can stop: a population."""

    stopped: str


class StopRule:
    """Sets `stopped` of `population` as soon as one of `conditions` has held for 50 requests.

    Nothing is stopped before `arm` is called, since a replayed crawl has followed the rule that it
    had then. Attach `note` after the forecast.
    """

    of_run = ("_conditions", "_is_armed")
    """Attributes that are no part of a snapshot."""

    def __init__(
        self, conditions: Sequence[StopCondition], forecast: Forecast, population: Stoppable
    ) -> None:
        self._conditions = conditions
        self._forecast = forecast
        self._population = population
        self._since: dict[str, int] = {}
        self._is_armed = False
        self._looked_at = 0

    def arm(self) -> None:
        """Stop the crawl from now on, at once if a condition holds already."""
        self._is_armed = True
        self._look()

    def note(self, event: Event) -> None:
        """Check the forecast every 10 requests. O(1); a check is O(log n) and O(pages left)."""
        if isinstance(event, VisitSettled):
            self.look()

    def look(self) -> None:
        """Stop the crawl if a condition has held for long enough; check only every 10 requests."""
        if self._forecast.requests >= self._looked_at + _EVERY:
            self._look()

    def _look(self) -> None:
        self._looked_at = self._forecast.requests
        outlook = self._forecast.estimate()
        if outlook is None:
            return
        for each in self._conditions:
            if not each.holds(outlook.yields, outlook.recall.middle):
                self._since.pop(each.what, None)
                continue
            since = self._since.setdefault(each.what, outlook.requests)
            if self._is_armed and outlook.requests - since >= PATIENCE:
                self._population.stopped = self._population.stopped or REASONS[each.what]
