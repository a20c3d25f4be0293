"""The baseline species: random, oracle, best-first by page or by page and words, breadth-first.

Random follows any open link, each with the same probability: a crawl without any preference.
Breadth-first prefers pages near the seeds, which are on topic more often. A link found on many
pages counts once. Draws come from the agent's own generator, so that the run's seed gives the
order.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from typing import ClassVar

from evocrawl.core.errors import SettingError
from evocrawl.core.model import Fingerprint, Lead, Link, Page
from evocrawl.species.agent import Agent
from evocrawl.species.base import ANY_HOST, Move, Species, View
from evocrawl.species.energy import LinkRelevance
from evocrawl.species.parts import Best, Immortal, Queue, WholeFrontier, lone
from evocrawl.species.random_queue import RandomQueue
from evocrawl.species.reasons import Reason


@dataclass(frozen=True, slots=True)
class OneOfAll:
    """The agent sees one of the open links of free hosts."""

    queue: RandomQueue

    def found(self, leads: Sequence[Lead]) -> None:
        """Add the links to the queue. O(log hosts) a link."""
        for lead in leads:
            self.queue.push(lead)

    def wander(self, agent: Agent, *, may_eat: bool) -> Move | None:  # noqa: ARG002 - protocol
        """Never wander."""
        return None

    def look(self, agent: Agent, is_free: Callable[[str], bool]) -> View:
        """See the link that is drawn. O(log hosts) amortised."""
        lead = self.queue.draw(agent.rng, is_free)
        if lead is not None:
            return View((lead,))
        return View((), frozenset((ANY_HOST,)) if self.queue.has_parked else frozenset())

    def escape(self, agent: Agent, *, may_eat: bool) -> Move | None:  # noqa: ARG002 - protocol
        """Return None: every open link is in sight."""
        return None

    def freed(self, host: str) -> None:
        """Count the host's links again."""
        self.queue.free(host)


@dataclass(frozen=True, slots=True)
class ByLabel(Best):
    """Scores a link by the label of its target, then by that of its page."""

    labels: Collection[Fingerprint]
    meaning: ClassVar[str] = (
        "The score is 1 for a relevant target, and 0.5 more on a relevant page."
    )

    def score(self, link: Link, page: Page | None) -> float:
        """Return 1 for a relevant target, and 0.5 more on a relevant page."""
        source = page is not None and page.fingerprint in self.labels
        return float(link.fingerprint in self.labels) + 0.5 * source


def oracle(frontier: Queue, labels: Collection[Fingerprint] | None) -> Species:
    """Make the species with its own frontier. Raises SettingError without labels."""
    if labels is None:
        raise SettingError(
            "species", "oracle", "a species that needs no labels: this crawl has no labels"
        )
    return lone("oracle", WholeFrontier(frontier), ByLabel(frozenset(labels)))


@dataclass(frozen=True, slots=True)
class ByParentAndWords(Best):
    """Scores a link by a mix of its page and its words, a seed above any link."""

    relevance: LinkRelevance
    beta: float
    meaning: ClassVar[str] = (
        "The score is the mean of the page's relevance and the match of the link's words."
    )

    def score(self, link: Link, page: Page | None) -> float:
        """Return the mix in [0, 1], 2 for a seed."""
        if page is None:
            return 2.0
        words = self.relevance.link(link.anchor, link.context)
        return (1 - self.beta) * page.relevance + self.beta * words


def best_first_anchor(frontier: Queue, relevance: LinkRelevance, *, beta: float = 0.5) -> Species:
    """Make the species with its own frontier; `beta` lies in [0, 1]."""
    return lone("best_first_anchor", WholeFrontier(frontier), ByParentAndWords(relevance, beta))


class ByParent(Best):
    """Scores a link by its page, a seed above any link."""

    meaning = "The score is the relevance of the page with the link."

    def score(self, link: Link, page: Page | None) -> float:  # noqa: ARG002 - protocol
        """Return the parent's relevance in [0, 1], 2 for a seed."""
        return 2.0 if page is None else page.relevance


def best_first(frontier: Queue) -> Species:
    """Make the species with its own frontier."""
    return Species(
        "best_first",
        WholeFrontier(frontier),
        ByParent(),
        Immortal(),
        single_flight=False,
        founders=1,
    )


class AllAlike(Best):
    """Gives every link the same score, so that the first found comes first."""

    meaning = "All links have the same score, so the link that was found first comes first."

    def score(self, link: Link, page: Page | None) -> float:  # noqa: ARG002 - protocol
        """Return 0."""
        return 0.0


def breadth_first(frontier: Queue) -> Species:
    """Make the species with its own frontier."""
    return Species(
        "breadth_first",
        WholeFrontier(frontier),
        AllAlike(),
        Immortal(),
        single_flight=False,
        founders=1,
    )


class Drawn(AllAlike):
    """Takes the link that the sight has drawn."""

    def explain(self, lead: Lead, leads: Sequence[Lead], agent: Agent | None) -> Reason:  # noqa: ARG002
        """Return that chance chose the link."""
        return Reason("A link is drawn at random; each open link has the same chance.", 0.0)


def at_random(queue: RandomQueue) -> Species:
    """Make the species with its own queue."""
    return lone("random", OneOfAll(queue), Drawn())
