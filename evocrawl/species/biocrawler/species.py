"""The BioCrawler of Batzios, Dimou, Symeonidis & Mitkas 2008, and the dumb crawler beside it.

A crawler sees a few domains (`evocrawl.species.biocrawler.vision`). The strongest rule that
matches these domains selects one of them; if no rule matches, one is drawn at random. Then one of
the links to that domain is drawn at random. The gain is added to the strength of the rule, or makes
a new rule. Every `EXCHANGE_EVERY` visits a crawler proposes its best rules to the rule manager and
gets the best rules of all crawlers.

The paper gives the constants of `evocrawl.species.biocrawler.rules`, the initial energy and the
interval of exchanges. It is silent on these:

===========  ====================================================================================
choice       here
===========  ====================================================================================
condition    the paper's IF contains "the links the crawler currently sees". If this is taken
             literally, a rule matches only at its own page, and crawlers gain hardly more than dumb
             ones. Like a classifier with wild cards, a rule keeps `condition` of the domains that
             were in sight when it was made: with 1 (the default) only its target
tax          each use of a rule costs it `TAX`. The tax sets how often rich sites are revisited: at
             14, the gain from food minus the cost of the move, crawlers circle between two pages
             for ever; at 15, a site that always feeds is left after 14 visits. By the paper's own
             rule, a pass over all sites may take twice the time that a dumb crawler needs; the mean
             of the crawlers keeps this rule, but not every crawler does
vision       8 domains
gain         the change of the crawler's energy in the visit, also a loss
birth        a new rule has the least strength plus the gain
life         crawlers neither clone nor die, since the paper mentions neither; in mixed populations
             the common rules apply, and a clone gets the knowledge of its parent
===========  ====================================================================================

The dumb crawler has the same sight and no rules: each domain in sight is as likely as any other.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from evocrawl.core.model import Dropped, Fingerprint, Lead, Link, Outcome, Page, Visit
from evocrawl.species.agent import Agent
from evocrawl.species.base import Species
from evocrawl.species.biocrawler.rules import LEAST_STRENGTH, Rule, RuleManager, Rules
from evocrawl.species.biocrawler.vision import Domains, Trail, Vision
from evocrawl.species.reasons import Reason, Term, Trait

INITIAL_ENERGY = 50.0
EXCHANGE_EVERY = 50
"""Both from table 3."""

VISION = 8
TAX = 15.0
CONDITION = 1

TAKEN = 200
"""Greatest number of rules that a crawler takes with it to another population."""
_STRONGEST = 1e6


@dataclass(slots=True)
class Mind:
    """The knowledge of a crawler.

    `followed` (None: a random draw), `condition` (for a rule that the visit may make) and `energy`
    belong to the visit under way. `visits` counts those in other populations, `settled` all.
    """

    trail: Trail = field(default_factory=Trail)
    rules: Rules = field(default_factory=Rules)
    followed: Rule | None = None
    condition: tuple[str, ...] = ()
    energy: float = 0.0
    visits: int = 0
    settled: int = 0


class MindsOfRules:
    """A mind as numbers and strings: its visits so far, then each rule, the strongest first.

    A rule is its strength, its target, the number of domains in its condition, and these domains.
    If there are more than `TAKEN` rules, the weakest are left out; the trail is left out, too. The
    rule that led the crawler to another population gets its tax back, since its visit is not made.
    """

    def pack(self, mind: object) -> tuple[Any, ...]:
        """Return the row of a mind, () for an agent without a mind. O(n log n) for n rules."""
        if not isinstance(mind, Mind):
            return ()
        rules = [(_strength(rule, mind.followed), rule) for rule in mind.rules]
        rules.sort(key=lambda each: -each[0])
        row: list[Any] = [mind.settled]
        for strength, rule in rules[:TAKEN]:
            row += [strength, rule.target, len(rule.condition), *rule.condition]
        return tuple(row)

    def unpack(self, row: tuple[Any, ...]) -> Mind | None:
        """Return the mind, None for (). Raises ValueError or TypeError for an invalid row."""
        if not row:
            return None
        mind = Mind(visits=int(row[0]), settled=int(row[0]))
        at = 1
        while at < len(row):
            strength, target, size = row[at : at + 3]
            at += 3 + int(size)
            condition = row[at - int(size) : at]
            is_rule = len(condition) == size > 0 and target in condition
            is_rule = is_rule and all(isinstance(each, str) for each in condition)
            if not is_rule or not 0 <= strength <= _STRONGEST:
                raise ValueError("not a valid rule")
            mind.rules.learn(condition, target, float(strength))
        if mind.visits < 0 or len(mind.rules) > TAKEN:
            raise ValueError("not a valid mind")
        return mind


def _strength(rule: Rule, followed: Rule | None) -> float:
    return rule.strength + TAX if rule is followed else rule.strength


def mind_of(agent: Agent) -> Mind:
    """Return the crawler's mind; create an empty one for a founder."""
    if not isinstance(agent.mind, Mind):
        agent.mind = Mind()
    return agent.mind


class AnyDomain:
    """Draws a domain in sight at random, then one of its links."""

    def score(self, link: Link, page: Page | None) -> float:  # noqa: ARG002 - protocol
        """Return 0: all links are equal."""
        return 0.0

    def draw(self, agent: Agent, leads: Sequence[Lead]) -> Lead:
        """Return a link. O(leads), plus the time of `domain`."""
        domains: Domains = {}
        for lead in leads:
            domains.setdefault(lead.host, []).append(lead)
        links = domains[self.domain(agent, domains)]
        return links[int(agent.rng.integers(len(links)))]

    def explain(self, lead: Lead, leads: Sequence[Lead], agent: Agent | None) -> Reason:  # noqa: ARG002
        """Return that chance chose the domain and the link."""
        rule = "A domain in sight is drawn at random, then one of the links to it."
        hosts = {each.host for each in leads}
        alike = sum(each.host == lead.host for each in leads)
        return Reason(rule, 0.0, drawn=1 / (len(hosts) * alike) if alike else None)

    def domain(self, agent: Agent, domains: Domains) -> str:
        """Return one of the domains, each with the same probability."""
        return [*domains][int(agent.rng.integers(len(domains)))]


