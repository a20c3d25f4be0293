"""InfoSpiders, the agents of MySpiders (Pant & Menczer 2002).

An agent sits on a page and follows one of its links. Its net
(`evocrawl.species.infospiders.keyword_net`)
estimates every link by the keywords around it, and a link is drawn with probability ∝ exp(β·λ).
From the page reached it learns, p being the page, μ a discount and λ its own estimates::

    target = sim(p, query) + μ · max λ(l) over the links l of p          0 without a page

It gains sim − c_t · t/t_max there (`evocrawl.core.config.presets` has the sim, `budget_fees` the
c_t), at a
page's first visit only. With E > θ it makes one child and halves E with it; with E < 0 it dies.
A child has its parent's keywords, the most characteristic of the frequent terms of the page of
its birth, and mutated weights.

MySpiders leaves the net, the draw, the learning and the mutation to its sources (Menczer & Belew
2000, Machine Learning 39, 203–242). Where these do not describe a case, it is chosen here:

- Links that any agent has followed are out of sight. The paper's agents may walk over pages in the
  shared cache, which costs nothing and gains nothing; here they move only to unknown pages.
- From a dead end an agent goes back to the page it came from, by its back link. If that page is a
  dead end, too, the paper's agent stops; here it goes on from the most relevant of some pages with
  open links drawn at random, as the `energy` species does.
- A founder's weights lie around `trust`: before it has learnt, it relies on the query.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from evocrawl.core.fees import Fees
from evocrawl.core.model import Dead, Fetched, Fingerprint, Lead, Link, Outcome, Page, Visit
from evocrawl.species.agent import Agent
from evocrawl.species.base import Move, PageBase, Species
from evocrawl.species.infospiders.keyword_net import Lexicon, Net, near
from evocrawl.species.parts import OpenLinks, PageSight
from evocrawl.species.reasons import Reason, Term, Trait


@dataclass(frozen=True, slots=True)
class Traits:
    """The constants, with the papers' symbols.

    =================  =================================================================
    field              meaning
    =================  =================================================================
    theta              θ, energy above which a child is born; founders begin with θ/2
    window             ρ, greatest distance of a word from a link, in words
    greed              β, 0: any link, large: always the best
    discount           μ of the reached page's best link, in [0, 1)
    rate               η of the delta rule; 0: nothing is learnt
    trust              weight of a query term, before mutation
    mutation           σ of the normal change (mean 0) of each weight at birth
    keywords           greatest number of keywords; 0: children get no new ones
    =================  =================================================================
    """

    theta: float = 0.25
    window: int = 5
    greed: float = 20.0
    discount: float = 0.5
    rate: float = 0.1
    trust: float = 0.5
    mutation: float = 0.1
    keywords: int = 64


@dataclass(slots=True)
class Mind:
    """The net of an agent, and `back`, the page that it came from in hexadecimal digits, or ""."""

    net: Net
    back: str = ""


@dataclass(slots=True)
class MindFactory:
    """Makes minds for founders, and for children from the page of their birth.

    `page` and `text` belong to the page that was settled last: births follow immediately.
    """

    lexicon: Lexicon
    traits: Traits
    page: Fingerprint = b""
    text: str = ""

    def mind(self, agent: Agent) -> Mind:
        """Return the agent's mind; create one for a founder."""
        if not isinstance(agent.mind, Mind):
            weights = dict.fromkeys(self.lexicon.query, self.traits.trust)
            agent.mind = Mind(self._mutated(agent, weights, 0.0))
        return agent.mind

    def inherit(self, parent: Agent, child: Agent) -> None:
        """Give the child its parent's keywords and one more, all with mutated weights."""
        mind = self.mind(parent)
        weights = dict(mind.net.weights)
        if child.page == self.page and len(weights) < self.traits.keywords:
            term = characteristic_term(self.lexicon, self.text, weights)
            if term:
                weights[term] = 0.0
        child.mind = Mind(self._mutated(child, weights, mind.net.bias), mind.back)

    def _mutated(self, agent: Agent, weights: dict[str, float], bias: float) -> Net:
        noise = agent.rng.normal(0.0, self.traits.mutation, len(weights) + 1).tolist()
        changed = {term: w + dw for (term, w), dw in zip(weights.items(), noise, strict=False)}
        return Net(changed, bias + noise[-1])


def characteristic_term(lexicon: Lexicon, text: str, known: dict[str, float]) -> str:
    """Return the term of greatest n · idf that a text has n ≥ 2 times, "" without one.

    Terms in `known` are left out.
    """
    best, found = 0.0, ""
    for term, times in lexicon.count(text).items():
        if times > 1 and term not in known:
            weight = times * lexicon.weight(term)
            if weight > best:
                best, found = weight, term
    return found


@dataclass(frozen=True, slots=True)
class BackLinkSight(PageSight):
    """Shows the open links of the page; from a dead end, follows the back link, or else jumps.

    It never moves to a page for its energy: only the first visitor is paid.
    """

    minds: MindFactory

    def escape(self, agent: Agent, *, may_eat: bool) -> Move | None:  # noqa: ARG002 - protocol
        """Go back once to the page that the agent came from, if it has open links. O(its links)."""
        mind = self.minds.mind(agent)
        back, mind.back = bytes.fromhex(mind.back), ""
        if self.open_links.leads(back):
            return Move(back, "back")
        page = self.open_links.draw_open(agent.rng, self.contest, self.base.relevance_of)
        return None if page is None else Move(page, "dead end")


