"""The mind of a forager: its weblog, its weights and its position on its path.

Palotai, Farkas & Lőrincz, Is selection optimal for scale-free small worlds?, §3.1: algorithms 1
(weblog update), 3 (URL ordering), 4 (URL ordering update) and 6 (multiplication).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from evocrawl.core.model import Fingerprint, Lead
from evocrawl.species.foragers.text_states import STATE_SIZE, State

START_SIZE = 10
WEBLOG_SIZE = 100
MAX_STEP = 100
BETA = 0.3
GAMMA = 0.9
ALPHA = 0.1
_HEAVIEST = 1e6
"""Bound of the size of weights: bootstrapped values have no natural bound."""


class Frontier:
    """Links of a path that may be the next step, with the states of the pages they lead to."""

    def __init__(self) -> None:
        self._leads: list[Lead] = []
        self._places: dict[Fingerprint, int] = {}
        self._states = np.zeros((64, STATE_SIZE), dtype=np.float32)

    def __len__(self) -> int:
        return len(self._leads)

    def put(self, lead: Lead, state: State) -> None:
        """Add a link, or give a known one another state. O(1) amortised."""
        place = self._places.setdefault(lead.fingerprint, len(self._leads))
        if place == len(self._leads):
            self._leads.append(lead)
            if place == len(self._states):
                self._states = np.concatenate((self._states, np.zeros_like(self._states)))
        self._states[place] = state

    def pop_best(self, weights: NDArray[np.float64]) -> Lead | None:
        """Remove and return the link of the highest weights · state, or None. O(links)."""
        if not self._leads:
            return None
        values = self._states[: len(self._leads)] @ weights.astype(np.float32)
        best = int(np.argmax(values))
        lead, last = self._leads[best], self._leads.pop()
        del self._places[lead.fingerprint]
        if last is not lead:
            self._leads[best] = last
            self._places[last.fingerprint] = best
            self._states[best] = self._states[len(self._leads)]
        return lead


@dataclass(slots=True)
class Weblog:
    """At most 100 URLs by falling value: the expected sum of rewards on a path from there on."""

    leads: dict[Fingerprint, Lead] = field(default_factory=dict)
    values: dict[Fingerprint, float] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.leads)

    def add(self, lead: Lead, value: float = 0.0) -> None:
        """Add a URL at the end; ignore a known one. O(1)."""
        self.values.setdefault(lead.fingerprint, value)
        self.leads.setdefault(lead.fingerprint, lead)

    def starts(self, most: int = START_SIZE) -> list[Lead]:
        """Return the first URLs, where paths may begin."""
        return list(self.leads.values())[:most]

    def update(self, path: Sequence[Lead], profits: Sequence[float]) -> None:
        """Learn from a path (algorithm 1): `profits` are those of its steps. O(n log n)."""
        rest = 0.0
        for lead, profit in zip(reversed(path), reversed(profits), strict=True):
            rest += profit
            known = self.values.get(lead.fingerprint)
            value = rest if known is None else (1 - BETA) * known + BETA * rest
            self.values[lead.fingerprint] = value
            self.leads.setdefault(lead.fingerprint, lead)
        self._keep(sorted(self.leads, key=self.values.__getitem__, reverse=True)[:WEBLOG_SIZE])

    def copy(self) -> Weblog:
        """Return a copy. O(n)."""
        return Weblog(dict(self.leads), dict(self.values))

    def halved(self, rng: Generator) -> Weblog:
        """Remove and return half of the URLs, drawn at random (algorithm 6).

        A single URL stays in both. O(n).
        """
        other = self.copy()
        if len(self) < 2:
            return other
        order = list(self.leads)
        taken = {order[place] for place in rng.permutation(len(order))[: len(order) // 2]}
        other._keep([each for each in order if each in taken])
        self._keep([each for each in order if each not in taken])
        return other

    def _keep(self, order: Sequence[Fingerprint]) -> None:
        self.leads = {each: self.leads[each] for each in order}
        self.values = {each: self.values[each] for each in order}


@dataclass(slots=True)
class Mind:
    """The knowledge of one forager, then the state of its path, then that of its step.

    ============  ==========================================================================
    field         meaning
    ============  ==========================================================================
    weights       weights of the value estimate, shape (50,)
    weblog        URLs by value; for a kind that keeps its starting URLs, only these
    sent          version of each page when it was last handed on
    untried       seeds that have no place among the starting URLs
    seeds         number of seeds that have been added
    failed        starting URLs that led to no page since the last path that led to one
    path          the steps made; `profits` has the profit of each
    frontier      links to which the path may continue
    before        state of the previous step, None at the beginning of a path
    step          the current step, None between two steps
    is_landed     True if the step's page was fetched or cannot be fetched
    state         state of its page, None without a page
    profit        rewards and penalties since the step began
    errands       pages to fetch in this step, in reverse order
    ============  ==========================================================================
    """

    weights: NDArray[np.float64]
    weblog: Weblog = field(default_factory=Weblog)
    sent: dict[Fingerprint, bytes] = field(default_factory=dict)
    untried: list[Lead] = field(default_factory=list)
    seeds: int = 0
    failed: set[Fingerprint] = field(default_factory=set)
    path: dict[Fingerprint, Lead] = field(default_factory=dict)
    profits: list[float] = field(default_factory=list)
    frontier: Frontier = field(default_factory=Frontier)
    before: State | None = None
    step: Lead | None = None
    is_landed: bool = False
    state: State | None = None
    profit: float = 0.0
    errands: list[Lead] = field(default_factory=list)

    def begin(self, step: Lead) -> None:
        """Begin a step: its page is fetched first."""
        self.step, self.is_landed, self.state = step, False, None
        self.errands = [step]

    def finish(self, *, learns: bool) -> None:
        """End the step; if the kind `learns`, correct the weights by it (algorithm 4).

        δ = r + γ value(n+1) − value(n), weights += α δ state(n). If |state|² > 1/α, the step size
        is reduced to 1/|state|²: a longer step would overshoot the error that it corrects.
        """
        if self.step is None:
            return
        if self.state is not None and self.before is not None and learns:
            error = self.profit + GAMMA * self.state @ self.weights - self.before @ self.weights
            size = float(self.before @ self.before)
            rate = min(ALPHA, 1 / size) if size else 0.0
            self.weights = (self.weights + rate * error * self.before).clip(-_HEAVIEST, _HEAVIEST)
        self.path[self.step.fingerprint] = self.step
        self.profits.append(self.profit)
        if self.state is not None:
            self.before = self.state
        self.step, self.profit = None, 0.0

    def restart(self, *, keeps_weblog: bool) -> None:
        """End the path; the weblog learns from it unless the kind `keeps_weblog` unchanged.

        For such a kind, the first ten visited URLs stay the starting URLs.
        """
        path = list(self.path.values())
        if keeps_weblog:
            for lead in path:
                if len(self.weblog) < START_SIZE:
                    self.weblog.add(lead)
        elif path:
            self.weblog.update(path, self.profits)
        if self.before is None:
            self.failed.update(self.path)
        else:
            self.failed.clear()
        self.path, self.profits, self.frontier, self.before = {}, [], Frontier(), None
