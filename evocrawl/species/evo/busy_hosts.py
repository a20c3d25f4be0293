"""Decides which links are worth a visit while better ones wait for a busy host.

A polite crawl sends a host one request at a time. The agents that are left without the best host
would spend the budget on what other hosts have, however poor that is. So a link is followed only if
its chance to lead to a good page is at least a share of the chance of the best link whose host is
busy, but free again soon, or that another worker of the crawl has. Without such a link, an agent
waits. At the start of a crawl links are followed one after the other, by their chances, since each
page teaches the model which links are good. In a crawl that may send any number of requests, no
agent waits: there the time counts.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from evocrawl.species.reasons import sigmoid

LEARNING = 100
"""Number of links followed after which the least share has fallen from 1 to `selectivity`."""


@dataclass(frozen=True, slots=True)
class BusyHosts:
    """The links that are left out because a busy host has better ones.

    `selectivity` in [0, 1] is the least share of the best chance; with 0 no host is waited for.
    `is_awaited` is asked about busy hosts alone: whether one is free again soon. `chance_elsewhere`
    is that of the best link of another worker, 0.0 without one.
    """

    selectivity: float
    is_awaited: Callable[[str], bool]
    chance_elsewhere: Callable[[], float] = lambda: 0.0

    def least_chance(self, host: str, score: float, followed: int) -> float:
        """Return the least chance in [0, 1] beside a link of this score at a busy host.

        `followed` is the number of links that the crawl has followed.
        """
        if self.selectivity and self.is_awaited(host):
            return self._share(followed) * sigmoid(score)
        return 0.0

    def least_elsewhere(self, followed: int) -> float:
        """Return the least chance in [0, 1] beside the links of other workers."""
        return self._share(followed) * self.chance_elsewhere() if self.selectivity else 0.0

    def _share(self, followed: int) -> float:
        still_learning = max(0.0, 1 - followed / LEARNING)
        return self.selectivity + (1 - self.selectivity) * still_learning


NEVER_WAIT = BusyHosts(0.0, lambda _: False)
