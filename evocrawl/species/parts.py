"""Parts that several species share."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar, Protocol

import numpy as np
import numpy.typing as npt
from numpy.random import Generator

from evocrawl.core.model import Fingerprint, Lead
from evocrawl.species.agent import Agent
from evocrawl.species.base import (
    ANY_HOST,
    Choice,
    Learning,
    Move,
    NoLearning,
    PageBase,
    Ranks,
    Sight,
    Species,
    View,
)
from evocrawl.species.reasons import Reason, Standing, as_standing, rank_among

Rows = npt.NDArray[np.intp]
Priorities = npt.NDArray[np.float64]


class Queue(Protocol):
    """The methods of a frontier that `WholeFrontier` uses."""

    @property
    def has_parked(self) -> bool:
        """True if links wait for busy hosts."""

    def push(self, lead: Lead, priority: float) -> None:
        """Add a link."""

    def rerank(self, lead: Lead, priority: float) -> None:
        """Give a waiting link another priority."""

    def place(self, rows: Rows, priorities: Priorities, at_hand: Mapping[int, Lead] = ...) -> None:
        """Set priorities of different open targets by their rows, whether they wait or not.

        For targets that are numbered, whose links the queue can look up, except those `at_hand`.
        """

    def peek(self, is_free: Callable[[str], bool]) -> Lead | None:
        """Return the best link of a free host."""

    def is_parked(self, host: str) -> bool:
        """Return True if the host's links are passed over until `free` names the host."""

    def free(self, host: str) -> None:
        """Count the host's links again."""

    def standing(self, target: Fingerprint) -> tuple[int, int, float] | None:
        """Return rank, number and priority of a waiting link, None for another."""


@dataclass(frozen=True, slots=True)
class WholeFrontier:
    """The agent sees the best of all open links, on any page."""

    frontier: Queue

    def found(self, leads: Sequence[Lead]) -> None:
        """Queue the links by their score. O(log n) a link."""
        for lead in leads:
            self.frontier.push(lead, lead.score)

    def wander(self, agent: Agent, *, may_eat: bool) -> Move | None:  # noqa: ARG002 - protocol
        """Never wander."""
        return None

    def look(self, agent: Agent, is_free: Callable[[str], bool]) -> View:  # noqa: ARG002 - protocol
        """See the best link whose host is free. O(log n) amortised."""
        lead = self.frontier.peek(is_free)
        if lead is not None:
            return View((lead,))
        return View((), frozenset((ANY_HOST,)) if self.frontier.has_parked else frozenset())

    def escape(self, agent: Agent, *, may_eat: bool) -> Move | None:  # noqa: ARG002 - protocol
        """Return None: every open link is in sight."""
        return None

    def freed(self, host: str) -> None:
        """Count the host's links again."""
        self.frontier.free(host)

    def standing(self, lead: Lead) -> Standing | None:
        """Return the place of a waiting link in the queue. O(waiting links)."""
        return as_standing(self.frontier, lead)


class OpenLinks(Protocol):
    """The methods of a store of open links by page that `PageSight` uses."""

    def add(self, leads: Iterable[Lead]) -> None:
        """Add links to the pages that contain them."""

    def leads(self, page: Fingerprint) -> list[Lead]:
        """Return the open links of a page."""

    def draw_open(
        self, rng: Generator, contest: int, worth: Callable[[Fingerprint], float]
    ) -> Fingerprint | None:
        """Draw pages with open links; return the one of the greatest worth."""


