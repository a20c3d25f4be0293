"""Extension that counts the visits of each species."""

from __future__ import annotations

from typing import Any

from evocrawl.ecosystem import Ecosystem
from evocrawl.events import Event, Opened


class Visitors:
    """Keeps the stats ``evocrawl/test/visits/SPECIES``."""

    @classmethod
    def from_crawler(cls, crawler: Any) -> Visitors:
        self = cls()
        self.stats = crawler.stats
        self.population = Ecosystem.of(crawler).population
        self.population.on_event.append(self._note)
        return self

    def _note(self, event: Event) -> None:
        if isinstance(event, Opened):
            species = self.population.life.agents[event.visit.agent].species.name
            self.stats.inc_value(f"evocrawl/test/visits/{species}")