@dataclass(frozen=True, slots=True)
class Softmax:
    """Draws a link with probability ∝ exp(β·λ); its lead stores the words near it."""

    minds: MindFactory

    def score(self, link: Link, page: Page | None) -> float:  # noqa: ARG002 - protocol
        """Return 0: each agent has its own estimate of a link."""
        return 0.0

    def appraise(self, link: Link, page: Page, via: Lead) -> tuple[float, str]:  # noqa: ARG002
        """Return 0 and the words near the link."""
        return 0.0, near(link, self.minds.lexicon, self.minds.traits.window)

    def draw(self, agent: Agent, leads: Sequence[Lead]) -> Lead:
        """Return one of the leads. O(words near the links)."""
        net, greed = self.minds.mind(agent).net, self.minds.traits.greed
        # λ ≥ −1 lies at most 2 below the greatest: no sum is 0, and none overflows.
        shares = [math.exp(greed * (net.estimate(_near(lead)) - 1)) for lead in leads]
        mark = agent.rng.random() * math.fsum(shares)
        for lead, share in zip(leads, shares, strict=True):
            mark -= share
            if mark < 0:
                return lead
        return leads[-1]

    def explain(self, lead: Lead, leads: Sequence[Lead], agent: Agent | None) -> Reason:
        """Return the keywords near the link with the weights of the agent's net."""
        rule = "The agent's net estimates each link by the words near it; one is drawn by it."
        if agent is None or not isinstance(agent.mind, Mind):
            return Reason("Each agent estimates the link by its own net of keywords.", lead.score)
        net, greed = agent.mind.net, self.minds.traits.greed
        near_it: dict[str, float] = {}
        for term, share in net.inputs(_near(lead)):
            near_it[term] = near_it.get(term, 0.0) + share
        terms = [
            Term(f"keyword {name}", share, net.weights[name]) for name, share in near_it.items()
        ]
        estimates = [net.estimate(_near(each)) for each in leads]
        own = net.estimate(_near(lead))
        drawn = (
            1 / math.fsum(math.exp(greed * (each - own)) for each in estimates) if leads else None
        )
        return Reason(rule, own, drawn=drawn, terms=(*terms, Term("bias", 1.0, net.bias)))

    def describe(self, agent: Agent) -> list[Trait]:
        """Return the weights of the agent's net of keywords, the greatest first."""
        if not isinstance(agent.mind, Mind):
            return []
        net = agent.mind.net
        weights = [Trait(f"keyword {word}", weight) for word, weight in net.weights.items()]
        weights.sort(key=lambda each: -abs(each.value))
        return [*weights, Trait("bias", net.bias)]


@dataclass(frozen=True, slots=True)
class DeltaRule:
    """Learns the value of a link from the page that it led to."""

    minds: MindFactory
    open_links: OpenLinks

    def learn(self, agent: Agent, visit: Visit, outcome: Outcome) -> None:
        """Move the estimate of the followed link towards its target. O(words near the links)."""
        mind, traits = self.minds.mind(agent), self.minds.traits
        target = 0.0
        if isinstance(outcome, Fetched):
            page = outcome.page
            self.minds.page = page.fingerprint
            self.minds.text = f"{page.content.title}\n{page.content.text}"
            mind.back = visit.lead.source.hex()
            links = self.open_links.leads(page.fingerprint)
            best = max((mind.net.estimate(_near(lead)) for lead in links), default=0.0)
            target = page.relevance + traits.discount * best
        elif not isinstance(outcome, Dead):
            return  # refused or dropped: nothing is known about the page
        mind.net.learn(_near(visit.lead), target, traits.rate)


@dataclass(frozen=True, slots=True)
class Halves:
    """Gives one child above θ and death below 0."""

    minds: MindFactory
    theta: float
    founder_energy: float = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "founder_energy", self.theta / 2)

    def clones(self, agent: Agent) -> int:
        """Return 1 where E > θ, else 0."""
        return int(agent.energy > self.theta)

    def is_doomed(self, agent: Agent) -> bool:
        """Return E < 0."""
        return agent.energy < 0

    def inherit(self, parent: Agent, child: Agent) -> None:
        """Pass on the keywords and the mutated weights."""
        self.minds.inherit(parent, child)


def infospiders(
    base: PageBase,
    open_links: OpenLinks,
    lexicon: Lexicon,
    *,
    contest: int,
    traits: Traits | None = None,
) -> Species:
    """Make the species; `contest` ≥ 1 pages are drawn where an agent leaves a dead end."""
    traits = traits or Traits()
    minds = MindFactory(lexicon, traits)
    return Species(
        "infospiders",
        BackLinkSight(base, open_links, 0.0, contest, minds),
        Softmax(minds),
        Halves(minds, traits.theta),
        DeltaRule(minds, open_links),
        founders="seeds",
        unbuffered=True,
        fees=lambda fees, founders, budget: budget_fees(fees, founders, budget, traits.theta),
    )


def budget_fees(fees: Fees, founders: int, budget: int | None, theta: float) -> Fees:
    """Return the fees with c_t = #INIT_URLS · THETA / MAX_PAGES, with one founder for each seed.

    A latency cost from the settings stays; without a budget, time costs nothing.
    """
    if fees.latency or not budget:
        return fees
    return replace(fees, latency=founders * theta / budget)


def _near(lead: Lead) -> str:
    return lead.features if isinstance(lead.features, str) else ""
