"""A species: four small parts that define how its agents see, choose, learn and breed.

==========  ======================================================================================
part        decides
==========  ======================================================================================
sight       which open links an agent can reach, and where it goes when there are none
choice      what a link is worth when it is found, and which of the links in sight is followed
learning    what an agent keeps from a settled visit
breeding    when an agent clones, when it dies, how energy and mind pass to the children
==========  ======================================================================================

Each part can be replaced by any object with the same methods. The energy and relevance models
belong to the environment; the parts that need them get them as arguments.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol, runtime_checkable

from numpy.random import Generator

from evocrawl.core.fees import Fees
from evocrawl.core.model import Fingerprint, Lead, Link, Outcome, Page, Visit
from evocrawl.species.agent import Agent

ANY_HOST = ""
"""In `View.busy`: the agent waits for the next host that becomes free."""


@dataclass(frozen=True, slots=True)
class View:
    """What an agent sees: links that it may follow now, and busy hosts of other links."""

    leads: Sequence[Lead]
    busy: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Move:
    """A move to a page of the page base, without a fetch."""

    page: Fingerprint
    why: Literal["energy", "dead end", "rescue", "back"]


class Ranks(Protocol):
    """The sorted relevances of the pages seen."""

    def __len__(self) -> int: ...

    def at_share(self, share: float) -> float:
        """Return the relevance that a `share` of the pages does not exceed, 0 < share ≤ 1."""


class PageBase(Protocol):
    """The methods of the page base that a species uses."""

    releases: int
    """The number of claims that have ended without a visit."""

    @property
    def ranks(self) -> Ranks:
        """The relevances of the pages in the base."""

    def draw_energetic(self, rng: Generator) -> Fingerprint | None:
        """Return a random page with energy."""

    def relevance_of(self, page: Fingerprint) -> float:
        """Return the relevance of a page."""

    def is_claimed(self, target: Fingerprint) -> bool:
        """Return True if a link to `target` has been chosen before."""

    def are_claimed(self, targets: Sequence[Fingerprint]) -> list[bool]:
        """Return the same for each target."""


class Sight(Protocol):
    """Decides which links an agent sees."""

    def found(self, leads: Sequence[Lead]) -> None:
        """Add open links: those of a page that was fetched for the first time, or seeds."""

    def wander(self, agent: Agent, *, may_eat: bool) -> Move | None:
        """Return a move to make instead of following a link now; None to follow a link."""

    def look(self, agent: Agent, is_free: Callable[[str], bool]) -> View:
        """Return the links in sight; a view without leads and busy hosts is a dead end."""

    def escape(self, agent: Agent, *, may_eat: bool) -> Move | None:
        """Return the way out of a dead end, None if there is none now."""

    def freed(self, host: str) -> None:
        """Note that a busy host may be free again."""


@runtime_checkable
class Chances(Sight, Protocol):
    """A sight that knows the chances of links to lead to good pages."""

    def best_chance(self, is_free: Callable[[str], bool]) -> float:
        """Return the chance in [0, 1] of the best link of a host that is free, now or soon.

        0.0 without one.
        """

    @property
    def has_learnt(self) -> bool:
        """True once the crawl has followed a link, in this population or by what others sent."""


class Choice(Protocol):
    """Decides what links are worth, and which one is followed."""

    def score(self, link: Link, page: Page | None) -> float:
        """Return the worth of a link found on `page` (None: a seed), finite."""

    def draw(self, agent: Agent, leads: Sequence[Lead]) -> Lead:
        """Return one of at least one `leads`."""


@runtime_checkable
class Appraisal(Choice, Protocol):
    """A choice that uses the lead to the page as well, or stores features for learning later.

    If a choice has `appraise`, it replaces `score`, except for seeds.
    """

    def appraise(self, link: Link, page: Page, via: Lead) -> tuple[float, object]:
        """Return the worth of a link, finite, and the `features` to store on its lead.

        `via` is the lead that was followed to `page`, with its features. Features are small and
        plain (None, numbers, strings, tuples of them), since every waiting link has them.
        """


class Learning(Protocol):
    """Decides what an agent learns."""

    def learn(self, agent: Agent, visit: Visit, outcome: Outcome) -> None:
        """Learn from a settled visit of `agent`."""


@runtime_checkable
class ForeignPages(Protocol):
    """A learning part that knows which pages other populations of the crawl have fetched.

    Other populations get a page with a few of its links, and with a digest of its text that this
    part makes in place of the text.
    """

    def digest(self, page: Page) -> bytes:
        """Return what the same species needs elsewhere of the text of a page, at most 1 kB."""

    def read_digest(self, packed: bytes) -> Any:
        """Return what another population has packed. Raises ValueError: any bytes may come."""

    def note_foreign_pages(self, pages: Sequence[Page], digests: Sequence[Any]) -> None:
        """Note pages of other populations, or further links of them, with their digests if any.

        The population shows these pages next, in this order. A page counts as the source of its
        links. It is no example to learn from: see `Mergeable`.
        """


class Mergeable(Protocol):
    """What a population has learnt, in parts that add up over the populations of a crawl.

    A part holds what its population has learnt by its own visits, from the beginning until now. Its
    size does not grow with the number of pages.
    """

    def pack(self) -> bytes:
        """Return the part of this population."""

    def unpack(self, packed: bytes) -> Any:
        """Return another population's part. Raises ValueError: any bytes may come."""

    def merge(self, parts: Sequence[Any]) -> None:
        """Use the sum of `parts`, one for each other population, in place of the last sum."""


