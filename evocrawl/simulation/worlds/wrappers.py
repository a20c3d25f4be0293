"""Worlds that wrap another world and modify its answers."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable
from dataclasses import replace
from hashlib import blake2b
from statistics import NormalDist

from evocrawl.core.model import Fingerprint
from evocrawl.core.urls.identity import host_of
from evocrawl.simulation.worlds.answers import Answer, AnsweringWorld
from evocrawl.simulation.worlds.base import Document


class Wrapping(AnsweringWorld):
    """Passes everything on to `world`; subclasses implement `answer`."""

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
        """Return the results of a search in the world."""
        return self._world.search(query, k)

    def topics(self) -> Collection[str]:
        """Return the world's topics."""
        return self._world.topics()

    def about(self, topic: str) -> Collection[Fingerprint]:
        """Return the world's pages of a topic; raises KeyError if unknown."""
        return self._world.about(topic)

    def hosts(self) -> Collection[str]:
        """Return the world's hosts."""
        return self._world.hosts()

    def robots_txt(self, host: str) -> str:
        """Return the robots.txt of a host."""
        return self._world.robots_txt(host)


_NORMAL = NormalDist()


class Delayed(Wrapping):
    """`world` with latencies of median `median_s` ≥ 0 seconds.

    `timeout_s` > 0 is the time-out of a fetch. `host_spread` σ_h ≥ 0 and `page_spread` σ_p ≥ 0.
    Errors and redirects have latencies too.
    """

    def __init__(
        self,
        world: AnsweringWorld,
        median_s: float,
        *,
        timeout_s: float,
        seed: int,
        host_spread: float = 0.0,
        page_spread: float = 0.0,
    ) -> None:
        super().__init__(world)
        self.timeout_s = timeout_s
        self._median_s = median_s
        self._seed = seed
        self._host_spread = host_spread
        self._page_spread = page_spread

    def answer(self, url: str, now_s: float) -> Answer:
        """Return the answer of the world with a latency."""
        return replace(self._world.answer(url, now_s), latency_s=self.latency_s(url))

    def latency_s(self, url: str) -> float:
        """Return the latency of one answer in seconds; it may exceed the time-out."""
        exponent = self._page_spread * self._draw(url)
        if self._host_spread:
            exponent += self._host_spread * self._draw(host_of(url))
        return self._median_s * math.exp(exponent)

    def _draw(self, name: str) -> float:
        """Return the standard normal number of a name, in [−6, 6]."""
        key = f"{self._seed} {name}".encode("utf-8", "replace")
        share = int.from_bytes(blake2b(key, digest_size=4).digest(), "big")
        return _NORMAL.inv_cdf((share + 0.5) / 2**32)
