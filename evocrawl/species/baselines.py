"""Random: follow any of the open links, each with the same probability.

What a crawl without any preference finds; breadth-first has one for pages near the seeds, which
are on topic more often. A link found on many pages counts once. Draws come from the agent's own
generator, so that the run's seed gives the order.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass

from evocrawl.core.errors import SettingError
from evocrawl.core.model import Fingerprint, Lead, Link, Page
from evocrawl.species.base import ANY_HOST, Agent, Move, Species, View
from evocrawl.species.energy import LinkRelevance
from evocrawl.species.parts import Best, Immortal, Queue, WholeFrontier, lone
from evocrawl.species.random_queue import RandomQueue


@dataclass(frozen=True, slots=True)
class OneOfAll:
    """The agent sees one of the open links of free hosts."""

    lottery: RandomQueue

    def found(self, leads: Sequence[Lead]) -> None:
        """Let the links take part. O(log hosts) a link."""
        for lead in leads:
            self.lottery.push(lead)

    def wander(self, agent: Agent, *, may_eat: bool) -> Move | None:  # noqa: ARG002 - protocol
        """Never wander."""
        return None

    def look(self, agent: Agent, is_free: Callable[[str], bool]) -> View:
        """See the link that is drawn. O(log hosts) amortised."""
        lead = self.lottery.draw(agent.rng, is_free)
        if lead is not None:
            return View((lead,))
        return View((), frozenset((ANY_HOST,)) if self.lottery.has_parked else frozenset())

    def escape(self, agent: Agent, *, may_eat: bool) -> Move | None:  # noqa: ARG002 - protocol
        """Nothing is elsewhere."""
        return None

    def freed(self, host: str) -> None:
        """Let the host's links take part again."""
        self.lottery.free(host)


def at_random(lottery: RandomQueue) -> Species:
    """Make the species on a lottery of its own."""
    return lone("random", OneOfAll(lottery), AllAlike())


@dataclass(frozen=True, slots=True)
class ByLabel(Best):
    """A link is worth what the label of its target says, then that of its page."""

    labels: Collection[Fingerprint]

    def score(self, link: Link, page: Page | None) -> float:
        """Return 1 for a relevant target, and 0.5 more on a relevant page."""
        source = page is not None and page.fingerprint in self.labels
        return float(link.fingerprint in self.labels) + 0.5 * source


def oracle(frontier: Queue, labels: Collection[Fingerprint] | None) -> Species:
    """Make the species on a frontier of its own. Raises SettingError where there are no labels."""
    if labels is None:
        raise SettingError("species", "oracle", "a species that needs no labels: there are none")
    return lone("oracle", WholeFrontier(frontier), ByLabel(frozenset(labels)))


@dataclass(frozen=True, slots=True)
class ByParentAndWords(Best):
    """A link is worth a mix of its page and its words; a seed is worth more than any link."""

    relevance: LinkRelevance
    beta: float

    def score(self, link: Link, page: Page | None) -> float:
        """Return the mix in [0, 1], 2 for a seed."""
        if page is None:
            return 2.0
        words = self.relevance.link(link.anchor, link.context)
        return (1 - self.beta) * page.relevance + self.beta * words


def best_first_anchor(frontier: Queue, relevance: LinkRelevance, *, beta: float = 0.5) -> Species:
    """Make the species on a frontier of its own; `beta` lies in [0, 1]."""
    return lone("best_first_anchor", WholeFrontier(frontier), ByParentAndWords(relevance, beta))


class ByParent(Best):
    """A link is worth what the page it stands on is; a seed is worth more than any link."""

    def score(self, link: Link, page: Page | None) -> float:  # noqa: ARG002 - protocol
        """Return the parent's relevance in [0, 1], 2 for a seed."""
        return 2.0 if page is None else page.relevance


def best_first(frontier: Queue) -> Species:
    """Make the species on a frontier of its own."""
    return Species(
        "best_first",
        WholeFrontier(frontier),
        ByParent(),
        Immortal(),
        single_flight=False,
        founders=1,
    )


class AllAlike(Best):
    """Every link is worth the same, so that the first found comes first."""

    def score(self, link: Link, page: Page | None) -> float:  # noqa: ARG002 - protocol
        """Return 0."""
        return 0.0


def breadth_first(frontier: Queue) -> Species:
    """Make the species on a frontier of its own."""
    return Species(
        "breadth_first",
        WholeFrontier(frontier),
        AllAlike(),
        Immortal(),
        single_flight=False,
        founders=1,
    )
