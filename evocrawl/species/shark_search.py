"""Shark-Search (Hersovici, Jacovi, Maarek, Pelleg, Shtalhaim & Ur 1998, WWW7, figure 2).

A link inherits a score from its page. A page without relevance passes on its own inherited score,
reduced by δ. The words of the link count as much as the inherited score::

    inherited(l) = δ · sim(q, p)         where sim(q, p) > 0, p being the page of l
                   δ · inherited(p)      else
    context(l)   = 1                     where sim(q, anchor) > 0
                   sim(q, context)       else
    near(l)      = β · sim(q, anchor) + (1 − β) · context(l)
    score(l)     = γ · inherited(l) + (1 − γ) · near(l)                   in [0, 1]

with δ = 0.5, β = 0.8 and γ = 0.5. sim is the relevance model. Fish-Search, on which the paper
builds, also limits width and depth. Without a time limit, those limits only delay links, as the
order by score does already; so there are no such limits here. A link that is found several times
has its best score, and the inherited part of that score.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from evocrawl.core.model import Lead, Link, Page
from evocrawl.species.agent import Agent
from evocrawl.species.base import Species
from evocrawl.species.energy import LinkRelevance
from evocrawl.species.parts import Best, Queue, WholeFrontier, lone
from evocrawl.species.reasons import Reason, Term


@dataclass(frozen=True, slots=True)
class Scent(Best):
    """Scores links; a lead carries its inherited score to the page that it leads to."""

    relevance: LinkRelevance
    decay: float
    anchor_share: float
    inherited_share: float

    def explain(self, lead: Lead, leads: Sequence[Lead], agent: Agent | None) -> Reason:  # noqa: ARG002
        """Return what the link has inherited and what its words add."""
        rule = "The link of the highest score comes first: what it inherits, and its own words."
        if not isinstance(lead.features, float):
            return Reason(rule, lead.score)
        gamma = self.inherited_share
        own = (lead.score - gamma * lead.features) / (1 - gamma) if gamma < 1 else 0.0
        terms = (Term("inherited", lead.features, gamma), Term("words", own, 1 - gamma))
        return Reason(rule, lead.score, terms=terms)

    def score(self, link: Link, page: Page | None) -> float:
        """Return the score of a link whose page has inherited nothing, in [0, 1]; 2 for a seed."""
        return 2.0 if page is None else self._potential(link, self.decay * page.relevance)

    def appraise(self, link: Link, page: Page, via: Lead) -> tuple[float, float]:
        """Return the score and the inherited part of it, both in [0, 1]."""
        source = page.relevance
        if source <= 0 and isinstance(via.features, float):
            source = via.features
        inherited = self.decay * source
        return self._potential(link, inherited), inherited

    def _potential(self, link: Link, inherited: float) -> float:
        gamma = self.inherited_share
        return gamma * inherited + (1 - gamma) * self._near(link)

    def _near(self, link: Link) -> float:
        beta = self.anchor_share
        anchor = self.relevance.link(link.anchor, link.anchor)
        context = 1.0 if anchor > 0 else self.relevance.link(link.context, link.context)
        return beta * anchor + (1 - beta) * context


def shark_search(
    frontier: Queue,
    relevance: LinkRelevance,
    *,
    decay: float = 0.5,
    anchor_share: float = 0.8,
    inherited_share: float = 0.5,
) -> Species:
    """Make the species with its own frontier; δ, β and γ lie in [0, 1]."""
    choice = Scent(relevance, decay, anchor_share, inherited_share)
    return lone("shark_search", WholeFrontier(frontier), choice)
