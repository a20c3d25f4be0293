"""Worlds that are another world seen in some other way."""

from __future__ import annotations

from collections.abc import Collection, Iterable

from evocrawl.model import Fingerprint
from evocrawl.simulation.answers import AnsweringWorld
from evocrawl.simulation.world import Document


class Wrapping(AnsweringWorld):
    """All that a subclass does not say otherwise is as in `world`, but for what it answers."""

    def __init__(self, world: AnsweringWorld) -> None:
        self.name = world.name
        self.timeout_s = world.timeout_s
        self._world = world

    def __len__(self) -> int:
        return len(self._world)

    def documents(self) -> Iterable[Document]:
        """Return the world's pages."""
        return self._world.documents()

    def search(self, query: str, k: int) -> list[str]:
        """Return what a search of the world gives."""
        return self._world.search(query, k)

    def topics(self) -> Collection[str]:
        """Return the world's topics."""
        return self._world.topics()

    def about(self, topic: str) -> Collection[Fingerprint]:
        """Return the world's pages of a topic; raises KeyError for none."""
        return self._world.about(topic)

    def hosts(self) -> Collection[str]:
        """Return the world's hosts."""
        return self._world.hosts()

    def robots_txt(self, host: str) -> str:
        """Return the robots.txt of a host."""
        return self._world.robots_txt(host)
