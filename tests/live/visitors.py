"""Extension that counts the visits of each species."""

from __future__ import annotations

from typing import Any

from evocrawl.adapter.context import CrawlContext
from evocrawl.core.events import Event, VisitOpened


class Visitors:
    """Keeps the stats ``evocrawl/test/visits/SPECIES``."""

    @classmethod
    def from_crawler(cls, crawler: Any) -> Visitors:
        self = cls()
        self.stats = crawler.stats
        self.population = CrawlContext.of(crawler).population
        self.population.on_event.append(self._note)
        return self

    def _note(self, event: Event) -> None:
        if isinstance(event, VisitOpened):
            species = self.population.lifecycle.agents[event.visit.agent].species.name
            self.stats.inc_value(f"evocrawl/test/visits/{species}")
