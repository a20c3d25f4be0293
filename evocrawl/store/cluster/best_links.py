"""Workers tell each other the chance of the best link that each has, so that they wait for it.

A worker names its best link only as long as it begins visits, and the number of another worker
counts for a few seconds. So no worker waits for one that is stopped, gone or has no requests left,
and two workers do not wait for each other for longer than that.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from evocrawl.politeness.host_slots import SOON_S
from evocrawl.population.population import Population

AGE_S = 3.0
"""For so long the number of another worker counts, from the time when it was read."""
_PATIENCE_S = 2.0
"""A worker that has begun no visit for so long, and could wait for another one, does so."""


class BestLinks:
    """The best link of `population`, and the best one of the other workers, by their chances.

    `clock` returns seconds that never fall.
    """

    def __init__(self, population: Population, clock: Callable[[], float]) -> None:
        self._population = population
        self._clock = clock
        self._visits, self._began_at_s = 0, clock()
        self._elsewhere, self._read_at_s = 0.0, -AGE_S
        self._first_read_at_s: float | None = None
        self._is_new = False

    @property
    def is_waiting(self) -> bool:
        """True if this worker begins no visits while another one has links."""
        begins = self._clock() <= self._last_visit_s() + _PATIENCE_S and self._visits > 0
        return bool(self._elsewhere) and not begins

    def own(self) -> float:
        """Return the chance in [0, 1] of the best link of a host that is free, now or soon.

        0.0 without one, if no visit has begun for `SOON_S`, without a limit of requests, and before
        anything was learnt. It is called at least twice in that time. One look at the links.
        """
        population = self._population
        has_limit = population.environment.budget.limit is not None
        goes_on = self._clock() <= self._last_visit_s() + SOON_S
        return population.best_chance() if has_limit and goes_on and population.has_learnt else 0.0

    def read(self, chances: Iterable[float]) -> bool:
        """Note the chances of the best links of other workers; return whether agents look again.

        Those that wait do, with each number: it may have fallen, or their own links have become
        better by what others have learnt. A worker that has learnt nothing can compare no chances:
        for `SOON_S` at most, it leaves the requests to the others, but for seeds.
        """
        before, others, now_s = self._elsewhere, [*chances], self._clock()
        if self._first_read_at_s is None:
            self._first_read_at_s = now_s
        is_early = now_s < self._first_read_at_s + SOON_S and not self._population.has_learnt
        self._elsewhere = 1.0 if others and is_early else max(others, default=0.0)
        self._read_at_s, self._is_new = now_s, True
        return bool(before or self._elsewhere)

    def wait(self, now_s: float) -> None:
        """Let agents wait for the links elsewhere; `now_s` is the time of the population."""
        if self._is_new:
            self._is_new = False
            left_s = AGE_S - (self._clock() - self._read_at_s)
            self._population.environment.elsewhere.note(self._elsewhere, now_s + left_s)

    def _last_visit_s(self) -> float:
        """Return when the latest visit began, or was seen to have begun."""
        if self._population.visits_begun > self._visits:
            self._visits, self._began_at_s = self._population.visits_begun, self._clock()
        return self._began_at_s
