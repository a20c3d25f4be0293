"""The species of Mouton & Marteau 2008, algorithms 1 and 2.

An agent sits on a page and follows one of its links, drawn at random with a preference for links
whose words match the query: the prototype of the paper "uses the tf*idf metric to evaluate the
relevance of crawled pages and of links contexts". The paper does not describe how a link is drawn
from these. Here a link of context relevance s has the weight s + `boldness`, so that a link without
any matching word can be drawn, too:

==========  =====================================================================================
boldness    effect
==========  =====================================================================================
0           a link that matches is always preferred to those that do not
0.002       matching links are 10 to 200 times as likely as others
1           the query hardly matters: a random walk
==========  =====================================================================================

Reproduction: with energy E > 1 the agent makes ⌊E⌋ clones and shares E among the ⌊E⌋ + 1 of
them. The paper's copies print E/⌈E⌉ and E/⌊E⌋; only E/(⌊E⌋ + 1) conserves energy for whole E too.
With E < 0 it dies, or is moved to a page with energy when the population is at its lower bound.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from evocrawl.core.model import Lead, Link, Page
from evocrawl.species.agent import Agent
from evocrawl.species.base import PageBase, Species
from evocrawl.species.parts import OpenLinks, PageSight
from evocrawl.species.reasons import Reason, Term


class LinkRelevance(Protocol):
    """The methods of a relevance model that the choice uses."""

    def link(self, anchor: str, context: str, language: str = "") -> float:
        """Return the relevance of a link's own words, in [0, 1]."""


@dataclass(frozen=True, slots=True)
class Roulette:
    """Draw a link in proportion to its context relevance plus `boldness`, in [0, 1]."""

    relevance: LinkRelevance
    boldness: float

    def score(self, link: Link, page: Page | None) -> float:
        """Return the relevance of anchor and context, in [0, 1]; 1 for a seed."""
        return 1.0 if page is None else self.relevance.link(link.anchor, link.context)

    def explain(self, lead: Lead, leads: Sequence[Lead], agent: Agent | None) -> Reason:  # noqa: ARG002
        """Return the match of the link's words and the probability of the draw."""
        weight = lead.score + self.boldness
        total = math.fsum(each.score + self.boldness for each in leads)
        drawn = weight / total if total > 0 else 1 / max(len(leads), 1)
        terms = (
            Term("match of anchor and context with the query", lead.score, 1.0),
            Term("boldness", self.boldness, 1.0),
        )
        rule = "An agent draws one of the links of its page, by the sum of match and boldness."
        return Reason(rule, weight, drawn=drawn if leads else None, terms=terms)

    def draw(self, agent: Agent, leads: Sequence[Lead]) -> Lead:
        """Return a lead with probability (score + boldness) / Σ (score + boldness). O(leads)."""
        total = math.fsum(lead.score for lead in leads) + self.boldness * len(leads)
        if total <= 0:
            return leads[int(agent.rng.integers(len(leads)))]
        mark = agent.rng.random() * total
        for lead in leads:
            mark -= lead.score + self.boldness
            if mark < 0:
                return lead
        return leads[-1]


class EnergySharing:
    """Clones and kills agents by their energy alone; the mind is empty."""

    founder_energy = 1.0

    def clones(self, agent: Agent) -> int:
        """Return ⌊E⌋ where E > 1, else 0."""
        return math.floor(agent.energy) if agent.energy > 1 else 0

    def is_doomed(self, agent: Agent) -> bool:
        """Return E < 0."""
        return agent.energy < 0

    def inherit(self, parent: Agent, child: Agent) -> None:
        """Inherit nothing, since agents learn nothing."""


def energy(
    base: PageBase,
    open_links: OpenLinks,
    relevance: LinkRelevance,
    *,
    wander_share: float,
    boldness: float,
    contest: int,
) -> Species:
    """Make the species; `wander_share` and `boldness` lie in [0, 1], `contest` ≥ 1."""
    sight = PageSight(base, open_links, wander_share, contest)
    return Species("energy", sight, Roulette(relevance, boldness), EnergySharing())
