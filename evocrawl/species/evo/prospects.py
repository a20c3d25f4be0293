"""Ranks the open links of the species `evo`: a queue by score, and the best links at hand.

Scores change with every page. To score every waiting link again would cost more the longer a
crawl lasts. Instead, each step scores the `_AT_HAND` best links, some others in turn, and the
links that were found in the last step, or some of them if these are more than a thousand.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import numpy as np

from evocrawl.core.model import Lead
from evocrawl.species.agent import Agent
from evocrawl.species.base import ANY_HOST, Move, View
from evocrawl.species.evo.at_hand import LinksAtHand
from evocrawl.species.evo.busy_hosts import NEVER_WAIT, BusyHosts
from evocrawl.species.evo.found_links import FoundLinks
from evocrawl.species.evo.interfaces import Claims, LeadsByRow, Matrix, Valuer, row_of
from evocrawl.species.evo.outdated import most_changes
from evocrawl.species.evo.standing import standing_among
from evocrawl.species.evo.sweep import Sweep
from evocrawl.species.parts import Queue
from evocrawl.species.reasons import Standing, sigmoid

_AT_HAND = 48
_SEED = 1e6
_CHANGE = 0.05
"""The queue keeps its score of a link if the change is less."""
_WAITS = View((), frozenset((ANY_HOST,)))


class CandidateRanking:
    """Shows agents the open links that the population ranks best.

    Links are stored by the model's row of their target, which a lead carries as its features.
    """

    of_run = ("_waiting_at",)
    """Attributes that are no part of a snapshot."""

    def __init__(
        self,
        queue: Queue,
        model: Valuer,
        claims: Claims,
        leads: LeadsByRow,
        busy_hosts: BusyHosts = NEVER_WAIT,
    ) -> None:
        self._queue = queue
        self._model = model
        self._claims = claims
        self._leads = leads
        self._sweep = Sweep(leads)
        self._new = FoundLinks(leads)
        self._at_hand = LinksAtHand(claims, busy_hosts)
        self._waits = False
        """True if the last look has left out all links, since a busy host has better ones."""
        self._waiting_at: tuple[int, int] | None = None
        """Versions of model and claims at a look without a link; no link or host has come since."""
        self._seen = -1

    def found(self, leads: Sequence[Lead]) -> None:
        """Add links of a page, new or found again. A look scores and places them in the queue."""
        rows: dict[int, Lead] = {}
        are_claimed = self._claims.are_claimed([lead.fingerprint for lead in leads])
        for lead, is_claimed in zip(leads, are_claimed, strict=True):
            row = row_of(lead)
            if row is not None:
                rows[row] = lead
            if row is None or is_claimed:
                self._queue.push(lead, _SEED if row is None else lead.score)
        if self._new.fits(rows):
            self._new.add(rows)
            self._at_hand.renew(rows)
        elif rows:
            self._sweep.add(self._new.add_waiting(rows))
            self._at_hand.set_leads(())  # some of them may have another source or host now
        self._waiting_at = None

    def wander(self, agent: Agent, *, may_eat: bool) -> Move | None:  # noqa: ARG002 - protocol
        """Never wander."""
        return None

    def look(self, agent: Agent, is_free: Callable[[str], bool]) -> View:  # noqa: ARG002
        """See the best links of free hosts. O(log n) amortised."""
        now = self._model.version, self._claims.releases
        if self._waiting_at == now:
            return _WAITS
        leads = self.best(is_free)
        if leads or not (self._waits or self._queue.has_parked):
            return View(leads)
        self._waiting_at = now
        return _WAITS

    def escape(self, agent: Agent, *, may_eat: bool) -> Move | None:  # noqa: ARG002 - protocol
        """Return None: every open link is in sight."""
        return None

    def best(self, is_free: Callable[[str], bool]) -> list[Lead]:
        """Return the links at hand of free hosts, or a single seed; () if all hosts are busy.

        Links that are much worse than one of a busy host, or of another worker, are left out.
        O(log n) amortised in the number of links.
        """
        self._waits = False
        self._sweep.add(self._new.store())
        least = 0.0
        if not self._is_due:
            first = self._queue.peek(is_free)
            if first is not None and row_of(first) is None:
                return [first]
            shown, least = self._still_at_hand(is_free)
            if shown:
                return shown
        if self._has_changed:
            self._new.draw()
        first = self._first(is_free)
        if first is None or row_of(first) is None:
            return [] if first is None else [first]
        if self._has_changed:
            self._look_again(first, is_free)
            shown, least = self._at_hand.show(is_free, self._model.followed)
            if shown:
                return shown
        return self._next(is_free, least)

    @property
    def _has_changed(self) -> bool:
        return self._seen != self._model.version or bool(self._new.fresh)

    @property
    def _is_due(self) -> bool:
        """True if links are to be scored again, even if some of those at hand are open and free."""
        changes = max(self._model.version - self._seen, bool(self._new.fresh))
        return self._seen < 0 or changes >= most_changes(self._model.followed)

    def _still_at_hand(self, is_free: Callable[[str], bool]) -> tuple[list[Lead], float]:
        """Return the links of the last look that are open and free, and the least chance."""
        if self._at_hand.lacks_leads:
            self._at_hand.set_leads(self._leads.get_each(self._at_hand.rows))
        self._at_hand.leave_claimed()
        return self._at_hand.show(is_free, self._model.followed)

    def _next(self, is_free: Callable[[str], bool], least: float) -> list[Lead]:
        """Return the best link of free hosts, none of which is at hand, if it is not to wait."""
        first = self._first(is_free)  # the look has changed scores
        if first is None:
            return []
        score = self._leads.scores(np.array([row_of(first) or 0]))[0]
        self._waits = sigmoid(float(score)) < least
        return [] if self._waits else [first]

    def best_chance(self, is_free: Callable[[str], bool]) -> float:
        """Return the chance of the best link at hand of a host that is free, now or soon.

        0.0 without one. It looks again if that is due: agents do not while all hosts are busy, nor
        if they wait and the model learns from other populations.
        """
        if self._is_due:
            self.best(is_free)
        if self._is_due:
            self._look_again(None, is_free)
        return self._at_hand.best_chance(is_free)

    @property
    def has_learnt(self) -> bool:
        """True once the crawl has followed a link."""
        return self._model.followed > 0

    def features(self, leads: Sequence[Lead]) -> Matrix:
        """Return the features of links at hand, as of the last look, shape (n, d)."""
        known = self._at_hand.features(leads)
        if known is not None:
            return known
        return self._model.features(np.array([row_of(lead) or 0 for lead in leads]))

    def freed(self, host: str) -> None:
        """Count the host's links again."""
        self._queue.free(host)
        self._waiting_at = None

    def score_all(self) -> None:
        """Score every waiting link again within the next choices, a bounded number in each."""
        self._sweep.hurry()

    def standing(self, lead: Lead) -> Standing | None:
        """Return the place of a waiting link, None for a seed and a link that is not open.

        Scores every waiting link by the model as it is now: O(waiting links).
        """
        self._sweep.add(self._new.store())
        row = row_of(lead)
        if row is None:
            return None
        waiting = self._open((*self._sweep, *self._new.fresh, *self._at_hand.rows))
        return standing_among(self._model, waiting, row)

    def _first(self, is_free: Callable[[str], bool]) -> Lead | None:
        """Return the best link of a free host, by the scores of the last look; None without one."""
        first = self._first_of_fresh(is_free)
        if first is None:
            for host in self._new.waiting_hosts:
                if self._queue.is_parked(host) or not is_free(host):
                    continue
                # All links that are drawn may be claimed by now.
                while first is None and self._new.has_waiting(host):
                    first = self._first_of_waiting(host, is_free)
                if first is not None:
                    return first
        while first is None and self._new.waiting_hosts and not self._queue.has_parked:
            # All of these hosts are busy: the queue notes one of them.
            first = self._first_of_waiting(self._new.waiting_hosts[0], is_free)
        return first

    def _first_of_waiting(self, host: str, is_free: Callable[[str], bool]) -> Lead | None:
        """Let this look score some links of a host that wait for a later one; return the best link.

        There was no open link of a free host without them.
        """
        self._seen = -1
        self._new.draw_of(host)
        return self._first_of_fresh(is_free)

    def _first_of_fresh(self, is_free: Callable[[str], bool]) -> Lead | None:
        """Return the same without the links that wait for a later look.

        A link that is not in the queue yet has the score 0.
        """
        unplaced = self._new.unplaced
        first = self._queue.peek(is_free)
        row = None if first is None else row_of(first)
        if not unplaced or (first is not None and row is None):
            return first
        if row is not None and self._leads.scores(np.array([row]))[0] >= 0:
            return first
        for lead in self._open_leads(unplaced):
            if not self._queue.is_parked(lead.host) and is_free(lead.host):
                return lead
        if first is None:
            # The queue notes which hosts are busy.
            rows = np.array([row_of(lead) for lead in self._open_leads(unplaced)], np.intp)
            self._queue.place(rows, np.zeros(len(rows)))
            unplaced.clear()
            first = self._queue.peek(is_free)
        return first

    def _open_leads(self, rows: Sequence[int]) -> Iterator[Lead]:
        """Yield the open links of some rows, each once."""
        for lead in map(self._leads.get, dict.fromkeys(rows)):
            if lead is not None and not self._claims.are_claimed([lead.fingerprint])[0]:
                yield lead

    def _look_again(self, first: Lead | None, is_free: Callable[[str], bool]) -> None:
        """Score links anew; `first` is the best one of free hosts, if any."""
        self._seen = self._model.version
        ahead = self._sweep.ahead()
        best = (*self._at_hand.rows, *self._new.fresh)
        are_open = self._open((*best, *ahead))
        rows = are_open.intersection(best)
        rows |= self._sweep.next(ahead, are_open, lambda row: bool(self._open((row,))))
        if first is not None:
            rows.add(row_of(first) or 0)
        known = self._at_hand.leads()
        fresh = [*dict.fromkeys(self._new.fresh)]
        for row in fresh:
            known.pop(row, None)
        self._new.clear()
        if not rows:
            return
        ordered = np.array(sorted(rows))
        features = self._model.features(ordered)
        scores = self._model.scores(features)
        has_changed = np.abs(scores - self._leads.scores(ordered)) > _CHANGE
        changed, worths = ordered[has_changed], scores[has_changed]
        self._leads.set_scores(changed, worths)
        places = np.argsort(-scores, kind="stable")[:_AT_HAND]
        hand = ordered[places].tolist()
        needed = [row for row in hand if row not in known]
        known.update(zip(needed, self._leads.get_each(needed), strict=True))
        leads = [known[row] for row in hand]
        self._at_hand.hold(hand, leads, features[places], scores[places].tolist())
        self._queue.place(changed, worths, self._at_busy_hosts(fresh, is_free))

    def _at_busy_hosts(
        self, fresh: Sequence[int], is_free: Callable[[str], bool]
    ) -> dict[int, Lead]:
        """Return the links of busy hosts among those at hand and the new ones, by row."""
        if not self._queue.has_parked:
            return {}
        found = [*zip(fresh, self._leads.get_each(fresh), strict=True)]
        return self._at_hand.at_busy_hosts(found, is_free)

    def _open(self, rows: Sequence[int]) -> set[int]:
        """Return the `rows` whose targets are not claimed."""
        targets = self._leads.targets(rows)
        known = [target for target in targets if target is not None]
        if len(known) < len(targets):
            rows = [row for row, target in zip(rows, targets, strict=True) if target is not None]
        claimed = self._claims.are_claimed(known)
        return {row for row, is_claimed in zip(rows, claimed, strict=True) if not is_claimed}
