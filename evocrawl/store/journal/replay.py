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
from evocrawl.core.model import Dead, Dropped, Fetched, Fingerprint, Lead, VisitId
from evocrawl.population.population import Population
from evocrawl.species.base import Species
from evocrawl.store.journal.journaled_population import JournaledPopulation, chosen
from evocrawl.store.journal.operations import (
    CallbackContinued,
    CallbackEnded,
    Chosen,
    Claimed,
    GivenBack,
    Limited,
    Linked,
    Op,
    Placed,
    RunStarted,
    VisitRepeated,
    VisitSettled,
)
from evocrawl.store.journal.sqlite_journal import Journal

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class OpenCallback:
    """A callback that had not ended: the link of its visit, and the targets of its redirects."""

    lead: Lead
    species: Species
    targets: tuple[Fingerprint, ...]


@dataclass(slots=True)
class ReplayedState:
    """The facts about earlier runs that the population itself does not hold.

    `now_s` is the latest time in the journal, `repeated` the number of visits that this run
    repeats. `moved` maps each visit under way to the targets of its redirects. `cut_short` maps
    each visit that ended for lack of budget or was postponed, and whose link is not open again, to
    its lead and species. `redirected` maps each link that was
    redirected before it was reopened to its URL and the targets claimed on the way. `callbacks` are
    the callbacks that had not ended, by settled visit, and `first_visits` the links that were
    reopened for such a callback, each with the first visit.
    """

    runs: int = 0
    now_s: float = 0.0
    pages: int = 0
    repeated: int = 0
    moved: dict[VisitId, list[Fingerprint]] = field(default_factory=dict)
    cut_short: dict[VisitId, tuple[Lead, Species]] = field(default_factory=dict)
    redirected: dict[Fingerprint, tuple[str, list[Fingerprint]]] = field(default_factory=dict)
    callbacks: dict[VisitId, OpenCallback] = field(default_factory=dict)
    first_visits: dict[Fingerprint, VisitId] = field(default_factory=dict)

    def repeats(self, visit: VisitId) -> OpenCallback:
        """Take out the callback of `visit`, whose link is reopened."""
        callback = self.callbacks.pop(visit)
        self.first_visits.setdefault(callback.lead.fingerprint, visit)
        return callback


def resume(journal: Journal, journaled: JournaledPopulation, run: RunStarted) -> ReplayedState:
    """Replay the journal, then begin a run.

    Visits that were under way are under way again. The run releases the redirect targets of these
    visits and of postponed links. It reopens the links whose callbacks had not ended, and those
    that lacked budget if there is budget now.

    Raises StateError as `replay` does, and if the journal cannot be written.
    """
    past = replay(journal.ops(), journaled)
    journaled.begin(run)
    past.repeated = len(journaled.population.unsettled) + len(past.callbacks)
    for visit in journaled.population.unsettled:
        for target in past.moved.get(visit, ()):
            journaled.release(target)
    for _, targets in past.redirected.values():
        for target in targets:
            journaled.release(target)
    if journaled.population.environment.budget.left != 0:
        for number, (lead, species) in past.cut_short.items():
            journaled.give_back(number, lead, species)
    for number in list(past.callbacks):
        callback = past.repeats(number)
        journaled.repeat(number, callback.lead, callback.species, callback.targets)
    journaled.commit()
    return past


def replay(ops: Iterable[Op], journaled: JournaledPopulation) -> ReplayedState:
    """Apply `ops` to a new population and return the other facts about earlier runs.

    Writes nothing to the journal. Raises StateError if the population chooses differently than
    before, and any error that reading `ops` raises.
    """
    repeat = Replayer(journaled)
    population, gate = journaled.population, journaled.population.admission.gate
    population.admission.gate = repeat.answer
    journaled.limits.is_replaying = True
    try:
        for number, op in enumerate(ops, 1):
            repeat.do(op, number)
    finally:
        population.admission.gate = gate
        journaled.limits.is_replaying = False
    return repeat.past


