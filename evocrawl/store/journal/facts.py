"""Facts about a crawl that its population does not hold, followed from operation to operation."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace

from evocrawl.core.containers.keymap import KeySet
from evocrawl.core.fetch import LATER, OVER_BUDGET
from evocrawl.core.model import Dead, Dropped, Fetched, Fingerprint, Lead, Link, VisitId
from evocrawl.population.population import Population
from evocrawl.species.base import Species
from evocrawl.store.journal.operations import (
    CallbackContinued,
    CallbackEnded,
    Chosen,
    Claimed,
    GivenBack,
    Linked,
    Marked,
    Op,
    Placed,
    RunStarted,
    VisitRepeated,
    VisitSettled,
)


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
    reopened for such a callback, each with the first visit. `marks` are what a user has said of
    pages, and `settled` is the number of visits that ended. `asked` are the targets of all links
    that have carried a payload, and `waiting` maps those whose visit has not ended to such a link.
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
    continuing: set[VisitId] = field(default_factory=set)
    settled: int = 0
    marks: list[Marked] = field(default_factory=list)
    asked: KeySet = field(default_factory=KeySet)
    waiting: dict[Fingerprint, Link] = field(default_factory=dict)

    def note(self, op: Op, population: Population) -> None:
        """Take in an operation before `population` does. O(1), O(links) for one with links.

        Raises KeyError if it settles a visit that is not under way.
        """
        match op:
            case Chosen(now_s):
                self.now_s = max(self.now_s, now_s)
            case VisitSettled():
                self._settled(op, population)
            case Claimed(visit, target):
                self.moved.setdefault(visit, []).append(target)
            case GivenBack(visit):
                self.cut_short.pop(visit, None)
            case CallbackContinued(visit):
                self.continuing.add(visit)
            case CallbackEnded(visit):
                self.callbacks.pop(visit, None)
            case VisitRepeated(visit):
                self.repeats(visit)
            case Placed() | Linked():
                self._note_payloads(op.links)
            case Marked():
                self.marks.append(op)
            case RunStarted():
                self.runs += 1
                self.moved.clear()
            case _:
                pass

    def copied(self) -> ReplayedState:
        """Return the same facts, which change apart from these."""
        asked = KeySet()
        asked.load(*self.asked.dump()[1:])
        return replace(
            self,
            asked=asked,
            waiting={**self.waiting},
            moved={visit: [*targets] for visit, targets in self.moved.items()},
            cut_short={**self.cut_short},
            redirected={key: (url, [*keys]) for key, (url, keys) in self.redirected.items()},
            callbacks={**self.callbacks},
            first_visits={**self.first_visits},
            continuing={*self.continuing},
            marks=[*self.marks],
        )

    def repeats(self, visit: VisitId) -> OpenCallback | None:
        """Take out the callback of `visit`, whose link is reopened; None without one."""
        callback = self.callbacks.pop(visit, None)
        if callback is not None:
            self.first_visits.setdefault(callback.lead.fingerprint, visit)
        return callback

    def _settled(self, op: VisitSettled, population: Population) -> None:
        visit, outcome = op.visit, op.outcome
        self.settled += 1
        under_way = population.unsettled[visit]
        lead, species = under_way.lead, population.lifecycle.agents[under_way.agent].species
        if isinstance(outcome, Fetched):
            self.pages += 1
            self._note_payloads(outcome.page.links)
        if is_cut_short(op):
            self.cut_short[visit] = (lead, species)
            targets = self.moved.pop(visit, [])
            if targets:
                known = self.redirected.setdefault(lead.fingerprint, (lead.url, []))
                known[1].extend(targets)
            return
        self.waiting.pop(lead.fingerprint, None)
        _, before = self.redirected.pop(lead.fingerprint, ("", []))
        all_targets = (*before, *self.moved.pop(visit, []))
        if visit in self.continuing:
            self.continuing.discard(visit)
            self.callbacks[visit] = OpenCallback(lead, species, all_targets)
        else:
            self.first_visits.pop(lead.fingerprint, None)

    def _note_payloads(self, links: Iterable[Link]) -> None:
        for link in links:
            target = link.fingerprint
            if link.payload is not None and target not in self.asked:
                self.asked.add(target)
                self.waiting[target] = Link(link.url, target, payload=link.payload)


def is_cut_short(op: VisitSettled) -> bool:
    """Return whether a visit ended without a result, so that its link may be opened again."""
    outcome = op.outcome
    return isinstance(outcome, Dead | Dropped) and outcome.reason in (LATER, OVER_BUDGET)
