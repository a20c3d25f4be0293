"""A world whose answers take time: another's pages, with latencies drawn anew.

Recorded worlds seldom say what a fetch took. Here a latency is log-normal, as download times are
about (Downey 2005, Lognormal and Pareto distributions in the Internet, Computer Communications
28), a part of it the host's own, for slow sites are slow on every page::

    latency(url) = median · exp(σ_h · z(host) + σ_p · z(url)),    z standard normal

The draws are a function of the seed and the names alone: a page is as slow in every run.
"""

from __future__ import annotations

import math
from dataclasses import replace
from hashlib import blake2b
from statistics import NormalDist

from evocrawl.simulation.answers import Answer, AnsweringWorld
from evocrawl.simulation.wrapping import Wrapping
from evocrawl.urls import host_of

_NORMAL = NormalDist()


class Delayed(Wrapping):
    """`world` where an answer takes `median_s` ≥ 0 seconds in the middle of all.

    `timeout_s` above 0 is the longest fetch, `host_spread` σ_h ≥ 0 and `page_spread` σ_p ≥ 0.
    Errors and redirects take time as pages do.
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
        """Return what the world answers, later."""
        return replace(self._world.answer(url, now_s), latency_s=self.latency_s(url))

    def latency_s(self, url: str) -> float:
        """Return what one answer takes, which may be more than the longest fetch."""
        exponent = self._page_spread * self._draw(url)
        if self._host_spread:
            exponent += self._host_spread * self._draw(host_of(url))
        return self._median_s * math.exp(exponent)

    def _draw(self, name: str) -> float:
        """A standard normal number that belongs to a name; at most 6 in size."""
        told = f"{self._seed} {name}".encode("utf-8", "replace")
        share = int.from_bytes(blake2b(told, digest_size=4).digest(), "big")
        return _NORMAL.inv_cdf((share + 0.5) / 2**32)
