"""The reasons of a species to follow a link: the terms of its choice, for explanations.

Explanations read and never change an agent, a queue or a random stream: a replay that asks for
them makes the same crawl.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

from evocrawl.core.model import Fingerprint, Lead
from evocrawl.species.agent import Agent
from evocrawl.species.base import Choice


@dataclass(frozen=True, slots=True)
class Term:
    """One term of a score: a feature's `value` times its `weight`; `average` is a usual value.

    `average` is None if the species knows no usual value.
    """

    name: str
    value: float
    weight: float
    average: float | None = None

    @property
    def contribution(self) -> float:
        """What the term adds to the score."""
        return self.value * self.weight


@dataclass(frozen=True, slots=True)
class Reason:
    """Why an agent follows a link.

    `rule` is a sentence, `score` the worth of the link for the agent. `chance` is the predicted
    chance that the page is good, in [0, 1], and None if the species predicts none. `drawn` is the
    probability with which the agent drew the link among those in sight, None without a draw.
    """

    rule: str
    score: float
    chance: float | None = None
    drawn: float | None = None
    terms: tuple[Term, ...] = ()


@dataclass(frozen=True, slots=True)
class Trait:
    """One part of what an agent has inherited or learnt; `average` is that of its species."""

    name: str
    value: float
    average: float | None = None


@runtime_checkable
class Describing(Protocol):
    """A choice that can describe the mind of an agent."""

    def describe(self, agent: Agent) -> Sequence[Trait]:
        """Return the traits of an agent, the most important ones first; none without a mind."""


def traits_of(agent: Agent, choice: Choice) -> Sequence[Trait]:
    """Return the traits of an agent, whose species has this choice; none without minds."""
    return choice.describe(agent) if isinstance(choice, Describing) else ()


@dataclass(frozen=True, slots=True)
class Standing:
    """The place of a link among those that wait: `rank` from 1 of `waiting`, by `score`."""

    rank: int
    waiting: int
    score: float
    among: str = "all waiting links"


@runtime_checkable
class Explaining(Protocol):
    """A choice that gives its reasons."""

    def explain(self, lead: Lead, leads: Sequence[Lead], agent: Agent | None) -> Reason:
        """Return why `agent` follows `lead` of the `leads` in sight.

        Without an agent (None), return how the species rates a waiting link. O(leads).
        """


@runtime_checkable
class Ranking(Protocol):
    """A sight that knows the place of a waiting link."""

    def standing(self, lead: Lead) -> Standing | None:
        """Return the place of a waiting link, None if it does not wait here. O(waiting links)."""


class Scores(Protocol):
    """The methods of a queue that `rank_of` uses."""

    def standing(self, target: Fingerprint) -> tuple[int, int, float] | None:
        """Return rank, number and priority of a waiting link."""


def as_standing(queue: Scores, lead: Lead) -> Standing | None:
    """Return the place of a link in a queue."""
    found = queue.standing(lead.fingerprint)
    return None if found is None else Standing(*found)


def rank_among(score: float, scores: Sequence[float]) -> int:
    """Return the rank of `score`, from 1: one more than the number of greater ones."""
    return 1 + sum(other > score for other in scores)


def sigmoid(log_odds: float) -> float:
    """Return the chance of given log-odds, in [0, 1].

    >>> sigmoid(0.0), sigmoid(1000.0), sigmoid(-1000.0)
    (0.5, 1.0, 0.0)
    """
    if log_odds < -700:
        return 0.0
    return 1 / (1 + math.exp(-log_odds))
