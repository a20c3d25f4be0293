"""Rebuilds the population of a stopped or killed crawl by replaying its journal.

The population is deterministic, so replay restores the agents, minds, models, random streams, page
base and frontier of every species. It compares each choice with the one in the journal.
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
    """The facts about earlier runs that the population itself does not hold.

    `now_s` is the latest time in the journal. `moved` maps each visit under way to the targets of
    its redirects. `cut_short` maps each visit that ended for lack of budget or was postponed, and
    whose link is not open again, to its lead and species. `redirected` maps each link that was
    redirected before it was reopened to its URL and the targets claimed on the way.
    """

    runs: int = 0
    now_s: float = 0.0
    pages: int = 0
    moved: dict[VisitId, list[Fingerprint]] = field(default_factory=dict)
    cut_short: dict[VisitId, tuple[Lead, Species]] = field(default_factory=dict)
    redirected: dict[Fingerprint, tuple[str, list[Fingerprint]]] = field(default_factory=dict)


def resume(journal: Journal, chronicle: JournaledPopulation, run: RunStarted) -> ReplayedState:
    """Replay the journal, then begin a run.

    Visits that were under way are under way again. The run releases the redirect targets of these
    visits and of postponed links. It reopens links that lacked budget if there is budget now.
    Raises StateError as `replay` does, and if the journal cannot be written.
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
    """Apply `ops` to a new population and return the other facts about earlier runs.

    Writes nothing to the journal. Raises StateError if the population chooses differently than
    before, and any error that reading `ops` raises.
    """
    repeat = _Replayer(chronicle)
    population, gate = chronicle.population, chronicle.population.admission.gate
    population.admission.gate = repeat.answer
    chronicle.limits.is_replaying = True
    try:
        for number, op in enumerate(ops, 1):
            repeat.do(op, number)
    finally:
        population.admission.gate = gate
        chronicle.limits.is_replaying = False
    return repeat.past


class _Replayer:
    """Applies recorded operations to a population one by one."""

    def __init__(self, chronicle: JournaledPopulation) -> None:
        self.past = ReplayedState()
        self._chronicle = chronicle
        self._population: Population = chronicle.population
        self._doors: list[str | None] = []

    def answer(self, url: str) -> str | None:  # noqa: ARG002 - the form of a gate
        """Return the recorded answer of the gate."""
        return self._doors.pop(0) if self._doors else None

    def do(self, op: Op, number: int) -> None:
        """Apply one operation, the entry `number` of the journal."""
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
                self._population.open_origin(door)
            case OriginClosed(door):
                self._population.close_origin(door)
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
                f"entry {number} cannot be replayed: visit {op.visit} went to {_hex(op.target)}, "
                f"now visit {again.visit} goes to {_hex(again.target)}; it was written by another "
                "version of evocrawl or of a library"
            )
        self.past.now_s = max(self.past.now_s, op.now_s)

    def _settle(self, visit: VisitId, outcome: Outcome, number: int) -> None:
        under_way = self._population.unsettled.get(visit)
        if under_way is None:
            raise StateError(f"entry {number} settles visit {visit}, which is not under way")
        species = self._population.lifecycle.agents[under_way.agent].species
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
    """Log a species' exception and go on: the species failed here in the crawl, too."""
    try:
        yield
    except Exception:
        logger.exception("replay: a species failed at entry %d, as it did in the crawl", number)


def _hex(target: Fingerprint | None) -> str:
    return "nowhere" if target is None else target.hex()
