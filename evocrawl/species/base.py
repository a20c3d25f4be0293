"""A species: four small parts that say how its agents see, choose, learn and breed.

==========  ======================================================================================
part        decides
==========  ======================================================================================
sight       which open links an agent can reach, and where it goes when there are none
choice      what a link is worth when it is found, and which of the links in sight is followed
learning    what an agent keeps from a settled visit
breeding    when an agent clones, when it dies, how energy and mind pass to the children
==========  ======================================================================================

Each part is replaceable by anything with the same methods. The energy and relevance models are
the environment's and passed to the parts that need them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol, runtime_checkable

from numpy.random import Generator

from evocrawl.core.fees import Fees
from evocrawl.core.model import AgentId, Fingerprint, Lead, Link, Outcome, Page, Visit

ANY_HOST = ""
"""In `View.busy`: the agent waits for whichever host frees next."""


@dataclass(slots=True)
class Agent:
    """One individual. `page` is where it sits, `mind` what its species learns and inherits."""

    id: AgentId
    energy: float
    page: Fingerprint
    rng: Generator
    species: Species
    parent: AgentId | None = None
    mind: object = None
    in_flight: int = 0
    visits: int = 0


@dataclass(frozen=True, slots=True)
class View:
    """What an agent sees: links it may follow now, and the hosts it would have to wait for."""

    leads: Sequence[Lead]
    busy: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Move:
    """A move to a page of the page base, without a fetch."""

    page: Fingerprint
    why: Literal["energy", "dead end", "rescue", "back"]


class Ranks(Protocol):
    """The relevances of the pages seen, in order."""

    def __len__(self) -> int: ...

    def at_share(self, share: float) -> float:
        """Return the relevance that a `share` of the pages does not exceed, 0 < share ≤ 1."""


class PageBase(Protocol):
    """What a species needs of the page base."""

    @property
    def ranks(self) -> Ranks:
        """The relevances of the pages in the base."""

    def draw_energetic(self, rng: Generator) -> Fingerprint | None:
        """Return a page on which energy lies."""

    def relevance_of(self, page: Fingerprint) -> float:
        """Return the relevance of a page."""

    def is_claimed(self, target: Fingerprint) -> bool:
        """Return True when `target` is taken."""


class Sight(Protocol):
    """Which links an agent sees."""

    def found(self, leads: Sequence[Lead]) -> None:
        """Links of a page fetched for the first time, or seeds, are open from now."""

    def wander(self, agent: Agent, *, may_eat: bool) -> Move | None:
        """Return a move to make instead of following a link this time; None to follow a link."""

    def look(self, agent: Agent, is_free: Callable[[str], bool]) -> View:
        """Return the links in sight; neither leads nor busy hosts: a dead end."""

    def escape(self, agent: Agent, *, may_eat: bool) -> Move | None:
        """Return the way out of a dead end; None when there is none at present."""

    def freed(self, host: str) -> None:
        """A host that was busy may be free again."""


class Choice(Protocol):
    """What links are worth."""

    def score(self, link: Link, page: Page | None) -> float:
        """Return the worth of a link found on `page` (None: a seed), finite."""

    def draw(self, agent: Agent, leads: Sequence[Lead]) -> Lead:
        """Return one of the `leads`, of which there is at least one."""


@runtime_checkable
class Appraisal(Choice, Protocol):
    """A choice that looks further back than the page, or that wants to learn from a link later.

    Where a choice has `appraise` it is asked in place of `score`, save for seeds.
    """

    def appraise(self, link: Link, page: Page, via: Lead) -> tuple[float, object]:
        """Return the worth of a link, finite, and the `features` that its lead shall carry.

        `via` is the lead that was followed to `page`, with the features given to it. Features
        are small and plain (None, numbers, strings, tuples of them): every waiting link has some.
        """


class Learning(Protocol):
    """What an agent keeps."""

    def learn(self, agent: Agent, visit: Visit, outcome: Outcome) -> None:
        """Take in a settled visit of `agent`."""


@runtime_checkable
class Overhearing(Protocol):
    """A learning that takes in what other populations of the same crawl have found, too."""

    def overhear(self, page: Page, via: Lead) -> None:
        """Take in a page; `via` tells its address and depth."""

    def overhear_dead(self, target: Fingerprint) -> None:
        """Take in that a link to `target` led to no page."""


class MindRows(Protocol):
    """How minds become finite numbers and texts, and minds again, for agents that travel."""

    def pack(self, mind: object) -> tuple[Any, ...]:
        """Return the mind; nothing for a mind that an agent has not made up yet."""

    def unpack(self, row: tuple[Any, ...]) -> object:
        """Return the mind, None for nothing; raises ValueError or TypeError for what is none."""


class Breeding(Protocol):
    """Life and death."""

    @property
    def founder_energy(self) -> float:
        """The energy a founder begins with, above 0."""

    def clones(self, agent: Agent) -> int:
        """Return how many clones the agent's energy makes, ≥ 0."""

    def is_doomed(self, agent: Agent) -> bool:
        """Return True when the agent has to die."""

    def inherit(self, parent: Agent, child: Agent) -> None:
        """Give the parent's mind to the child, changed as the species changes it."""


class HandsOn(Protocol):
    """What an agent hands on to whoever sent it, at the fee `Fees.hand_on`."""

    def __call__(self, agent: Agent, page: Page, *, pays: bool) -> bool:
        """Return whether `agent` hands on the page it has fetched.

        `pays`: its content, as the rewards have it, was not found by anybody before.
        """


def relevant_pages(agent: Agent, page: Page, *, pays: bool) -> bool:  # noqa: ARG001 - protocol
    """Hand on each page of relevance above 0."""
    return page.relevance > 0


class NoLearning:
    """The agent keeps nothing."""

    def learn(self, agent: Agent, visit: Visit, outcome: Outcome) -> None:
        """Do nothing."""


@dataclass(frozen=True, slots=True)
class Species:
    """Four parts under a name.

    With `single_flight` an agent waits for its visit to settle before it chooses again.
    `founders` fixes the number of agents at the start where the species needs it: ``"seeds"`` is
    one for each seed. A species that `revisits` is shown every link of a page, and each time the
    page is fetched, where others are shown those that nobody has followed. With `slice_s` above
    0 one agent works at a time, for that many seconds. `fees` is what the species makes of the
    configured fees, the number of founders so far and the budget (None: no limit). Agents of an
    `unbuffered` species eat all they find whatever room the population has, and live on without
    energy where it may not shrink: the bounds hold back births and deaths alone. Where agents
    travel from one population to another, their minds go with them by `minds`, if there is one.
    """

    name: str
    sight: Sight
    choice: Choice
    breeding: Breeding
    learning: Learning = field(default_factory=NoLearning)
    single_flight: bool = True
    founders: int | Literal["seeds"] | None = None
    revisits: bool = False
    slice_s: float = 0.0
    fees: Callable[[Fees, int, int | None], Fees] | None = None
    hands_on: HandsOn = relevant_pages
    unbuffered: bool = False
    minds: MindRows | None = None
