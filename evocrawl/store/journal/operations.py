"""What crosses the boundary between a population and the world around it, as plain data.

A population is deterministic: the same operations in the same order make the same population.
So a crawl's state is kept as the list of these, and had again by doing them again.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TypeAlias

from evocrawl.core.fetch import FetchDetails
from evocrawl.core.model import Fingerprint, Link, Outcome, VisitId


@dataclass(frozen=True, slots=True)
class RunStarted:
    """A run of the crawl begins, the first or one that goes on.

    `limit` is the budget of HTTP requests (None: no limit), `max_unsettled` the most visits under
    way at once, `host_limit` what holds for hosts until a `Limited` says otherwise: visits at
    once and seconds between them.
    """

    limit: int | None
    max_unsettled: int
    host_limit: tuple[int, float]


@dataclass(frozen=True, slots=True)
class Placed:
    """Seeds were placed, those known before included."""

    links: tuple[Link, ...]


@dataclass(frozen=True, slots=True)
class Linked:
    """The callback of a page that is settled has yielded further links of it."""

    page: Fingerprint
    links: tuple[Link, ...]


@dataclass(frozen=True, slots=True)
class Chosen:
    """The population was asked for a visit at `now_s`.

    `doors` are the gate's answers, in order. `visit` and `target` are None when nothing was
    chosen.
    """

    now_s: float
    doors: tuple[str | None, ...] = ()
    visit: VisitId | None = None
    target: Fingerprint | None = None


@dataclass(frozen=True, slots=True)
class Limited:
    """What a host allows has changed: visits at once, seconds between the starts of two."""

    host: str
    concurrency: int
    delay_s: float


@dataclass(frozen=True, slots=True)
class HostHeld:
    """A host is in trouble, or wants to be left alone: nothing starts there before `until_s`."""

    host: str
    until_s: float


@dataclass(frozen=True, slots=True)
class HostLocated:
    """A host is at `address`, where at most `most` visits may be under way at once."""

    host: str
    address: str
    most: int


@dataclass(frozen=True, slots=True)
class OriginOpened:
    """The door opened."""

    door: str


@dataclass(frozen=True, slots=True)
class OriginClosed:
    """The door stays shut for a while."""

    door: str


@dataclass(frozen=True, slots=True)
class Spent:
    """A request went out, for a visit or (None) for something else."""

    visit: VisitId | None


@dataclass(frozen=True, slots=True)
class Claimed:
    """A redirect took the visit on to `target`."""

    visit: VisitId
    target: Fingerprint


@dataclass(frozen=True, slots=True)
class Released:
    """`target` may be gone to again: the visit that was on its way there begins anew."""

    target: Fingerprint


@dataclass(frozen=True, slots=True)
class VisitSettled:
    """A visit was settled. `particulars` go into the page's record and are not read back."""

    visit: VisitId
    outcome: Outcome
    particulars: FetchDetails | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class GivenBack:
    """The link of a visit that came to nothing is open again.

    The budget had cut it short, and there is more now; or a host was in trouble, or had no room.
    A redirect had taken the visit to `url`, where it goes on; "" where none had.
    """

    visit: VisitId
    url: str = ""


@dataclass(frozen=True, slots=True)
class WentOn:
    """A redirect took the visit to another host at `now_s`."""

    visit: VisitId
    host: str
    now_s: float


Op: TypeAlias = (
    RunStarted
    | Placed
    | Linked
    | Chosen
    | Limited
    | HostHeld
    | HostLocated
    | OriginOpened
    | OriginClosed
    | Spent
    | Claimed
    | Released
    | VisitSettled
    | GivenBack
    | WentOn
)