@runtime_checkable
class Sharing(Protocol):
    """A learning part whose knowledge adds up over populations."""

    def share(self) -> Mergeable:
        """Return the knowledge of this population; call it once, before the first visit."""


class MindRows(Protocol):
    """Converts minds to rows of finite numbers and strings, and back, for agents that travel."""

    def pack(self, mind: object) -> tuple[Any, ...]:
        """Return the row of a mind, () for an agent without a mind yet."""

    def unpack(self, row: tuple[Any, ...]) -> object:
        """Return the mind, None for (). Raises ValueError or TypeError for an invalid row."""


class Breeding(Protocol):
    """Decides when an agent clones and dies, and what a child inherits."""

    @property
    def founder_energy(self) -> float:
        """The initial energy of a founder, above 0."""

    def clones(self, agent: Agent) -> int:
        """Return how many clones the agent's energy makes, ≥ 0."""

    def is_doomed(self, agent: Agent) -> bool:
        """Return True if the agent has to die."""

    def inherit(self, parent: Agent, child: Agent) -> None:
        """Give the child the parent's mind, with the changes that the species makes."""


class HandsOn(Protocol):
    """Decides which pages an agent hands on to the reinforcing agent, at the fee `Fees.hand_on`."""

    def __call__(self, agent: Agent, page: Page, *, pays: bool) -> bool:
        """Return whether `agent` hands on the page that it has fetched.

        `pays` is True if energy was laid on the page: no agent has found its content before.
        """


def relevant_pages(agent: Agent, page: Page, *, pays: bool) -> bool:  # noqa: ARG001 - protocol
    """Hand on each page of relevance above 0."""
    return page.relevance > 0


class NoLearning:
    """Learns nothing."""

    def learn(self, agent: Agent, visit: Visit, outcome: Outcome) -> None:
        """Do nothing."""


@dataclass(frozen=True, slots=True)
class Species:
    """Four parts under a name.

    ==================  ==========================================================================
    field               meaning
    ==================  ==========================================================================
    `single_flight`     an agent waits until its visit is settled before it chooses again
    `founders`          number of agents at the start, if the species needs a certain one;
                        ``"seeds"`` is one for each seed
    `revisits`          the species sees every link of a page each time the page is fetched; other
                        species see only links that no agent has followed
    `slice_s`           if > 0, one agent works at a time, for that many seconds
    `fees`              computes the fees from the configured fees, the number of founders so far
                        and the budget (None: no limit)
    `unbuffered`        agents eat all the energy of a page even if the population is full, and
                        survive without energy if it may not shrink: the bounds only limit births
                        and deaths
    `minds`             converts the minds of agents that travel to another population
    ==================  ==========================================================================
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
