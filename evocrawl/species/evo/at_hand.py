"""The best open links of the last look at the links of `evo`, which agents see."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

import numpy as np

from evocrawl.core.model import Lead
from evocrawl.species.evo.busy_hosts import BusyHosts
from evocrawl.species.evo.interfaces import Claims, Matrix, row_of
from evocrawl.species.reasons import sigmoid


class LinksAtHand:
    """Links by the rows of their targets, the best first, with their features and scores."""

    of_run = ("_at_releases", "_leads", "_open_places", "_shown")
    """Attributes that are no part of a snapshot."""

    def __init__(self, claims: Claims, busy_hosts: BusyHosts) -> None:
        self._claims = claims
        self._busy_hosts = busy_hosts
        self.rows: list[int] = []
        self._leads: list[Lead | None] = []
        """The links of `rows`, or none if they are to be read again."""
        self._open_places: Sequence[int] = ()
        """The places in `rows` of the links that are not known to be claimed."""
        self._at_releases = 0
        """The number of releases when links were last left out of `_open_places`."""
        self._shown: tuple[Sequence[Lead], list[int]] = ([], [])
        """The links that `show` returned last, and their places in `rows`."""
        self._features = np.zeros((0, 0))
        self._scores: list[float] = []
        self._place_of: dict[int, int] = {}

    @property
    def lacks_leads(self) -> bool:
        """True if the links of `rows` are to be read again."""
        return len(self._leads) < len(self.rows)

    def leads(self) -> dict[int, Lead | None]:
        """Return the links by row, as far as they need not be read again."""
        return dict(zip(self.rows, self._leads, strict=False))

    def hold(
        self,
        rows: list[int],
        leads: Sequence[Lead | None],
        features: Matrix,
        scores: list[float],
    ) -> None:
        """Replace all links; `features` has shape (n, d), the best link comes first."""
        self.rows, self._features, self._scores = rows, features, scores
        self._place_of = {row: place for place, row in enumerate(rows)}
        self.set_leads(leads)

    def set_leads(self, leads: Sequence[Lead | None]) -> None:
        """Set the links of `rows`, or () to have them read again."""
        self._leads = [*leads]
        self._open_places = range(len(leads))

    def renew(self, links: Mapping[int, Lead]) -> None:
        """Replace those of the links by row that are at hand: they may have another host now."""
        if not self.lacks_leads:
            for row in links.keys() & self._place_of.keys():
                self._leads[self._place_of[row]] = links[row]

    def leave_claimed(self) -> None:
        """Leave out links that were claimed since the look.

        A link is left out once, not at each of the hundreds of draws in which the links of a trap
        are held back, unless a claim was released since then. O(open places).
        """
        if self._claims.releases != self._at_releases:
            self._at_releases = self._claims.releases
            self._open_places = range(len(self.rows))
        at_hand = [*self._open()]
        claimed = self._claims.are_claimed([lead.fingerprint for _, lead in at_hand])
        self._open_places = [
            place for (place, _), is_claimed in zip(at_hand, claimed, strict=True) if not is_claimed
        ]

    def show(self, is_free: Callable[[str], bool], followed: int) -> tuple[list[Lead], float]:
        """Return the links of free hosts, and the least chance of a link beside those that wait.

        Links of less chance are left out. `followed` is the number of links that the crawl has
        followed.
        """
        hosts: dict[str, bool] = {}
        shown, places = list[Lead](), list[int]()
        least, awaits = self._busy_hosts.least_elsewhere(followed), False
        for place, lead in self._open():
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
        """Return the chance of the best link of a host that is free, now or soon.

        As of the last look; 0.0 without one.
        """
        if self.lacks_leads:
            return 0.0
        self.leave_claimed()
        for place, lead in self._open():
            if is_free(lead.host) or self._busy_hosts.is_awaited(lead.host):
                return sigmoid(self._scores[place])
        return 0.0

    def features(self, leads: Sequence[Lead]) -> Matrix | None:
        """Return the features of some links, as of the last look; None if one is not at hand."""
        shown, places = self._shown
        if leads is not shown:
            places = [self._place_of.get(row_of(lead) or 0, -1) for lead in leads]
            if min(places, default=-1) < 0:
                return None
        return self._features.take(places, axis=0)

    def at_busy_hosts(
        self, others: Sequence[tuple[int, Lead | None]], is_free: Callable[[str], bool]
    ) -> dict[int, Lead]:
        """Return the links of busy hosts among those at hand and some others, by row."""
        leads = {row: lead for row, lead in (*others, *self.leads().items()) if lead is not None}
        are_free = {host: is_free(host) for host in {lead.host for lead in leads.values()}}
        return {row: lead for row, lead in leads.items() if not are_free[lead.host]}

    def _open(self) -> Iterator[tuple[int, Lead]]:
        for place in self._open_places:
            lead = self._leads[place]
            if lead is not None:
                yield place, lead
