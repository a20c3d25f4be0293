"""The operations on a population, as plain data.

A population is deterministic: the same operations in the same order make the same population.
The journal therefore stores a crawl as the list of its operations, and replay rebuilds it.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TypeAlias

from evocrawl.core.fetch import FetchDetails
from evocrawl.core.model import Fingerprint, Link, Outcome, VisitId


@dataclass(frozen=True, slots=True)
class RunStarted:
    """A run of the crawl began: the first, or a later one that continues it.

    `limit` is the budget of HTTP requests (None: no limit), `max_unsettled` the most visits under
    way at once. `host_limit` applies to each host without a `Limited`: the most concurrent visits
    and the seconds between them.
    """

    limit: int | None
    max_unsettled: int
    host_limit: tuple[int, float]


@dataclass(frozen=True, slots=True)
class Placed:
    """Seeds were placed; some may have been known before."""

    links: tuple[Link, ...]


@dataclass(frozen=True, slots=True)
class Linked:
    """The callback of a settled page yielded further links of the page."""

    page: Fingerprint
    links: tuple[Link, ...]


@dataclass(frozen=True, slots=True)
class Chosen:
    """The population was asked for a visit at `now_s`.

    `doors` are the answers of the gate, in order. `visit` and `target` are None when the
    population chose no visit.
    """

    now_s: float
    doors: tuple[str | None, ...] = ()
    visit: VisitId | None = None
    target: Fingerprint | None = None


@dataclass(frozen=True, slots=True)
class Limited:
    """The limit of a host changed: most concurrent visits, seconds between the starts of two."""

    host: str
    concurrency: int
    delay_s: float


@dataclass(frozen=True, slots=True)
class HostHeld:
    """A host was held after failures or on its request: no visit starts before `until_s`."""

    host: str
    until_s: float


@dataclass(frozen=True, slots=True)
class HostLocated:
    """The address of a host became known; it allows `most` concurrent visits."""

    host: str
    address: str
    most: int


@dataclass(frozen=True, slots=True)
class OriginOpened:
    """An origin opened."""

    door: str


@dataclass(frozen=True, slots=True)
class OriginClosed:
    """An origin stays closed for a while."""

    door: str


@dataclass(frozen=True, slots=True)
class Spent:
    """The crawl sent a request, for a visit or (None) for another purpose."""

    visit: VisitId | None


@dataclass(frozen=True, slots=True)
class Claimed:
    """A redirect led the visit to `target`."""

    visit: VisitId
    target: Fingerprint


@dataclass(frozen=True, slots=True)
class Released:
    """The claim on `target` ended: the visit that was redirected there starts again."""

    target: Fingerprint


@dataclass(frozen=True, slots=True)
class VisitSettled:
    """A visit was settled. `particulars` go into the page's record; replay does not read them."""

    visit: VisitId
    outcome: Outcome
    particulars: FetchDetails | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class GivenBack:
    """The link of a visit without a result was reopened.

    The visit had ended for lack of budget, or its host had failed or had no free slot. If a
    redirect had led the visit to `url`, the next visit starts there; "" without a redirect.
    """

    visit: VisitId
    url: str = ""


@dataclass(frozen=True, slots=True)
class WentOn:
    """A redirect led the visit to another host at `now_s`."""

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