class Replayer:
    """Applies recorded operations to a population one by one."""

    def __init__(self, journaled: JournaledPopulation) -> None:
        self.past = ReplayedState()
        self._journaled = journaled
        self._population: Population = journaled.population
        self._origins: list[str | None] = []
        self._continuing: set[VisitId] = set()

    def answer(self, url: str) -> str | None:  # noqa: ARG002 - the form of a gate
        """Return the recorded answer of the gate."""
        return self._origins.pop(0) if self._origins else None

    def do(self, op: Op, number: int) -> None:
        """Apply one operation, the entry `number` of the journal."""
        population, past, journaled = self._population, self.past, self._journaled
        match op:
            case Chosen():
                self._choose(op, number)
            case VisitSettled():
                self._settle(op, number)
            case GivenBack(visit):
                op.apply(population, *past.cut_short.pop(visit))
            case CallbackContinued(visit):
                self._continuing.add(visit)
            case CallbackEnded(visit):
                past.callbacks.pop(visit, None)
            case VisitRepeated(visit):
                callback = past.repeats(visit)
                op.apply(population, callback.lead, callback.species, callback.targets)
            case Limited(host, concurrency, delay_s):
                journaled.limits.learn(host, (concurrency, delay_s))
            case RunStarted():
                past.runs += 1
                past.moved.clear()
                journaled.obey(op)
            case _:
                op.apply(population)
        if isinstance(op, Placed | Linked):
            journaled.on_links(op.links)
        elif isinstance(op, Claimed):
            past.moved.setdefault(op.visit, []).append(op.target)

    def _choose(self, op: Chosen, number: int) -> None:
        self._origins = list(op.origins)
        visit = None
        with _as_before(number):
            visit = self._population.choose(op.now_s)
        again = chosen(op.now_s, op.origins, visit)
        if again != op or self._origins:
            raise StateError(
                f"entry {number} cannot be replayed: visit {op.visit} went to {_hex(op.target)}, "
                f"now visit {again.visit} goes to {_hex(again.target)}; it was written by another "
                "version of evocrawl or of a library"
            )
        self.past.now_s = max(self.past.now_s, op.now_s)

    def _settle(self, op: VisitSettled, number: int) -> None:
        visit, outcome = op.visit, op.outcome
        under_way = self._population.unsettled.get(visit)
        if under_way is None:
            raise StateError(f"entry {number} settles visit {visit}, which is not under way")
        species = self._population.lifecycle.agents[under_way.agent].species
        with _as_before(number):
            op.apply(self._population)
        self.past.pages += isinstance(outcome, Fetched)
        if isinstance(outcome, Fetched):
            self._journaled.on_links(outcome.page.links)
        if isinstance(outcome, Dead | Dropped) and outcome.reason in (LATER, OVER_BUDGET):
            self._cut_short(visit, under_way.lead, species)
        else:
            self._ended(visit, under_way.lead, species)

    def _cut_short(self, visit: VisitId, lead: Lead, species: Species) -> None:
        past = self.past
        past.cut_short[visit] = (lead, species)
        targets = past.moved.pop(visit, [])
        if targets:
            past.redirected.setdefault(lead.fingerprint, (lead.url, []))[1].extend(targets)

    def _ended(self, visit: VisitId, lead: Lead, species: Species) -> None:
        past = self.past
        _, before = past.redirected.pop(lead.fingerprint, ("", []))
        targets = (*before, *past.moved.pop(visit, []))
        if visit in self._continuing:
            self._continuing.discard(visit)
            past.callbacks[visit] = OpenCallback(lead, species, targets)
        else:
            past.first_visits.pop(lead.fingerprint, None)
        self._journaled.on_settled(lead.fingerprint)


@contextmanager
def _as_before(number: int) -> Iterator[None]:
    """Log a species' exception and go on: the species failed here in the crawl, too."""
    try:
        yield
    except Exception:
        logger.exception("replay: a species failed at entry %d, as it did in the crawl", number)


def _hex(target: Fingerprint | None) -> str:
    return "nowhere" if target is None else target.hex()