@dataclass(frozen=True, slots=True)
class PageSight:
    """The agent sees the open links of the page it sits on (Mouton & Marteau 2008, algorithm 2).

    Links that an agent has followed before are out of sight: following one again would fetch
    nothing and find no energy, and agents would move in circles. With probability `wander_share`
    the agent walks to a page of the base that still has energy instead, the paper's "random walk
    toward these pages"; the paper does not give the share. From a dead end the agent goes to a page
    with energy or, if there is none, to a page with open links, the most relevant of `contest`
    pages drawn at random; the paper does not describe this case. Both moves are free, since the
    agent pays for the next visit.
    """

    base: PageBase
    open_links: OpenLinks
    wander_share: float
    contest: int

    def found(self, leads: Sequence[Lead]) -> None:
        """Add the links to their pages."""
        self.open_links.add(leads)

    def wander(self, agent: Agent, *, may_eat: bool) -> Move | None:
        """Walk to a page with energy, with probability `wander_share`. O(1)."""
        if may_eat and self.wander_share and agent.rng.random() < self.wander_share:
            return self._to_energy(agent)
        return None

    def look(self, agent: Agent, is_free: Callable[[str], bool]) -> View:
        """See the open links of the page. O(links of the page)."""
        here = self.open_links.leads(agent.page)
        hosts = {lead.host for lead in here}
        free = {host for host in hosts if is_free(host)}
        if len(free) == len(hosts):
            return View(here)
        return View([lead for lead in here if lead.host in free], frozenset(hosts - free))

    def escape(self, agent: Agent, *, may_eat: bool) -> Move | None:
        """Go to a page with energy, else to one with open links. O(1) amortised."""
        move = self._to_energy(agent) if may_eat else None
        if move is not None:
            return move
        page = self.open_links.draw_open(agent.rng, self.contest, self.base.relevance_of)
        return None if page is None else Move(page, "dead end")

    def freed(self, host: str) -> None:
        """Do nothing: no link is queued by host."""

    def standing(self, lead: Lead) -> Standing | None:
        """Return the place of a link among the open links of its page. O(its links)."""
        here = self.open_links.leads(lead.source)
        scores = [each.score for each in here]
        if all(each.fingerprint != lead.fingerprint for each in here):
            return None
        rank = rank_among(lead.score, scores)
        return Standing(rank, len(here), lead.score, "the open links of its page")

    def _to_energy(self, agent: Agent) -> Move | None:
        page = self.base.draw_energetic(agent.rng)
        return None if page is None else Move(page, "energy")


class Best:
    """Follows the link of the highest score, the first one on a tie."""

    meaning: ClassVar[str] = ""
    """What the score is, in a sentence."""

    def draw(self, agent: Agent, leads: Sequence[Lead]) -> Lead:  # noqa: ARG002 - protocol
        """Return the best lead. O(leads)."""
        return max(leads, key=_score)

    def explain(self, lead: Lead, leads: Sequence[Lead], agent: Agent | None) -> Reason:  # noqa: ARG002
        """Return the score that the link got when it was found."""
        return Reason(f"The link of the highest score comes first. {self.meaning}", lead.score)


class Immortal:
    """Lets no agent clone or die, as in the baselines."""

    founder_energy = 1.0

    def clones(self, agent: Agent) -> int:  # noqa: ARG002 - protocol
        """Return 0."""
        return 0

    def is_doomed(self, agent: Agent) -> bool:  # noqa: ARG002 - protocol
        """Return False."""
        return False

    def inherit(self, parent: Agent, child: Agent) -> None:
        """Do nothing; there are no children."""


def lone(name: str, sight: Sight, choice: Choice, learning: Learning | None = None) -> Species:
    """Make a plain crawler: one immortal agent with any number of visits under way."""
    return Species(
        name,
        sight,
        choice,
        Immortal(),
        learning or NoLearning(),
        single_flight=False,
        founders=1,
    )


def _score(lead: Lead) -> float:
    return lead.score


@dataclass(frozen=True, slots=True)
class Bar:
    """Decides whether a page is relevant: from `relevant_at` on, or among the best `share` so far.

    Relevance is not a probability: with a fixed bar alone, hardly any page of one topic would be
    relevant, and every page of another, and a species that learns from relevant and irrelevant
    pages would learn nothing. A page of relevance 0 is never relevant.
    """

    ranks: Ranks
    relevant_at: float
    share: float

    def passes(self, relevance: float) -> bool:
        """Return True if a page of this relevance counts as relevant now. O(log n)."""
        if relevance <= 0 or not len(self.ranks):
            return relevance > 0
        return relevance >= min(self.relevant_at, self.ranks.at_share(1 - self.share))
