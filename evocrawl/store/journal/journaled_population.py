"""A population whose operations are recorded in a journal.

`evocrawl.store.journal.replay` rebuilds the population of a stopped or killed crawl from it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from typing import TypeAlias

from evocrawl.core.budget import Budget
from evocrawl.core.errors import SettleError
from evocrawl.core.events import Event
from evocrawl.core.fetch import FetchDetails
from evocrawl.core.model import AgentId, Content, Fingerprint, Lead, Link, Outcome, Visit, VisitId
from evocrawl.population.admission import Gate
from evocrawl.population.population import Population
from evocrawl.population.steering import Parameters
from evocrawl.species.base import Species
from evocrawl.store.journal.earlier_requests import EarlierRequests, NoRequests
from evocrawl.store.journal.facts import ReplayedState
from evocrawl.store.journal.host_limits import JournaledHostLimits
from evocrawl.store.journal.journal import Journal
from evocrawl.store.journal.operations import (
    CallbackContinued,
    CallbackEnded,
    Chosen,
    Claimed,
    Excluded,
    GivenBack,
    HostHeld,
    HostLocated,
    LineExcluded,
    Linked,
    Marked,
    Op,
    OriginClosed,
    OriginOpened,
    ParametersChanged,
    Placed,
    Released,
    RunStarted,
    Spent,
    VisitRepeated,
    VisitSettled,
    WentOn,
)
from evocrawl.store.journal.snapshots import Snapshots
from evocrawl.store.journal.visit_claims import VisitClaims

_Applied: TypeAlias = (
    OriginOpened | OriginClosed | HostHeld | HostLocated | Claimed | Released | WentOn
)


class JournaledPopulation:
    """Applies operations to `population` and records them in `journal`.

    `requests` hears of the links with a payload that an earlier run has found.
    """

    def __init__(
        self,
        population: Population,
        limits: JournaledHostLimits,
        journal: Journal,
        *,
        requests: EarlierRequests | None = None,
    ) -> None:
        self.population = population
        self.limits = limits
        self._budget: Budget = population.environment.budget
        self._base = population.environment.base
        self._journal = journal
        self._gate: Gate = population.admission.gate
        self._origins: list[str | None] = []
        self._is_choosing = False
        self._is_due = False
        self._postponed: list[Callable[[], None]] = []
        self.requests: EarlierRequests = requests or NoRequests()
        self.facts = ReplayedState()
        """What the population does not hold of the crawl."""
        self.snapshots = Snapshots(journal, population, limits)
        limits.on_change = journal.append
        population.admission.gate = self._ask_gate

    def guard(self, gate: Gate) -> None:
        """Set the gate, which returns the origin that a URL waits for."""
        self._gate = gate

    def begin(self, run: RunStarted) -> None:
        """Begin a run."""
        self._record(run)
        self.obey(run)

    def obey(self, run: RunStarted) -> None:
        """Set the options that may differ from run to run."""
        run.apply(self.population)
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
        self._origins.clear()
        self._is_choosing = True
        try:
            visit = self.population.choose(now_s)
        finally:
            self._is_choosing = False
            self._record(Chosen.by(now_s, self._origins, visit))
            while self._postponed:
                self._postponed.pop(0)()
        return visit

    def settle(
        self, visit: VisitId, outcome: Outcome, details: FetchDetails | None = None
    ) -> list[Event]:
        """Settle a visit; see `Population.settle`."""
        if visit not in self.population.unsettled:
            raise SettleError(f"visit {visit} is not under way")
        self._note(VisitSettled(visit, outcome, details))
        return self.population.settle(visit, outcome)

    def callback_continues(self, visit: VisitId) -> None:
        """Note that the callback of `visit`, which is settled next, goes on after that."""
        self._note(CallbackContinued(visit))

    def callback_ended(self, visit: VisitId) -> None:
        """Note that a callback has ended that went on after the settlement of its visit."""
        self._note(CallbackEnded(visit))

    def repeat(
        self, visit: VisitId, lead: Lead, species: Species, targets: Iterable[Fingerprint]
    ) -> None:
        """Reopen the link of a settled visit whose callback had not ended; see `VisitRepeated`."""
        repeated = VisitRepeated(visit)
        self._note(repeated)
        repeated.apply(self.population, lead, species, targets)

    def opened(self, origin: str) -> None:
        """Open an origin; see `Population.open_origin`."""
        self._when_chosen(OriginOpened(origin))

    def turn_away(self, origin: str) -> None:
        """Keep an origin closed for a while; see `Population.close_origin`."""
        self._when_chosen(OriginClosed(origin))

    def hold(self, host: str, until_s: float) -> None:
        """Start nothing at `host` before `until_s`; see `HostSlots.hold`."""
        self._when_chosen(HostHeld(host, until_s))

    def locate(self, host: str, address: str, most: int) -> None:
        """Set the address of `host`; see `HostSlots.locate`."""
        self._when_chosen(HostLocated(host, address, most))

    def spend(self, visit: VisitId | None) -> bool:
        """Count one request about to be sent; see `Budget.spend`."""
        spent = Spent(visit)
        may_send = spent.apply(self.population)
        if may_send:
            self._journal.append(spent)
        return may_send

    def claims_of(self, visit: VisitId) -> VisitClaims:
        """Return the claimed targets as `visit` sees and claims them."""
        return VisitClaims(self.is_claimed, partial(self.claim, visit))

    def is_claimed(self, target: Fingerprint) -> bool:
        """Return True when a visit has claimed `target`."""
        return self._base.is_claimed(target)

    def claim(self, visit: VisitId, target: Fingerprint) -> None:
        """Claim `target`, to which a redirect of `visit` leads."""
        self._do(Claimed(visit, target))

    def release(self, target: Fingerprint) -> None:
        """Undo `claim`, unless the page is known now."""
        self._do(Released(target))

    def give_back(self, visit: VisitId, lead: Lead, species: Species, url: str = "") -> None:
        """Reopen the link of a settled visit; see `Population.give_back`."""
        given_back = GivenBack(visit, url)
        self._note(given_back)
        given_back.apply(self.population, lead, species)

    def go_on(self, visit: VisitId, host: str, now_s: float) -> None:
        """Move the visit to the host of a redirect; see `Population.go_on`."""
        self.limits(host)  # the journal records changed limits before the operation
        self._do(WentOn(visit, host, now_s))

    def change(self, to: Parameters) -> None:
        """Change the parameters of the crawl; see `change_parameters`. Raises SettingError."""
        change = ParametersChanged(to)
        change.apply(self.population)
        self._note(change)

    def exclude(self, pattern: str) -> None:
        """Follow no link that matches `pattern`; see `Exclusions`. Raises ValueError."""
        excluded = Excluded(pattern)
        excluded.apply(self.population)
        self._note(excluded)

    def exclude_line(self, agent: AgentId, alive: Iterable[AgentId]) -> None:
        """End an agent's line; see `evocrawl.population.steering.exclude_line`."""
        excluded = LineExcluded(agent, tuple(alive))
        excluded.apply(self.population)
        self._note(excluded)

    def mark(self, page: Fingerprint, content: Content, *, relevant: bool) -> None:
        """Teach the population that a fetched page is relevant, or is not."""
        marked = Marked(page, relevant, content.title, content.text, content.language)
        self._note(marked)
        marked.apply(self.population)

    def flush(self) -> None:
        """Commit if there are operations that must be durable now. Raises StateError.

        Begins a snapshot when enough visits have ended since the latest one, and goes on with it.
        """
        if self._is_due:
            self.commit()
            if self.snapshots.is_due(self.facts) and not self._is_choosing:
                self.snapshots.begin(self.facts)
        self.snapshots.go_on()

    def flush_soon(self) -> None:
        """Make the next `flush` commit."""
        self._is_due = True

    def commit(self) -> None:
        """Make all recorded operations durable. Raises StateError on failure."""
        self._is_due = False
        self._journal.commit()

    def take_snapshot(self) -> None:
        """Make a snapshot durable at once. Does nothing while a choice is under way.

        Raises StateError on failure.
        """
        if not self._is_choosing:
            self.commit()
            self.snapshots.take(self.facts)

    def close(self) -> None:
        """Commit, and close the journal.

        Takes a snapshot if the next run would have to replay many visits, and completes one that
        was begun. Raises StateError.
        """
        try:
            self.commit()
            if self.snapshots.is_due_at_end(self.facts):
                self.take_snapshot()
            self.snapshots.complete()
        finally:
            self._journal.close()

    def _note(self, op: Op) -> None:
        self._record(op)
        self._is_due = True

    def _record(self, op: Op) -> None:
        self.facts.note(op, self.population)
        self._journal.append(op)

    def _ask_gate(self, url: str) -> str | None:
        origin = self._gate(url)
        self._origins.append(origin)
        return origin

    def _when_chosen(self, op: _Applied) -> None:
        """Record and apply an operation now, or after the choice that is under way."""
        if self._is_choosing:
            self._postponed.append(lambda: self._when_chosen(op))
            return
        self._do(op)

    def _do(self, op: _Applied) -> None:
        """Record and apply an operation."""
        self._record(op)
        op.apply(self.population)
