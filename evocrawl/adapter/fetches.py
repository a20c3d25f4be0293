"""Tracks the visits under way: begins, settles and puts them off."""

from __future__ import annotations

import logging
from collections.abc import Callable, Collection
from dataclasses import replace
from time import perf_counter
from typing import TYPE_CHECKING

from evocrawl.adapter.meta import VISIT
from evocrawl.core.errors import SettleError
from evocrawl.core.fetch import LATER, OVER_BUDGET, Fetch
from evocrawl.core.model import Dead, Dropped, Outcome, Visit
from evocrawl.pipelines.reward import take
from evocrawl.store.cluster.population_sync import NOT_TRIED

if TYPE_CHECKING:
    from scrapy import Request

    from evocrawl.adapter.requests import RequestIdentities
    from evocrawl.core.items import PageItem
    from evocrawl.pipelines.base import PageContext
    from evocrawl.population.population import Population
    from evocrawl.store.journal.journaled_population import JournaledPopulation

logger = logging.getLogger(__name__)

_AT_ONCE_S = 0.05
"""Seconds of settling visits after which the event loop has its turn, and others go on."""


class FetchTracker:
    """Keeps a `Fetch`, the notes on one visit, from the visit's choice to its settlement."""

    def __init__(
        self,
        pages: PageContext,
        journaled: JournaledPopulation,
        names: RequestIdentities,
        now_s: Callable[[], float],
        pipelines_wait_s: float,
        *,
        is_shared: bool = False,
    ) -> None:
        self.under_way = pages.fetches
        self.settled_twice = 0
        self.on_settled: list[Callable[[Fetch, Outcome], None]] = []
        """Called with the notes on each visit and its outcome, just before it is settled."""
        self.on_output_complete: list[Callable[[], None]] = []
        """Called when the spider's output for a visit is complete."""
        self._pages = pages
        self._population: Population = pages.population
        self._journaled = journaled
        self._names = names
        self._now_s = now_s
        self._pipelines_wait_s = pipelines_wait_s
        self._is_shared = is_shared

    def of(self, request: Request) -> Fetch | None:
        """Return the notes on the visit that `request` belongs to, None if it belongs to none."""
        return self.under_way.get(request.meta.get(VISIT, 0))

    def sending(self, request: Request) -> Fetch | None:
        """Return the notes on the visit that `request` is sent for, None if it is sent for none.

        A request that a callback made of a copy of its response's meta belongs to no visit: the
        visit's number is removed from it.
        """
        fetch = self.of(request)
        if fetch is None or fetch.is_answered:
            request.meta.pop(VISIT, None)
            return None
        return fetch

    def begin(self, visit: Visit) -> Fetch:
        """Begin the notes on a visit."""
        fetch = self.under_way[visit.id] = Fetch(visit, visit.lead.url, visit.lead.fingerprint)
        fetch.goes_anywhere = self._population.goes_anywhere(visit)
        fetch.host, fetch.origin = visit.lead.host, visit.lead.url
        return fetch

    def is_under_way(self, fetch: Fetch) -> bool:
        """Return whether `fetch` is not settled yet."""
        return self.under_way.get(fetch.visit.id) is fetch

    def output_complete(self, fetch: Fetch) -> None:
        """Note that the spider's output for a visit is complete: the visit may be settled."""
        if self.is_under_way(fetch):
            fetch.known_at_s = self._now_s()
            for listener in self.on_output_complete:
                listener()

    def is_complete(self, fetch: Fetch) -> bool:
        """Return whether the spider's output is complete and its page has been rewarded.

        Pipelines of the project may change a page before that, for `pipelines_wait_s` at most.
        """
        if fetch.known_at_s is None:
            return False
        if fetch.page is not None or fetch.seen is None:
            return True
        wait_s = self._pipelines_wait_s if self._pages.rewards_pages else 0.0
        return self._now_s() >= fetch.known_at_s + wait_s

    def ended(self, in_engine: Collection[Request], waits: Callable[[int], bool]) -> list[Fetch]:
        """Return the visits that are over. O(requests in the engine).

        A visit is over if its output is complete, or if its request is neither in the engine nor
        waits in the scheduler, which `waits` says of a visit.
        """
        if not self.under_way:
            return []
        working = {request.meta.get(VISIT) for request in in_engine}
        return [
            fetch
            for visit, fetch in self.under_way.items()
            if (visit not in working and not waits(visit)) or self.is_complete(fetch)
        ]

    def settle_ended(self, in_engine: Collection[Request], waits: Callable[[int], bool]) -> bool:
        """Settle the visits that are over; see `ended`.

        Return False if that takes long and the rest is left for the next turn of the event loop.
        """
        began_s = perf_counter()
        for fetch in self.ended(in_engine, waits):
            if perf_counter() > began_s + _AT_ONCE_S:
                return False
            self.settle(fetch, "taken away by a middleware or filter")
        return True

    def take(self, item: PageItem) -> None:
        """Score, price and reward a page that does not go through the pipelines."""
        take(self._pages, item)

    def settle(self, fetch: Fetch, otherwise: str) -> None:
        """Settle a visit by its notes; `otherwise` is the reason if these give none.

        A page whose item has not come out of the pipelines as a page is taken as it was read.
        """
        if fetch.seen is not None and fetch.page is None and not fetch.is_put_off:
            self.take(fetch.seen)
        del self.under_way[fetch.visit.id]
        if fetch.page is not None and fetch.page.links is not fetch.links:
            fetch.page = replace(fetch.page, links=fetch.links)
        outcome = fetch.outcome(otherwise)
        if isinstance(outcome, Dead) and outcome.reason in NOT_TRIED:
            outcome = Dropped(outcome.reason)
        for listener in self.on_settled:
            listener(fetch, outcome)
        if not fetch.is_put_off:
            self._names.settled(fetch.visit.lead.fingerprint)
        if isinstance(outcome, Dropped) or outcome == Dead(OVER_BUDGET, fetch.cost):
            self._release_claims(fetch)
        details = self._pages.details.pop(fetch.visit.id, None)
        try:
            self._journaled.settle(fetch.visit.id, outcome, details)
        except SettleError:
            self.settled_twice += 1
            logger.exception("scheduler: a visit was settled twice")

    def leave_host(self, fetch: Fetch, slot: str) -> None:
        """Count a visit at `slot` and no longer at its host; in a shared crawl it keeps its host.

        The lease of the host is held for its visits.
        """
        if self._is_shared:
            return
        self._journaled.go_on(fetch.visit.id, slot, self._now_s())
        fetch.host = slot

    def put_off(self, fetch: Fetch, url: str = "") -> None:
        """Settle a visit that has brought nothing, at no cost, and open its link again.

        With `url`, where redirects have led, the link leads there, and their claims are kept.
        """
        visit = fetch.visit
        species = self._population.lifecycle.agents[visit.agent].species
        if url:
            fetch.claimed.clear()
        fetch.failure, fetch.is_put_off = LATER, True
        self.settle(fetch, LATER)
        self._journaled.give_back(visit.id, visit.lead, species, url)

    def settle_complete(self) -> None:
        """Settle the visits that have brought a page or a failure."""
        for fetch in list(self.under_way.values()):
            if fetch.seen is not None or not isinstance(fetch.outcome(""), Dropped):
                self.settle(fetch, "")

    def settle_all(self, otherwise: str) -> None:
        """Settle every visit of the population; see `settle`."""
        for visit in list(self._population.unsettled.values()):
            self.settle(self.under_way.get(visit.id) or self.begin(visit), otherwise)

    def _release_claims(self, fetch: Fetch) -> None:
        """Release the targets of redirects that a visit has claimed and has not fetched.

        Otherwise a later redirect to such a target would count as one to a known page.
        """
        for target in fetch.claimed:
            self._journaled.release(target)
