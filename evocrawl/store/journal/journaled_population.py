"""A population whose operations are recorded in a journal.

`evocrawl.store.journal.replay` rebuilds the population of a stopped or killed crawl from it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from evocrawl.core.budget import Budget
from evocrawl.core.errors import SettleError
from evocrawl.core.events import Event
from evocrawl.core.fetch import FetchDetails
from evocrawl.core.model import Fingerprint, Lead, Link, Outcome, Visit, VisitId
from evocrawl.population.admission import Gate
from evocrawl.population.population import Population
from evocrawl.species.base import Species
from evocrawl.store.journal.host_limits import JournaledHostLimits
from evocrawl.store.journal.operations import (
    Chosen,
    Claimed,
    GivenBack,
    HostHeld,
    HostLocated,
    Linked,
    Op,
    OriginClosed,
    OriginOpened,
    Placed,
    Released,
    RunStarted,
    Spent,
    VisitSettled,
    WentOn,
)
from evocrawl.store.journal.sqlite_journal import Journal


class JournaledPopulation:
    """Applies operations to `population` and records them in `journal`."""

    def __init__(
        self, population: Population, limits: JournaledHostLimits, journal: Journal
    ) -> None:
        self.population = population
        self.limits = limits
        self._budget: Budget = population.environment.budget
        self._base = population.environment.base
        self._journal = journal
        self._gate: Gate = population.admission.gate
        self._doors: list[str | None] = []
        self._is_choosing = False
        self._is_due = False
        self._postponed: list[Callable[[], None]] = []
        self.on_links: Callable[[Iterable[Link]], None] = lambda _: None
        """Called with links that an earlier run or another worker has found."""
        self.on_settled: Callable[[Fingerprint], None] = lambda _: None
        """Called with the target of a visit that an earlier run settled for good."""
        limits.on_change = journal.append
        population.admission.gate = self._ask_gate

    def guard(self, gate: Gate) -> None:
        """Set the gate, which returns the origin that a URL waits for."""
        self._gate = gate

    def begin(self, run: RunStarted) -> None:
        """Begin a run."""
        self._journal.append(run)
        self.obey(run)

    def obey(self, run: RunStarted) -> None:
        """Set the options that may differ from run to run."""
        self._budget.limit = run.limit
        self.population.max_unsettled = run.max_unsettled
        self.limits.default = run.host_limit

    def place(self, seeds: Iterable[Link]) -> int:
        """Place seeds; see `Population.place`."""
        links = tuple(seeds)
        self._note(Placed(links))
        return self.population.place(links)

    def link(self, page: Fingerprint, links: Iterable[Link]) -> None:
        """Add further links to a settled page; see `Population.link`."""
        found = tuple(links)
        self._note(Linked(page, found))
        self.population.link(page, found)

    def choose(self, now_s: float) -> Visit | None:
        """Choose a visit; see `Population.choose`."""
        if not self.population.may_open:
            return None
        visit = None
        self.limits.step()
        self._doors.clear()
        self._is_choosing = True
        try:
            visit = self.population.choose(now_s)
        finally:
            self._is_choosing = False
            self._journal.append(chosen(now_s, self._doors, visit))
            while self._postponed:
                self._postponed.pop(0)()
        return visit

    def settle(
        self, visit: VisitId, outcome: Outcome, particulars: FetchDetails | None = None
    ) -> list[Event]:
        """Settle a visit; see `Population.settle`."""
        if visit not in self.population.unsettled:
            raise SettleError(f"visit {visit} is not under way")
        self._note(VisitSettled(visit, outcome, particulars))
        return self.population.settle(visit, outcome)

    def opened(self, door: str) -> None:
        """Open an origin; see `Population.open_origin`."""
        self._when_chosen(OriginOpened(door), lambda: self.population.open_origin(door))

    def turn_away(self, door: str) -> None:
        """Keep an origin closed for a while; see `Population.close_origin`."""
        self._when_chosen(OriginClosed(door), lambda: self.population.close_origin(door))

    def hold(self, host: str, until_s: float) -> None:
        """Start nothing at `host` before `until_s`; see `Hosts.hold`."""
        hosts = self.population.environment.hosts
        self._when_chosen(HostHeld(host, until_s), lambda: hosts.hold(host, until_s))

    def locate(self, host: str, address: str, most: int) -> None:
        """Set the address of `host`; see `Hosts.locate`."""
        hosts = self.population.environment.hosts
        located = HostLocated(host, address, most)
        self._when_chosen(located, lambda: hosts.locate(host, address, most))

    def spend(self, visit: VisitId | None) -> bool:
        """Count one request about to be sent; see `Budget.spend`."""
        may_send = self._budget.spend(visit)
        if may_send:
            self._journal.append(Spent(visit))
        return may_send

    def claims_of(self, visit: VisitId) -> VisitClaims:
        """Return the claimed targets as `visit` sees and claims them."""
        return VisitClaims(self, visit)

    def is_claimed(self, target: Fingerprint) -> bool:
        """Return True when a visit has claimed `target`."""
        return self._base.is_claimed(target)

    def claim(self, visit: VisitId, target: Fingerprint) -> None:
        """Claim `target`, to which a redirect of `visit` leads."""
        self._journal.append(Claimed(visit, target))
        self._base.claim(target)

    def release(self, target: Fingerprint) -> None:
        """Undo `claim`, unless the page is known now."""
        self._journal.append(Released(target))
        if self._base.get(target) is None:
            self._base.release(target)

    def give_back(self, visit: VisitId, lead: Lead, species: Species, url: str = "") -> None:
        """Reopen the link of a settled visit; see `Population.give_back`."""
        self._note(GivenBack(visit, url))
        self.population.give_back(lead, species, url)

    def go_on(self, visit: VisitId, host: str, now_s: float) -> None:
        """Move the visit to the host of a redirect; see `Population.go_on`."""
        self.limits(host)  # the journal records changed limits before the operation
        self._journal.append(WentOn(visit, host, now_s))
        self.population.go_on(visit, host, now_s)

    def flush(self) -> None:
        """Commit if there are operations that must be durable now. Raises StateError."""
        if self._is_due:
            self.commit()

    def flush_soon(self) -> None:
        """Make the next `flush` commit."""
        self._is_due = True

    def commit(self) -> None:
        """Make all recorded operations durable. Raises StateError on failure."""
        self._is_due = False
        self._journal.commit()

    def close(self) -> None:
        """Commit, and close the journal."""
        try:
            self.commit()
        finally:
            self._journal.close()

    def _note(self, op: Op) -> None:
        self._journal.append(op)
        self._is_due = True

    def _ask_gate(self, url: str) -> str | None:
        door = self._gate(url)
        self._doors.append(door)
        return door

    def _when_chosen(self, op: Op, act: Callable[[], None]) -> None:
        """Apply an operation now, or after the choice that is under way."""
        if self._is_choosing:
            self._postponed.append(lambda: self._when_chosen(op, act))
            return
        self._journal.append(op)
        act()


@dataclass(frozen=True, slots=True)
class VisitClaims:
    """The claimed targets as one visit sees and claims them."""

    chronicle: JournaledPopulation
    visit: VisitId

    def is_claimed(self, target: Fingerprint) -> bool:
        """Return True when a visit has claimed `target`."""
        return self.chronicle.is_claimed(target)

    def claim(self, target: Fingerprint) -> None:
        """Claim `target`."""
        self.chronicle.claim(self.visit, target)


def chosen(now_s: float, doors: Iterable[str | None], visit: Visit | None) -> Chosen:
    """Return the operation that records a choice."""
    if visit is None:
        return Chosen(now_s, tuple(doors))
    return Chosen(now_s, tuple(doors), visit.id, visit.lead.fingerprint)
