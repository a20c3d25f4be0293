"""Ranks the open links of the species `evo`: a queue by score, and the best links at hand.

Scores change with every page. To score every waiting link again would cost more the longer a
crawl lasts. Instead, each step scores the `_AT_HAND` best links, `_SWEPT` others in turn, and the
links that were found in the last step.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterator, Sequence

import numpy as np

from evocrawl.core.model import Lead
from evocrawl.species.agent import Agent
from evocrawl.species.base import ANY_HOST, Move, View
from evocrawl.species.evo.interfaces import Claims, LeadsByRow, Matrix, Valuer
from evocrawl.species.parts import Queue
from evocrawl.species.reasons import Standing

_AT_HAND = 48
_SWEPT = 32
_SWEPT_AT_ONCE = 1024
_SCORED_AT_ONCE = 2048
_SEED = 1e6
_CHANGE = 0.05
"""The queue keeps its score of a link if the change is less."""


class CandidateRanking:
    """Shows agents the open links that the population ranks best.

    Links are stored by the model's row of their target, which a lead carries as its features.
    """

    of_run = ("_at_hand", "_at_releases", "_open_places", "_shown")
    """Attributes that are no part of a snapshot."""

    def __init__(
        self,
        queue: Queue,
        model: Valuer,
        claims: Claims,
        leads: LeadsByRow,
    ) -> None:
        self._queue = queue
        self._model = model
        self._claims = claims
        self._leads = leads
        self._turns = array("I")
        self._next_turn = 0
        self._found: dict[int, Lead] = {}
        """Links by row that are not in `_leads` yet."""
        self._fresh: list[int] = []
        """Rows found since the last look, which has not scored them yet."""
        self._unplaced: list[int] = []
        """Those of them that are not in the queue yet, or with an older score."""
        self._hand: list[int] = []
        self._at_hand: list[Lead | None] = []
        """The links of `_hand`."""
        self._open_places: Sequence[int] = ()
        """The places in `_hand` of the links that are not known to be claimed."""
        self._at_releases = 0
        """The number of releases when links were last left out of `_open_places`."""
        self._shown: tuple[Sequence[Lead], list[int]] = ([], [])
        """The links that `best` returned last, and their places in `_hand`."""
        self._features = np.zeros((0, 0))
        self._place_at_hand: dict[int, int] = {}
        self._seen = -1
        self._to_sweep = 0

    def found(self, leads: Sequence[Lead]) -> None:
        """Add links, new or found again. The next look scores them and places them in the queue."""
        rows: dict[int, Lead] = {}
        are_claimed = self._claims.are_claimed([lead.fingerprint for lead in leads])
        for lead, is_claimed in zip(leads, are_claimed, strict=True):
            row = row_of(lead)
            if row is not None:
                rows[row] = lead
            if row is None or is_claimed:
                self._queue.push(lead, _SEED if row is None else lead.score)
        self._found.update(rows)
        self._fresh.extend(rows)
        self._unplaced.extend(rows)
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
        self._put_found()
        first = self._first(is_free)
        if first is None or row_of(first) is None:
            return [] if first is None else [first]
        are_open = self._seen != self._model.version
        if are_open:
            self._look_again(first)
            self._seen = self._model.version
        if len(self._at_hand) < len(self._hand):
            self._at_hand = self._leads.get_each(self._hand)
            self._open_places = range(len(self._hand))
        hosts: dict[str, bool] = {}
        shown, places = list[Lead](), list[int]()
        if not are_open:
            self._leave_claimed()
        for place in self._open_places:
            lead = self._at_hand[place]
            if lead is None:
                continue
            host = lead.host
            if host not in hosts:
                hosts[host] = is_free(host)
            if hosts[host]:
                shown.append(lead)
                places.append(place)
        self._shown = shown, places
        return shown or [first]

    def _leave_claimed(self) -> None:
        """Leave links that were claimed since the look out of `_open_places`.

        A link is left out once, not at each of the hundreds of draws in which the links of a trap
        are held back, unless a claim was released since then. O(open places).
        """
        if self._claims.releases != self._at_releases:
            self._at_releases = self._claims.releases
            self._open_places = range(len(self._hand))
        at_hand = [(place, lead) for place in self._open_places
                   if (lead := self._at_hand[place]) is not None]  # fmt: skip
        claimed = self._claims.are_claimed([lead.fingerprint for _, lead in at_hand])
        self._open_places = [
            place for (place, _), is_claimed in zip(at_hand, claimed, strict=True) if not is_claimed
        ]

    def features(self, leads: Sequence[Lead]) -> Matrix:
        """Return the features of links at hand, as of the last look, shape (n, d)."""
        shown, places = self._shown
        if leads is not shown:
            rows = [row_of(lead) or 0 for lead in leads]
            places = [self._place_at_hand.get(row, -1) for row in rows]
            if min(places, default=-1) < 0:
                return self._model.features(np.array(rows))
        return self._features.take(places, axis=0)

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
        self._put_found()
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

    def _put_found(self) -> None:
        """Put the links that were found since the last look to the others, all in one step."""
        if self._found:
            self._turns.extend(self._leads.put(self._found))
            self._found.clear()

    def _first(self, is_free: Callable[[str], bool]) -> Lead | None:
        """Return the best link of a free host, by the scores of the last look; None without one.

        A link that is not in the queue yet has the score 0.
        """
        first = self._queue.peek(is_free)
        row = None if first is None else row_of(first)
        if not self._unplaced or (first is not None and row is None):
            return first
        if row is not None and self._leads.scores(np.array([row]))[0] >= 0:
            return first
        for lead in self._open_leads(self._unplaced):
            if not self._queue.is_parked(lead.host) and is_free(lead.host):
                return lead
        if first is None:
            # The queue notes which hosts are busy.
            unplaced = [*self._open_leads(self._unplaced)]
            self._queue.place(unplaced, [0.0] * len(unplaced))
            self._unplaced.clear()
            first = self._queue.peek(is_free)
        return first

    def _open_leads(self, rows: Sequence[int]) -> Iterator[Lead]:
        """Yield the open links of some rows, each once."""
        for lead in map(self._leads.get, dict.fromkeys(rows)):
            if lead is not None and not self._claims.are_claimed([lead.fingerprint])[0]:
                yield lead

    def _look_again(self, first: Lead) -> None:
        rows = self._open((*self._hand, *self._fresh)) | self._swept()
        rows.add(row_of(first) or 0)
        known = dict(zip(self._hand, self._at_hand, strict=False))
        for row in self._fresh:
            known.pop(row, None)
        self._fresh.clear()
        self._unplaced.clear()
        ordered = np.array(sorted(rows))
        features = self._model.features(ordered)
        scores = self._model.scores(features)
        has_changed = np.abs(scores - self._leads.scores(ordered)) > _CHANGE
        changed, worths = ordered[has_changed], scores[has_changed]
        self._leads.set_scores(changed, worths)
        best = np.argsort(-scores, kind="stable")[:_AT_HAND]
        self._hand = ordered[best].tolist()
        needed = [row for row in {*changed.tolist(), *self._hand} if row not in known]
        known.update(zip(needed, self._leads.get_each(needed), strict=True))
        self._at_hand = [known[row] for row in self._hand]
        self._open_places = range(len(self._hand))
        leads = [known[row] or first for row in changed.tolist()]
        self._queue.place(leads, worths.tolist(), changed)
        self._features = features[best]
        self._place_at_hand = {row: place for place, row in enumerate(self._hand)}

    def _swept(self) -> set[int]:
        """Return the next open rows in turn, and remove rows that are no longer open."""
        turns = self._turns
        most = _SWEPT_AT_ONCE if self._to_sweep > 0 else _SWEPT
        self._to_sweep -= most
        count = min(most, len(turns))
        self._next_turn %= max(len(turns), 1)
        end = self._next_turn + count
        around = max(end - len(turns), 0)
        ahead = turns[self._next_turn : end] + turns[:around]
        are_open = self._open(ahead)
        if len(are_open) == count:
            self._next_turn = around or end
            return are_open
        swept = set[int]()
        for _ in range(count):
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
        targets = self._leads.targets(rows)
        known = [target for target in targets if target is not None]
        if len(known) < len(targets):
            rows = [row for row, target in zip(rows, targets, strict=True) if target is not None]
        claimed = self._claims.are_claimed(known)
        return {row for row, is_claimed in zip(rows, claimed, strict=True) if not is_claimed}


def row_of(lead: Lead) -> int | None:
    """Return the row of a link's target, None for a seed."""
    return lead.features if isinstance(lead.features, int) else None
