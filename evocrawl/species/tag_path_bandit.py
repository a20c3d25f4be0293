"""A sleeping bandit over tag paths: learns in which part of pages the good links are.

After SB-CLASSIFIER (Gauquier, Manolescu & Senellart 2026, arXiv 2602.11874). Links with similar
tag paths are one arm; an arm sleeps while it has no open link. *Awake upper estimated reward*
(Kleinberg, Niculescu-Mizil & Sharma 2010, Regret bounds for sleeping experts and bandits) plays the
awake arm a of the highest ::

    mean reward(a) + α · √(ln t / n(a))         n(a): visits by a, t: visits in all

and unplayed arms first. A link is drawn from the arm, each with the same probability.

Differences: the original looks for files of certain types; its reward is the number of new links to
such files on the page reached, as a URL classifier estimates it. Here the reward is the relevance
of the page reached, in [0, 1]; a dead link gives 0. The bounds of Kleinberg et al. are proven for
α = √8; in a crawl of some thousand pages, whose relevances differ by 0.1, this would explore nearly
evenly, so α is 0.3. In a world without tag paths all links are one arm, and the crawl is random.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from evocrawl.core.model import Fetched, Fingerprint, Lead, Link, Outcome, Page, Visit
from evocrawl.species.agent import Agent
from evocrawl.species.base import ANY_HOST, Move, Species, View
from evocrawl.species.parts import Best, lone
from evocrawl.species.random_queue import RandomQueue
from evocrawl.species.reasons import Reason, Term
from evocrawl.species.tag_paths import TagPathGroups


@dataclass(slots=True)
class Arm:
    """The open links of a group of tag paths, and the rewards of the links followed."""

    links: RandomQueue
    plays: int = 0
    rewards: float = 0.0


@dataclass(slots=True)
class Bandit:
    """The arms by number; `alpha` ≥ 0 is the weight of exploration."""

    is_claimed: Callable[[Fingerprint], bool]
    alpha: float
    arms: dict[int, Arm] = field(default_factory=dict)
    plays: int = 0

    def arm(self, number: int) -> Arm:
        """Return an arm; create it if it is new."""
        if number not in self.arms:
            self.arms[number] = Arm(RandomQueue(self.is_claimed))
        return self.arms[number]

    def reward(self, number: int, reward: float) -> None:
        """Add the `reward` of a visit, in [0, 1], to its arm."""
        arm = self.arm(number)
        arm.plays += 1
        arm.rewards += reward
        self.plays += 1

    def ranking(self) -> list[Arm]:
        """Return the arms, the best first; equal arms in the order they were found. O(k log k)."""
        return sorted(self.arms.values(), key=self._promise, reverse=True)

    def _promise(self, arm: Arm) -> float:
        if not arm.plays:
            return math.inf
        curiosity = self.alpha * math.sqrt(math.log(self.plays) / arm.plays)
        return arm.rewards / arm.plays + curiosity


@dataclass(frozen=True, slots=True)
class ByArm(Best):
    """Scores every link 0; its lead carries the number of its arm."""

    groups: TagPathGroups
    bandit: Bandit

    def explain(self, lead: Lead, leads: Sequence[Lead], agent: Agent | None) -> Reason:  # noqa: ARG002
        """Return what the arm of the link has brought, and its bonus for curiosity."""
        arm = self.bandit.arm(_arm(lead))
        rule = (
            "The link is drawn at random from the links of one arm, a group of similar tag paths; "
            "the arm of the highest mean reward and curiosity comes first."
        )
        if not arm.plays:
            return Reason(f"{rule} This arm was new.", 0.0)
        mean = arm.rewards / arm.plays
        curiosity = math.sqrt(math.log(max(self.bandit.plays, 1)) / arm.plays)
        terms = (
            Term("mean reward of the arm", mean, 1.0),
            Term("curiosity", curiosity, self.bandit.alpha),
        )
        return Reason(rule, mean + self.bandit.alpha * curiosity, mean, terms=terms)

    def score(self, link: Link, page: Page | None) -> float:  # noqa: ARG002 - protocol
        """Return 0."""
        return 0.0

    def appraise(self, link: Link, page: Page, via: Lead) -> tuple[float, int]:  # noqa: ARG002
        """Return 0 and the number of the link's arm."""
        return 0.0, self.groups.group(link.tag_path)


@dataclass(frozen=True, slots=True)
class BestArm:
    """Shows an agent a link of the most promising arm that is awake."""

    bandit: Bandit

    def found(self, leads: Sequence[Lead]) -> None:
        """Sort the links into their arms. O(log hosts) a link."""
        for lead in leads:
            self.bandit.arm(_arm(lead)).links.push(lead)

    def wander(self, agent: Agent, *, may_eat: bool) -> Move | None:  # noqa: ARG002 - protocol
        """Never wander."""
        return None

    def look(self, agent: Agent, is_free: Callable[[str], bool]) -> View:
        """See one link. O(k log k) in the number of arms, of which there are at most 129."""
        for arm in self.bandit.ranking():
            lead = arm.links.draw(agent.rng, is_free)
            if lead is not None:
                return View((lead,))
        waits = any(arm.links.has_parked for arm in self.bandit.arms.values())
        return View((), frozenset((ANY_HOST,)) if waits else frozenset())

    def escape(self, agent: Agent, *, may_eat: bool) -> Move | None:  # noqa: ARG002 - protocol
        """Return None: every open link is in sight."""
        return None

    def freed(self, host: str) -> None:
        """Count the host's links again."""
        for arm in self.bandit.arms.values():
            arm.links.free(host)


@dataclass(frozen=True, slots=True)
class Reward:
    """Rewards an arm with the relevance of the page reached."""

    bandit: Bandit

    def learn(self, agent: Agent, visit: Visit, outcome: Outcome) -> None:  # noqa: ARG002
        """Reward the arm of the link that was followed. O(1)."""
        reward = outcome.page.relevance if isinstance(outcome, Fetched) else 0.0
        self.bandit.reward(_arm(visit.lead), reward)


def tag_path_bandit(
    is_claimed: Callable[[Fingerprint], bool], *, alpha: float = 0.3, threshold: float = 0.75
) -> Species:
    """Make the species; `alpha` ≥ 0, the cosine `threshold` of a group lies in [0, 1]."""
    bandit = Bandit(is_claimed, alpha)
    choice = ByArm(TagPathGroups(threshold), bandit)
    return lone("tag_path_bandit", BestArm(bandit), choice, Reward(bandit))


def _arm(lead: Lead) -> int:
    """Return the number of a lead's arm; all seeds share another arm."""
    return lead.features if isinstance(lead.features, int) else -1
