"""Has a crawl again that was stopped or killed: what was done to its population is done again.

That gives back agents, minds, models, random streams, page base and frontier of every species,
since the population is deterministic. Each choice is compared with the one in the journal.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from evocrawl.core.errors import StateError
from evocrawl.core.fetch import LATER, OVER_BUDGET
from evocrawl.core.model import Dead, Dropped, Fetched, Fingerprint, Lead, Outcome, VisitId
from evocrawl.population.population import Population
from evocrawl.species.base import Species
from evocrawl.store.journal.journaled_population import JournaledPopulation, chosen
from evocrawl.store.journal.operations import (
    Chosen,
    Claimed,
    GivenBack,
    HostHeld,
    HostLocated,
    Limited,
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

logger = logging.getLogger(__name__)


@dataclass(slots=True)
class ReplayedState:
    """What has to be known of earlier runs, beside the population itself.

    `now_s` is the latest time told. `moved` are the addresses that redirects took the visits
    under way to, `cut_short` the links of visits that the budget ended, or that were put off, and
    are not open again yet, with the species that followed them. `redirected` are the links that a
    redirect had taken elsewhere before they were open again, with their own address and all those
    taken on the way.
    """

    runs: int = 0
    now_s: float = 0.0
    pages: int = 0
    moved: dict[VisitId, list[Fingerprint]] = field(default_factory=dict)
    cut_short: dict[VisitId, tuple[Lead, Species]] = field(default_factory=dict)
    redirected: dict[Fingerprint, tuple[str, list[Fingerprint]]] = field(default_factory=dict)


def resume(journal: Journal, chronicle: JournaledPopulation, run: RunStarted) -> ReplayedState:
    """Begin a run where the last one ended, the first one with nothing.

    Visits that were under way are so again, and nobody else holds the addresses that redirects
    had taken them to; so it is for links that were put off. Links cut short by the budget are open
    again if there is some now. Raises StateError as `replay` does, and where the journal cannot be
    written.
    """
    past = replay(journal.ops(), chronicle)
    chronicle.begin(run)
    for visit in chronicle.population.unsettled:
        for target in past.moved.get(visit, ()):
            chronicle.release(target)
    for _, targets in past.redirected.values():
        for target in targets:
            chronicle.release(target)
    if chronicle.population.environment.budget.left != 0:
        for number, (lead, species) in past.cut_short.items():
            chronicle.give_back(number, lead, species)
    chronicle.commit()
    return past


def replay(ops: Iterable[Op], chronicle: JournaledPopulation) -> ReplayedState:
    """Do `ops` again to a population that is new, and return what else is to be known.

    Nothing is noted in the journal. Raises StateError where the population does something else
    than what it did, and whatever reading `ops` raises.
    """
    repeat = _Replayer(chronicle)
    population, gate = chronicle.population, chronicle.population.gate
    population.gate = repeat.answer
    chronicle.limits.is_replaying = True
    try:
        for number, op in enumerate(ops, 1):
            repeat.do(op, number)
    finally:
        population.gate = gate
        chronicle.limits.is_replaying = False
    return repeat.past


class _Replayer:
    """Does one operation after the other again."""

    def __init__(self, chronicle: JournaledPopulation) -> None:
        self.past = ReplayedState()
        self._chronicle = chronicle
        self._population: Population = chronicle.population
        self._doors: list[str | None] = []

    def answer(self, url: str) -> str | None:  # noqa: ARG002 - the form of a gate
        """The gate says what it said."""
        return self._doors.pop(0) if self._doors else None

    def do(self, op: Op, number: int) -> None:
        """Do it again."""
        environment = self._population.environment
        match op:
            case Chosen():
                self._choose(op, number)
            case Spent(visit):
                environment.budget.spend(visit)
            case VisitSettled(visit, outcome):
                self._settle(visit, outcome, number)
            case Limited(host, concurrency, delay_s):
                self._chronicle.limits.learn(host, (concurrency, delay_s))
            case HostHeld(host, until_s):
                environment.hosts.hold(host, until_s)
            case HostLocated(host, address, most):
                environment.hosts.locate(host, address, most)
            case Placed(links):
                self._population.place(links)
                self._chronicle.on_links(links)
            case Linked(page, links):
                self._population.link(page, links)
                self._chronicle.on_links(links)
            case OriginOpened(door):
                self._population.opened(door)
            case OriginClosed(door):
                self._population.turn_away(door)
            case Claimed(visit, target):
                environment.base.claim(target)
                self.past.moved.setdefault(visit, []).append(target)
            case Released(target):
                if environment.base.get(target) is None:
                    environment.base.release(target)
            case GivenBack(visit, url):
                self._population.give_back(*self.past.cut_short.pop(visit), url)
            case WentOn(visit, host, now_s):
                self._population.go_on(visit, host, now_s)
            case RunStarted():
                self.past.runs += 1
                self.past.moved.clear()
                self._chronicle.obey(op)

    def _choose(self, op: Chosen, number: int) -> None:
        self._doors = list(op.doors)
        visit = None
        with _as_before(number):
            visit = self._population.choose(op.now_s)
        again = chosen(op.now_s, op.doors, visit)
        if again != op or self._doors:
            raise StateError(
                f"entry {number} cannot be done again: visit {op.visit} went to {_hex(op.target)}, "
                f"now visit {again.visit} goes to {_hex(again.target)}; it was written by another "
                "version of evocrawl or of a library"
            )
        self.past.now_s = max(self.past.now_s, op.now_s)

    def _settle(self, visit: VisitId, outcome: Outcome, number: int) -> None:
        under_way = self._population.unsettled.get(visit)
        if under_way is None:
            raise StateError(f"entry {number} settles visit {visit}, which is not under way")
        species = self._population.life.agents[under_way.agent].species
        with _as_before(number):
            self._population.settle(visit, outcome)
        targets = self.past.moved.pop(visit, [])
        self.past.pages += isinstance(outcome, Fetched)
        if isinstance(outcome, Fetched):
            self._chronicle.on_links(outcome.page.links)
        if isinstance(outcome, Dead | Dropped) and outcome.reason in (LATER, OVER_BUDGET):
            lead = under_way.lead
            self.past.cut_short[visit] = (lead, species)
            if targets:
                self.past.redirected.setdefault(lead.fingerprint, (lead.url, []))[1].extend(targets)
        else:
            self.past.redirected.pop(under_way.lead.fingerprint, None)
            self._chronicle.on_settled(under_way.lead.fingerprint)


@contextmanager
def _as_before(number: int) -> Iterator[None]:
    """A species that failed half-way fails half-way again, and leaves the same behind."""
    try:
        yield
    except Exception:
        logger.exception("a species failed at entry %d, as it did before", number)


def _hex(target: Fingerprint | None) -> str:
    return "nowhere" if target is None else target.hex()
