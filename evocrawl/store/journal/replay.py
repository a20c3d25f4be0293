"""Rebuilds the population of a stopped or killed crawl by replaying its journal.

The population is deterministic, so replay restores the agents, minds, models, random streams, page
base and frontier of every species. It compares each choice with the one in the journal.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Protocol, runtime_checkable

from evocrawl.core.errors import StateError
from evocrawl.core.model import Fetched, Fingerprint, VisitId
from evocrawl.population.population import Population
from evocrawl.store.journal.facts import ReplayedState, is_cut_short
from evocrawl.store.journal.journal import Journal
from evocrawl.store.journal.journaled_population import JournaledPopulation
from evocrawl.store.journal.operations import (
    CallbackContinued,
    CallbackEnded,
    Chosen,
    GivenBack,
    Limited,
    Linked,
    Op,
    Placed,
    RunStarted,
    VisitRepeated,
    VisitSettled,
)
from evocrawl.store.journal.operations.row import present
from evocrawl.store.journal.snapshot.graph import SnapshotError

logger = logging.getLogger(__name__)


@runtime_checkable
class SnapshotSource(Protocol):
    """A journal that may have a snapshot of the population: `SqliteJournal`."""

    def restore(self, root: dict[str, object]) -> int:
        """Read the snapshot into `root`; return its last entry, 0 without one."""

    def first_entry(self) -> int:
        """Return the number of the first entry: more than 1 if the journal is compact."""

    def ops_after(self, entry: int) -> Iterator[Op]:
        """Read the operations after an entry, in order."""

    def links_until(self, entry: int) -> Iterator[Op]:
        """Read up to an entry the operations that add links, and the visits to them, in order."""


def resume(journal: Journal, journaled: JournaledPopulation, run: RunStarted) -> ReplayedState:
    """Read the latest snapshot and replay the journal after it, then begin a run.

    Visits that were under way are under way again. The run releases the redirect targets of these
    visits and of postponed links. It reopens the links whose callbacks had not ended, and those
    that lacked budget if there is budget now.

    Raises StateError as `replay` does, and if the journal cannot be written.
    """
    past = rebuild(journal, journaled)
    journaled.facts = past.copied()
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
    for number, callback in [*past.callbacks.items()]:
        past.repeats(number)
        journaled.repeat(number, callback.lead, callback.species, callback.targets)
    journaled.commit()
    return past


def rebuild(journal: Journal, journaled: JournaledPopulation) -> ReplayedState:
    """Rebuild the population of a journal; return the other facts about earlier runs.

    A snapshot takes the place of the entries before it. Raises StateError as `replay` does, and if
    the journal is compact and its snapshot cannot be used.
    """
    if isinstance(journal, SnapshotSource):
        past = ReplayedState()
        try:
            entry = journal.restore(journaled.snapshots.root(past))
        except SnapshotError as error:
            _check_whole(journal, str(error))
            logger.warning("store: the snapshot is not used: %s; every visit is replayed", error)
            entry = 0
        if entry + 1 < journal.first_entry():
            _check_whole(journal, "it is missing or too old")
        if journaled.requests.needs_all:
            _check_whole(journal, "DUPEFILTER_CLASS has a request_seen of its own")
        if entry:
            logger.info("store: read the snapshot after %d visits", past.settled)
            _catch_up(past, journal.links_until(entry), journaled)
            return replay(journal.ops_after(entry), journaled, past, after=entry)
    return replay(journal.ops(), journaled)


def _check_whole(journal: SnapshotSource, problem: str) -> None:
    """Raise StateError if entries are missing that only a snapshot could replace."""
    first = journal.first_entry()
    if first > 1:
        raise StateError(
            f"the journal is compact and begins at entry {first}, but the snapshot that takes the "
            f"place of earlier entries cannot be used: {problem}; the pages can be exported"
        )


def _catch_up(past: ReplayedState, ops: Iterator[Op], journaled: JournaledPopulation) -> None:
    """Let what is no part of a snapshot catch up with it: marks, and the requests of links.

    `ops` are those that add links and the visits to them; they are read if the requests of visits
    that have ended are needed.
    """
    journaled.snapshots.taken_at = past.settled
    for mark in past.marks:
        for listener in journaled.population.on_mark:
            listener(mark.content, mark.relevant)
    requests = journaled.requests
    if not (requests.needs_all and past.asked):
        requests.recall(past.waiting.values())
        requests.recall_targets(each for each in past.asked if each not in past.waiting)
        return
    targets: dict[VisitId, Fingerprint] = {}
    for op in ops:
        match op:
            case Placed(links) | Linked(_, links):
                requests.recall(links)
            case Chosen(visit=int(visit), target=bytes(target)):
                targets[visit] = target
            case VisitSettled(visit, outcome):
                if isinstance(outcome, Fetched):
                    requests.recall(outcome.page.links)
                target = targets.pop(visit, b"")
                if not is_cut_short(op):
                    requests.settled(target)
            case _:
                pass


def replay(
    ops: Iterable[Op],
    journaled: JournaledPopulation,
    past: ReplayedState | None = None,
    *,
    after: int = 0,
) -> ReplayedState:
    """Apply `ops`, the entries `after` a number, and return the other facts about earlier runs.

    The population is new, or that of a snapshot at that entry, with the facts `past`. Writes
    nothing to the journal. Raises StateError if the population chooses differently than before, and
    any error that reading `ops` raises.
    """
    repeat = Replayer(journaled, past)
    population, gate = journaled.population, journaled.population.admission.gate
    population.admission.gate = repeat.answer
    journaled.limits.is_replaying = True
    try:
        for number, op in enumerate(ops, after + 1):
            repeat.do(op, number)
    finally:
        population.admission.gate = gate
        journaled.limits.is_replaying = False
    return repeat.past


class Replayer:
    """Applies recorded operations to a population one by one."""

    def __init__(self, journaled: JournaledPopulation, past: ReplayedState | None = None) -> None:
        self.past = ReplayedState() if past is None else past
        self._journaled = journaled
        self._population: Population = journaled.population
        self._origins: list[str | None] = []

    def answer(self, url: str) -> str | None:  # noqa: ARG002 - the form of a gate
        """Return the recorded answer of the gate."""
        return self._origins.pop(0) if self._origins else None

    def do(self, op: Op, number: int) -> None:
        """Apply one operation, the entry `number` of the journal."""
        population, past, journaled = self._population, self.past, self._journaled
        if isinstance(op, VisitSettled) and op.visit not in population.unsettled:
            raise StateError(f"entry {number} settles visit {op.visit}, which is not under way")
        returned = past.cut_short[op.visit] if isinstance(op, GivenBack) else None
        callback = past.callbacks[op.visit] if isinstance(op, VisitRepeated) else None
        past.note(op, population)
        match op:
            case Chosen():
                self._choose(op, number)
            case VisitSettled():
                self._settle(op, number)
            case GivenBack():
                op.apply(population, *present(returned))
            case VisitRepeated():
                callback = present(callback)
                op.apply(population, callback.lead, callback.species, callback.targets)
            case CallbackContinued() | CallbackEnded():
                pass
            case Limited(host, concurrency, delay_s):
                journaled.limits.learn(host, (concurrency, delay_s))
            case RunStarted():
                journaled.obey(op)
            case _:
                op.apply(population)
        if isinstance(op, Placed | Linked):
            journaled.requests.recall(op.links)

    def _choose(self, op: Chosen, number: int) -> None:
        self._origins = list(op.origins)
        visit = None
        with _as_before(number):
            visit = self._population.choose(op.now_s)
        again = Chosen.by(op.now_s, op.origins, visit)
        if again != op or self._origins:
            raise StateError(
                f"entry {number} cannot be replayed: visit {op.visit} went to {_hex(op.target)}, "
                f"now visit {again.visit} goes to {_hex(again.target)}; it was written by another "
                "version of evocrawl or of a library"
            )

    def _settle(self, op: VisitSettled, number: int) -> None:
        lead = self._population.unsettled[op.visit].lead
        with _as_before(number):
            op.apply(self._population)
        if isinstance(op.outcome, Fetched):
            self._journaled.requests.recall(op.outcome.page.links)
        if not is_cut_short(op):
            self._journaled.requests.settled(lead.fingerprint)


@contextmanager
def _as_before(number: int) -> Iterator[None]:
    """Log a species' exception and go on: the species failed here in the crawl, too."""
    try:
        yield
    except Exception:
        logger.exception("replay: a species failed at entry %d, as it did in the crawl", number)


def _hex(target: Fingerprint | None) -> str:
    return "nowhere" if target is None else target.hex()
