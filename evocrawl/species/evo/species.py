"""The default species: agents share one link model, and each weighs its evidence differently.

The whole population learns from every visit which links are good. The genome of an agent is a
hypothesis about the weights of the evidence: a draw z from a standard normal distribution and a
temperature τ ≥ 0. The agent follows the link of the greatest ::

    (θ + τ · L z) · x          x the link's features, θ the posterior mean, L Lᵀ its covariance

An agent of temperature 1 is a draw from the posterior (Thompson 1933; Chapelle & Li 2011, An
empirical evaluation of Thompson sampling), an agent of temperature 0 uses the posterior mean, and
all agents agree more and more as the model learns. Clones inherit the genome with mutation:
hypotheses that lead to energy become more frequent, others die out.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from evocrawl.core.model import Dropped, Fetched, Fingerprint, Lead, Link, Outcome, Page, Visit
from evocrawl.species.agent import Agent
from evocrawl.species.base import Mergeable, Species
from evocrawl.species.evo.busy_hosts import NEVER_WAIT, BusyHosts
from evocrawl.species.evo.genome import Genome, GenomePool, GenomeRows, Heredity
from evocrawl.species.evo.interfaces import Claims, LeadsByRow, SharedModel, row_of
from evocrawl.species.evo.prospects import CandidateRanking
from evocrawl.species.parts import Queue
from evocrawl.species.reasons import Reason, Term, Trait, sigmoid

_SEED = 1e6


@dataclass(slots=True)
class PageObserver:
    """Shows each page to the model once, and again if other links of it are found.

    `foreign` are pages of other populations that were shown to the model, with the rows of their
    links.
    """

    of_run = ("foreign",)
    """Attributes that are no part of a snapshot."""

    model: SharedModel
    last: Fingerprint = b""
    links: Sequence[Link] = ()
    rows: dict[Fingerprint, int] = field(default_factory=dict)
    foreign: deque[tuple[Page, dict[Fingerprint, int]]] = field(default_factory=deque)

    def read(self, page: Page, via: Lead) -> dict[Fingerprint, int]:
        """Return the rows of the page's links."""
        if not self._is_last(page) and not self._is_foreign(page):
            self.rows = self.model.observe_page(page, row_of(via))
            self.last, self.links = page.fingerprint, page.links
        return self.rows

    def read_foreign(self, pages: Sequence[Page], digests: Sequence[Any]) -> None:
        """Show pages of other populations to the model; `read` returns their rows in turn."""
        rows = self.model.observe_foreign_pages(pages, digests)
        self.foreign = deque(zip(pages, rows, strict=True))

    def _is_last(self, page: Page) -> bool:
        return page.fingerprint == self.last and page.links is self.links

    def _is_foreign(self, page: Page) -> bool:
        """Go on to the page among the next foreign ones; return whether it is there."""
        while self.foreign:
            next_page, self.rows = self.foreign.popleft()
            self.last, self.links = next_page.fingerprint, next_page.links
            if self._is_last(page):
                return True
        return False


@dataclass(frozen=True, slots=True)
class ByGenome:
    """Scores a link by its features and the agent's genome."""

    model: SharedModel
    prospects: CandidateRanking
    mates: GenomePool
    reader: PageObserver

    def score(self, link: Link, page: Page | None) -> float:  # noqa: ARG002 - protocol
        """Return the score of a seed, which is above any link's."""
        return _SEED if page is None else 0.0

    def appraise(self, link: Link, page: Page, via: Lead) -> tuple[float, int]:
        """Return an initial score, and the row of the link's target."""
        return 0.0, self.reader.read(page, via)[link.fingerprint]

    def explain(self, lead: Lead, leads: Sequence[Lead], agent: Agent | None) -> Reason:  # noqa: ARG002
        """Return the features of the link with the weights of the agent, or of the model."""
        row = row_of(lead)
        if row is None:
            return Reason("A seed comes before every link.", lead.score)
        model, theta = self.model, self.model.mean
        rule = "The agent follows the best of the best links, by the weights of its genome."
        if agent is not None and isinstance(agent.mind, Genome):
            theta = model.sampled(agent.mind.z, agent.mind.temperature)
        elif agent is not None:
            rule = "The agent follows the only link at hand."
        x = model.features(np.array([row]))[0]
        usual = model.usual_features()
        terms = tuple(map(Term, model.names, x.tolist(), theta.tolist(), usual.tolist()))
        return Reason(rule, float(x @ theta), sigmoid(float(x @ model.mean)), terms=terms)

    def describe(self, agent: Agent) -> list[Trait]:
        """Return the agent's weights; those that differ most from the model's come first."""
        if not isinstance(agent.mind, Genome):
            return []
        theta = self.model.sampled(agent.mind.z, agent.mind.temperature)
        weights = [*map(Trait, self.model.names, theta.tolist(), self.model.mean.tolist())]
        weights.sort(key=lambda each: -abs(each.value - (each.average or 0.0)))
        return [Trait("temperature", agent.mind.temperature), *weights]

    def draw(self, agent: Agent, leads: Sequence[Lead]) -> Lead:
        """Return the lead with the best score for the agent's genome. O(leads · d)."""
        if len(leads) == 1:
            return leads[0]
        genome = self.mates.genome(agent)
        theta = self.model.sampled(genome.z, genome.temperature)
        return leads[int(np.argmax(self.prospects.features(leads) @ theta))]


@dataclass(frozen=True, slots=True)
class ModelLearning:
    """Lets the model learn from visits."""

    model: SharedModel
    reader: PageObserver
    prospects: CandidateRanking

    def mark(self, page: Fingerprint, *, relevant: bool) -> None:
        """Learn from a user's mark of a page; all waiting links are scored again soon."""
        if self.model.mark(page, relevant=relevant):
            self.prospects.score_all()

    def learn(self, agent: Agent, visit: Visit, outcome: Outcome) -> None:  # noqa: ARG002
        """Learn from the page, or from a dead link."""
        row = row_of(visit.lead)
        if isinstance(outcome, Fetched):
            self.reader.read(outcome.page, visit.lead)
        elif row is not None and not isinstance(outcome, Dropped):
            self.model.observe_dead_link(row)

    def digest(self, page: Page) -> bytes:
        """Return the words of a page for other workers."""
        return self.model.digest(page)

    def read_digest(self, packed: bytes) -> Any:
        """Return the words of a page of another worker. Raises ValueError."""
        return self.model.read_digest(packed)

    def note_foreign_pages(self, pages: Sequence[Page], digests: Sequence[Any]) -> None:
        """Add the links of pages that other workers have fetched."""
        self.reader.read_foreign(pages, digests)

    def share(self) -> Mergeable:
        """Return the model's knowledge, which adds up over populations."""
        return self.model.share()


def evo(
    queue: Queue,
    claims: Claims,
    model: SharedModel,
    leads: LeadsByRow,
    busy_hosts: BusyHosts = NEVER_WAIT,
    *,
    temperatures: tuple[float, ...] = (0.0, 0.1, 0.2, 0.4),
    mutation: float = 0.3,
) -> Species:
    """Make the species with its own queue, model and store of links by row."""
    prospects = CandidateRanking(queue, model, claims, leads, busy_hosts)
    mates = GenomePool(model.width, temperatures, mutation)
    reader = PageObserver(model)
    return Species(
        "evo",
        prospects,
        ByGenome(model, prospects, mates, reader),
        Heredity(mates),
        ModelLearning(model, reader, prospects),
        minds=GenomeRows(model.width),
    )