class ByRules(AnyDomain):
    """Follows the domain of the strongest rule that matches, or a random one if no rule does."""

    def __init__(self, condition: int) -> None:
        self._condition = condition

    def explain(self, lead: Lead, leads: Sequence[Lead], agent: Agent | None) -> Reason:
        """Return the rule that the crawler followed to the domain, or that chance chose it."""
        mind = agent.mind if agent is not None else None
        rule = mind.followed if isinstance(mind, Mind) else None
        if rule is None or rule.target != lead.host:
            return super().explain(lead, leads, agent)
        condition = ", ".join(rule.condition)
        text = f"A rule of the crawler: if it sees {condition}, it follows a link to {rule.target}."
        alike = sum(each.host == lead.host for each in leads)
        terms = (Term("strength of the rule, after its tax", rule.strength, 1.0),)
        return Reason(text, rule.strength, drawn=1 / alike if alike else None, terms=terms)

    def describe(self, agent: Agent) -> list[Trait]:
        """Return the strengths of the crawler's rules, the strongest first. O(n log n)."""
        if not isinstance(agent.mind, Mind):
            return []
        rules = sorted(agent.mind.rules, key=lambda each: -each.strength)
        return [
            Trait(f"if it sees {', '.join(each.condition)}: to {each.target}", each.strength)
            for each in rules
        ]

    def domain(self, agent: Agent, domains: Domains) -> str:
        """Return a domain and note how it was chosen; a rule that is used pays its tax."""
        mind = mind_of(agent)
        mind.energy = agent.energy
        mind.followed = mind.rules.strongest(domains)
        if mind.followed is not None:
            mind.followed.strength -= TAX
            return mind.followed.target
        target = super().domain(agent, domains)
        others = [each for each in domains if each != target]
        if self._condition - 1 < len(others):
            kept = agent.rng.permutation(len(others))[: self._condition - 1]
            others = [others[each] for each in kept]
        mind.condition = tuple(sorted((target, *others)))
        return target


@dataclass(frozen=True, slots=True)
class DeadLinkLearning:
    """Learns only which links are dead."""

    vision: Vision

    def learn(self, agent: Agent, visit: Visit, outcome: Outcome) -> None:  # noqa: ARG002
        """Forget a link that led to no page."""
        self.vision.landed(visit, outcome)


@dataclass(frozen=True, slots=True)
class RuleLearning:
    """Adds the gain of a visit to the rule that was followed, or makes a new rule of it."""

    vision: Vision
    manager: RuleManager
    exchange_every: int

    def learn(self, agent: Agent, visit: Visit, outcome: Outcome) -> None:
        """Learn from a settled visit; exchange rules after every `exchange_every` visits."""
        self.vision.landed(visit, outcome)
        if isinstance(outcome, Dropped):
            return
        mind = mind_of(agent)
        mind.settled = mind.visits + agent.visits
        gained = agent.energy - mind.energy
        if mind.followed is not None:
            mind.followed.strength += gained
            if mind.followed.strength < LEAST_STRENGTH:
                mind.rules.forget(mind.followed)
        elif gained > 0:
            mind.rules.learn(mind.condition, visit.lead.host, LEAST_STRENGTH + gained)
        if self.exchange_every and mind.settled % self.exchange_every == 0:
            self._exchange(mind)

    def _exchange(self, mind: Mind) -> None:
        self.manager.propose(mind.rules.best())
        for rule in self.manager.rules:
            mind.rules.learn(rule.condition, rule.target, rule.strength)


class Ageless:
    """Lets no crawler clone or die."""

    founder_energy = INITIAL_ENERGY

    def clones(self, agent: Agent) -> int:  # noqa: ARG002 - protocol
        """Return 0."""
        return 0

    def is_doomed(self, agent: Agent) -> bool:  # noqa: ARG002 - protocol
        """Return False."""
        return False

    def inherit(self, parent: Agent, child: Agent) -> None:
        """Copy the trail and the rules of the parent."""
        mind = mind_of(parent)
        child.mind = Mind(Trail([*mind.trail.pages]), mind.rules.copy())


def biocrawler(
    is_claimed: Callable[[Fingerprint], bool],
    *,
    vision: int = VISION,
    condition: int = CONDITION,
    exchange_every: int = EXCHANGE_EVERY,
) -> Species:
    """Make the species: `vision` ≥ 1 domains in sight, of which a rule keeps `condition` ≥ 1.

    With `exchange_every` 0 crawlers keep their rules to themselves.
    """
    sight = _sight(vision, is_claimed)
    learning = RuleLearning(sight, RuleManager(), exchange_every)
    return Species(
        "biocrawler", sight, ByRules(condition), Ageless(), learning, revisits=True,
        minds=MindsOfRules(),
    )  # fmt: skip


def biocrawler_dumb(is_claimed: Callable[[Fingerprint], bool], *, vision: int = VISION) -> Species:
    """Make the species of the dumb crawler: the same sight, no rules."""
    sight = _sight(vision, is_claimed)
    return Species(
        "biocrawler_dumb", sight, AnyDomain(), Ageless(), DeadLinkLearning(sight), revisits=True
    )


def _sight(size: int, is_claimed: Callable[[Fingerprint], bool]) -> Vision:
    return Vision(size, lambda agent: mind_of(agent).trail, is_claimed)
