"""Ranks the open links of the species `evo`: a queue by score, and the best links at hand.

Scores change with every page. To score every waiting link again would cost more the longer a
crawl lasts. Instead, each step scores the `_AT_HAND` best links, `_SWEPT` others in turn, and the
links that were found in the last step.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Mapping, Sequence
from typing import Protocol

import numpy as np
import numpy.typing as npt

from evocrawl.core.model import Fingerprint, Lead
from evocrawl.species.agent import Agent
from evocrawl.species.base import ANY_HOST, Move, View
from evocrawl.species.parts import Queue
from evocrawl.species.reasons import Standing

Matrix = npt.NDArray[np.float64]
Rows = npt.NDArray[np.intp]

_AT_HAND = 48
_SWEPT = 32
_SWEPT_AT_ONCE = 1024
_SCORED_AT_ONCE = 2048
_SEED = 1e6
_CHANGE = 0.05
"""The queue keeps its score of a link if the change is less."""


class Valuer(Protocol):
    """The part of the link model that the ranking uses."""

    version: int

    def features(self, rows: Rows) -> Matrix:
        """Return the features of targets, shape (n, d)."""

    def scores(self, features: Matrix) -> Matrix:
        """Return the scores of targets with these features, shape (n,)."""


class LeadsByRow(Protocol):
    """Links by the row of their target."""

    def get(self, number: int) -> Lead | None:
        """Return the link of a row, None for a row without a link."""

    def put(self, leads: Mapping[int, Lead]) -> list[int]:
        """Set the links of some rows; return the rows that had none."""

    def forget(self, number: int) -> None:
        """Remove the link of a row."""

    def scores(self, numbers: Rows) -> Matrix:
        """Return the scores set since the links of some rows were put, −inf without."""

    def set_scores(self, numbers: Rows, scores: Matrix) -> None:
        """Set the scores of some rows."""

    def targets(self, numbers: Sequence[int]) -> list[Fingerprint | None]:
        """Return the targets of the links of some rows, None for rows without a link."""


class CandidateRanking:
    """Shows agents the open links that the population ranks best.

    Links are stored by the model's row of their target, which a lead carries as its features.
    """

    def __init__(
        self,
        queue: Queue,
        model: Valuer,
        is_claimed: Callable[[Fingerprint], bool],
        leads: LeadsByRow,
    ) -> None:
        self._queue = queue
        self._model = model
        self._is_claimed = is_claimed
        self._leads = leads
        self._turns = array("I")
        self._next_turn = 0
        self._fresh: list[int] = []
        self._hand: list[int] = []
        self._features: dict[int, Matrix] = {}
        self._seen = -1
        self._to_sweep = 0

    def found(self, leads: Sequence[Lead]) -> None:
        """Add links, new or found again. O(log n) a link."""
        rows: dict[int, Lead] = {}
        for lead in leads:
            row = row_of(lead)
            self._queue.push(lead, _SEED if row is None else lead.score)
            if row is not None:
                rows[row] = lead
        self._turns.extend(self._leads.put(rows))
        self._fresh.extend(rows)
        self._seen = -1

    def wander(self, agent: Agent, *, may_eat: bool) -> Move | None:  # noqa: ARG002 - protocol
        """Never wander."""
        return None

    def look(self, agent: Agent, is_free: Callable[[str], bool]) -> View:  # noqa: ARG002
        """See the best links of free hosts. O(log n) amortised."""
        leads = self.best(is_free)
        if leads:
            return View(leads)
        return View((), frozenset((ANY_HOST,)) if self._queue.has_parked else frozenset())

    def escape(self, agent: Agent, *, may_eat: bool) -> Move | None:  # noqa: ARG002 - protocol
        """Return None: every open link is in sight."""
        return None

    def best(self, is_free: Callable[[str], bool]) -> list[Lead]:
        """Return the links at hand of free hosts, or a single seed; () if all hosts are busy.

        O(log n) amortised in the number of links.
        """
        first = self._queue.peek(is_free)
        if first is None or row_of(first) is None:
            return [] if first is None else [first]
        if self._seen != self._model.version:
            self._look_again(first)
            self._seen = self._model.version
        hosts: dict[str, bool] = {}
        leads = []
        for row in self._hand:
            lead = self._leads.get(row)
            if lead is None or self._is_claimed(lead.fingerprint):
                continue
            if lead.host not in hosts:
                hosts[lead.host] = is_free(lead.host)
            if hosts[lead.host]:
                leads.append(lead)
        return leads or [first]

    def features(self, leads: Sequence[Lead]) -> Matrix:
        """Return the features of links at hand, as of the last look, shape (n, d)."""
        rows = [row_of(lead) or 0 for lead in leads]
        known = [self._features.get(row) for row in rows]
        if any(each is None for each in known):
            return self._model.features(np.array(rows))
        return np.array(known)

    def freed(self, host: str) -> None:
        """Count the host's links again."""
        self._queue.free(host)

    def score_all(self) -> None:
        """Score every waiting link again within the next choices, `_SWEPT_AT_ONCE` in each."""
        self._to_sweep = len(self._turns)

    def standing(self, lead: Lead) -> Standing | None:
        """Return the place of a waiting link, None for a seed and a link that is not open.

        Scores every waiting link by the model as it is now: O(waiting links).
        """
        row = row_of(lead)
        if row is None:
            return None
        waiting = np.array(sorted(self._open((*set(self._turns), *self._fresh, *self._hand))))
        own = np.flatnonzero(waiting == row)
        if not len(own):
            return None
        parts = np.array_split(waiting, len(waiting) // _SCORED_AT_ONCE + 1)
        model = self._model
        scores = np.concatenate([model.scores(model.features(part)) for part in parts])
        score = float(scores[own[0]])
        return Standing(1 + int((scores > score).sum()), len(scores), score)

    def _look_again(self, first: Lead) -> None:
        rows = self._open((*self._hand, *self._fresh)) | self._swept()
        rows.add(row_of(first) or 0)
        self._fresh.clear()
        ordered = np.array(sorted(rows))
        features = self._model.features(ordered)
        scores = self._model.scores(features)
        has_changed = np.abs(scores - self._leads.scores(ordered)) > _CHANGE
        changed = ordered[has_changed]
        self._leads.set_scores(changed, scores[has_changed])
        for row, worth in zip(changed.tolist(), scores[has_changed].tolist(), strict=True):
            self._queue.rerank(self._leads.get(row) or first, worth)
        best = np.argsort(-scores, kind="stable")[:_AT_HAND]
        self._hand = ordered[best].tolist()
        self._features = dict(zip(self._hand, features[best], strict=True))

    def _swept(self) -> set[int]:
        """Return the next open rows in turn, and remove rows that are no longer open."""
        turns = self._turns
        most = _SWEPT_AT_ONCE if self._to_sweep > 0 else _SWEPT
        self._to_sweep -= most
        ahead = [turns[(self._next_turn + n) % len(turns)] for n in range(min(most, len(turns)))]
        are_open = self._open(ahead)
        swept = set[int]()
        for _ in range(len(ahead)):
            self._next_turn %= max(len(turns), 1)
            row = turns[self._next_turn]
            if row in are_open or (row not in ahead and self._open((row,))):
                swept.add(row)
                self._next_turn += 1
            else:
                self._leads.forget(row)
                last = turns.pop()
                if self._next_turn < len(turns):
                    turns[self._next_turn] = last
                if not turns:
                    break
        return swept

    def _open(self, rows: Sequence[int]) -> set[int]:
        """Return the `rows` whose targets are not claimed."""
        is_claimed = self._is_claimed
        return {
            row
            for row, target in zip(rows, self._leads.targets(rows), strict=True)
            if target is not None and not is_claimed(target)
        }


def row_of(lead: Lead) -> int | None:
    """Return the row of a link's target, None for a seed."""
    return lead.features if isinstance(lead.features, int) else None
