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
from evocrawl.species.evo.busy_hosts import NEVER_WAIT, BusyHosts
from evocrawl.species.evo.found_links import FoundLinks
from evocrawl.species.evo.interfaces import Claims, LeadsByRow, Matrix, Valuer, row_of
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

    of_run = ("_at_hand", "_at_releases", "_open_places", "_shown", "_waiting_at")
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
        self._busy_hosts = busy_hosts
        self._sweep = Sweep(leads)
        self._new = FoundLinks(leads)
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
        self._scores: list[float] = []
        """The scores of the links of `_hand`, the best first."""
        self._waits = False
        """True if the last look has left out all links, since a busy host has better ones."""
        self._waiting_at: tuple[int, int] | None = None
        """Versions of model and claims at a look without a link; no link or host has come since."""
        self._place_at_hand: dict[int, int] = {}
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
        elif rows:
            self._sweep.add(self._new.add_waiting(rows))
            self._at_hand = []  # some of them may have another source or host now
        self._seen, self._waiting_at = -1, None

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
        if self._seen != self._model.version:
            self._new.draw()
        first = self._first(is_free)
        if first is None or row_of(first) is None:
            return [] if first is None else [first]
        are_open = self._seen != self._model.version
        if are_open:
            self._look_again(first, is_free)
            self._seen = self._model.version
        if len(self._at_hand) < len(self._hand):
            self._at_hand = self._leads.get_each(self._hand)
            self._open_places = range(len(self._hand))
        if not are_open:
            self._leave_claimed()
        shown, least = self._show(is_free)
        return shown or self._next(is_free, least)

    def _next(self, is_free: Callable[[str], bool], least: float) -> list[Lead]:
        """Return the best link of free hosts, none of which is at hand, if it is not to wait."""
        first = self._first(is_free)  # the look has changed scores
        if first is None:
            return []
        score = self._leads.scores(np.array([row_of(first) or 0]))[0]
        self._waits = sigmoid(float(score)) < least
        return [] if self._waits else [first]

    def _show(self, is_free: Callable[[str], bool]) -> tuple[list[Lead], float]:
        """Set `_shown`; return its links, and the least chance of a link beside those that wait."""
        hosts: dict[str, bool] = {}
        shown, places, followed = list[Lead](), list[int](), self._model.followed
        least, awaits = self._busy_hosts.least_elsewhere(followed), False
        for place in self._open_places:
            lead = self._at_hand[place]
            if lead is None:
                continue
            score = self._scores[place]
            if least and sigmoid(score) < least:
                break
            host = lead.host
            if host not in hosts:
                hosts[host] = is_free(host)
                if not (hosts[host] or awaits):
                    # The first such host has the best links.
                    here = self._busy_hosts.least_chance(host, score, followed)
                    least, awaits = max(least, here), here > 0
            if hosts[host]:
                shown.append(lead)
                places.append(place)
        self._shown = shown, places
        return shown, least

    def best_chance(self, is_free: Callable[[str], bool]) -> float:
        """Return the chance of the best link at hand of a host that is free, now or soon.

        As of the last look; 0.0 without one.
        """
        if len(self._at_hand) < len(self._hand):
            return 0.0
        self._leave_claimed()
        for place in self._open_places:
            lead = self._at_hand[place]
            if lead is not None and (is_free(lead.host) or self._busy_hosts.is_awaited(lead.host)):
                return sigmoid(self._scores[place])
        return 0.0

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
        waiting = self._open((*self._sweep, *self._new.fresh, *self._hand))
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

    def _look_again(self, first: Lead, is_free: Callable[[str], bool]) -> None:
        ahead = self._sweep.ahead()
        are_open = self._open((*self._hand, *self._new.fresh, *ahead))
        rows = are_open.intersection((*self._hand, *self._new.fresh))
        rows |= self._sweep.next(ahead, are_open, lambda row: bool(self._open((row,))))
        rows.add(row_of(first) or 0)
        known = dict(zip(self._hand, self._at_hand, strict=False))
        fresh = [*dict.fromkeys(self._new.fresh)]
        for row in fresh:
            known.pop(row, None)
        self._new.clear()
        ordered = np.array(sorted(rows))
        features = self._model.features(ordered)
        scores = self._model.scores(features)
        has_changed = np.abs(scores - self._leads.scores(ordered)) > _CHANGE
        changed, worths = ordered[has_changed], scores[has_changed]
        self._leads.set_scores(changed, worths)
        best = np.argsort(-scores, kind="stable")[:_AT_HAND]
        self._hand = ordered[best].tolist()
        needed = [row for row in self._hand if row not in known]
        known.update(zip(needed, self._leads.get_each(needed), strict=True))
        self._at_hand = [known[row] for row in self._hand]
        self._open_places = range(len(self._hand))
        self._queue.place(changed, worths, self._at_busy_hosts(fresh, is_free))
        self._features, self._scores = features[best], scores[best].tolist()
        self._place_at_hand = {row: place for place, row in enumerate(self._hand)}

    def _at_busy_hosts(
        self, fresh: Sequence[int], is_free: Callable[[str], bool]
    ) -> dict[int, Lead]:
        """Return the links of busy hosts among those at hand and the new ones, by row."""
        if not self._queue.has_parked:
            return {}
        at_hand = zip(self._hand, self._at_hand, strict=True)
        found = zip(fresh, self._leads.get_each(fresh), strict=True)
        leads = {row: lead for row, lead in (*found, *at_hand) if lead is not None}
        are_free = {host: is_free(host) for host in {lead.host for lead in leads.values()}}
        return {row: lead for row, lead in leads.items() if not are_free[lead.host]}

    def _open(self, rows: Sequence[int]) -> set[int]:
        """Return the `rows` whose targets are not claimed."""
        targets = self._leads.targets(rows)
        known = [target for target in targets if target is not None]
        if len(known) < len(targets):
            rows = [row for row, target in zip(rows, targets, strict=True) if target is not None]
        claimed = self._claims.are_claimed(known)
        return {row for row, is_claimed in zip(rows, claimed, strict=True) if not is_claimed}
