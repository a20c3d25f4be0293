"""The one way into the population of a crawl: all that crosses it goes into the journal.

With it a crawl that was stopped, or killed, is had again: see `evocrawl.store.journal.replay`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from evocrawl.core.budget import Budget
from evocrawl.core.errors import SettleError
from evocrawl.core.events import Event
from evocrawl.core.fetch import FetchDetails
from evocrawl.core.model import Fingerprint, Lead, Link, Outcome, Visit, VisitId
from evocrawl.population.population import Gate, Population
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
    """Does to `population` what is asked, and notes it in `journal`."""

    def __init__(
        self, population: Population, limits: JournaledHostLimits, journal: Journal
    ) -> None:
        self.population = population
        self.limits = limits
        self._budget: Budget = population.environment.budget
        self._base = population.environment.base
        self._journal = journal
        self._gate: Gate = population.gate
        self._doors: list[str | None] = []
        self._is_choosing = False
        self._is_due = False
        self._postponed: list[Callable[[], None]] = []
        self.on_links: Callable[[Iterable[Link]], None] = lambda _: None
        """Called with links that were found in an earlier run, or by another worker."""
        self.on_settled: Callable[[Fingerprint], None] = lambda _: None
        """Called with the target of a visit that was settled then, and is not open again."""
        limits.on_change = journal.append
        population.gate = self._ask_gate

    def guard(self, gate: Gate) -> None:
        """Ask `gate` from now which door a URL is behind."""
        self._gate = gate

    def begin(self, run: RunStarted) -> None:
        """A run begins."""
        self._journal.append(run)
        self.obey(run)

    def obey(self, run: RunStarted) -> None:
        """Set what may differ from run to run."""
        self._budget.limit = run.limit
        self.population.max_unsettled = run.max_unsettled
        self.limits.default = run.host_limit

    def place(self, seeds: Iterable[Link]) -> int:
        """Place seeds; see `Population.place`."""
        links = tuple(seeds)
        self._note(Placed(links))
        return self.population.place(links)

    def link(self, page: Fingerprint, links: Iterable[Link]) -> None:
        """Hang further links on a settled page; see `Population.link`."""
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
        """The door has opened; see `Population.opened`."""
        self._when_chosen(OriginOpened(door), lambda: self.population.opened(door))

    def turn_away(self, door: str) -> None:
        """The door stays shut for a while; see `Population.turn_away`."""
        self._when_chosen(OriginClosed(door), lambda: self.population.turn_away(door))

    def hold(self, host: str, until_s: float) -> None:
        """Start nothing at `host` before `until_s`; see `Hosts.hold`."""
        hosts = self.population.environment.hosts
        self._when_chosen(HostHeld(host, until_s), lambda: hosts.hold(host, until_s))

    def locate(self, host: str, address: str, most: int) -> None:
        """`host` is at `address`; see `Hosts.locate`."""
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
        """Return the addresses taken, for a visit to take some too."""
        return VisitClaims(self, visit)

    def is_claimed(self, target: Fingerprint) -> bool:
        """Return True when `target` is taken."""
        return self._base.is_claimed(target)

    def claim(self, visit: VisitId, target: Fingerprint) -> None:
        """A redirect takes `visit` to `target`."""
        self._journal.append(Claimed(visit, target))
        self._base.claim(target)

    def release(self, target: Fingerprint) -> None:
        """Undo `claim`, unless the page is known by now."""
        self._journal.append(Released(target))
        if self._base.get(target) is None:
            self._base.release(target)

    def give_back(self, visit: VisitId, lead: Lead, species: Species, url: str = "") -> None:
        """Open the link of a settled visit again; see `Population.give_back`."""
        self._note(GivenBack(visit, url))
        self.population.give_back(lead, species, url)

    def go_on(self, visit: VisitId, host: str, now_s: float) -> None:
        """A redirect takes the visit to another host; see `Population.go_on`."""
        self.limits(host)  # where they have changed, the journal has to say so before
        self._journal.append(WentOn(visit, host, now_s))
        self.population.go_on(visit, host, now_s)

    def flush(self) -> None:
        """Make durable what has happened, if a visit was settled since; raises StateError."""
        if self._is_due:
            self.commit()

    def commit(self) -> None:
        """Make durable what has happened; raises StateError where that fails."""
        self._is_due = False
        self._journal.commit()

    def close(self) -> None:
        """Commit, and note nothing more."""
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
        """Nothing comes in while the population is choosing, be it by the gate it asks."""
        if self._is_choosing:
            self._postponed.append(lambda: self._when_chosen(op, act))
            return
        self._journal.append(op)
        act()


@dataclass(frozen=True, slots=True)
class VisitClaims:
    """The addresses taken, as one visit sees and takes them."""

    chronicle: JournaledPopulation
    visit: VisitId

    def is_claimed(self, target: Fingerprint) -> bool:
        """Return True when `target` is taken."""
        return self.chronicle.is_claimed(target)

    def claim(self, target: Fingerprint) -> None:
        """Take `target`."""
        self.chronicle.claim(self.visit, target)


def chosen(now_s: float, doors: Iterable[str | None], visit: Visit | None) -> Chosen:
    """Return what is noted of a choice."""
    if visit is None:
        return Chosen(now_s, tuple(doors))
    return Chosen(now_s, tuple(doors), visit.id, visit.lead.fingerprint)
