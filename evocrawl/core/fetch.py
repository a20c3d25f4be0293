"""What became of each visit's request on its way through Scrapy."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

from evocrawl.core.model import (
    AgentId,
    Cost,
    Dead,
    Dropped,
    Fetched,
    Fingerprint,
    Lead,
    Link,
    Outcome,
    Page,
    Refused,
    Visit,
)
from evocrawl.core.urls.identity import fingerprint

if TYPE_CHECKING:
    from evocrawl.core.items import PageItem


KNOWN = "redirects to a page that is known"
NOWHERE = "redirects to no http(s) URL"
OVER_BUDGET = "over budget"
ADDRESS = "address"
GIVEN_UP = "its host was given up"
LATER = "to be tried again"

_UNSENT = (ADDRESS, GIVEN_UP)
"""Failures that are the link's though no request was sent."""


def has_page(status: int) -> bool:
    """Return whether an answer of that HTTP status is a page (RFC 9110 §15.3).

    >>> has_page(200), has_page(204), has_page(302)
    (True, False, False)
    """
    return 200 <= status < 300 and status not in (204, 205)


class Claims(Protocol):
    """The addresses that somebody has followed a link to, or is following one."""

    def is_claimed(self, target: Fingerprint) -> bool:
        """Return True when `target` is taken."""

    def claim(self, target: Fingerprint) -> None:
        """Take `target`."""


@dataclass(slots=True)
class Fetch:
    """Notes on one visit, made by whoever sees its request or response, in whatever order.

    `url` is where the request goes now, after redirects, and `address` its identity: that of the
    link as long as nothing redirects, which for a form or a repeated request is not that of its
    URL. `hops` are the redirects met, from where to where. `failure` says why there is no page,
    should there be none. `answer` is what came last, where answers are kept. `is_read`: the spider
    has read the page itself. `last_bytes` came over the wire with the last answer, `body_bytes`
    with all of them. `claimed` are the addresses that redirects took it to and that were free,
    `tries` the second tries of its link so far. `is_put_off`: it failed, and its link is open
    again. `is_answered`: the spider has the answer or failure, and requests that carry the visit's
    number are copies. `repeats` counts, by URL, the requests of its callback that no dupe filter
    asks about. `seen` is the page as it was read, whatever pipelines do to its item; `known_at_s`
    is when the spider's output was complete, None before. `host` is where it has its place
    in the population's account, `origin` where its link led at first.
    """

    visit: Visit
    url: str
    address: Fingerprint
    links: tuple[Link, ...] = ()
    page: Page | None = None
    is_read: bool = False
    refused: bool = False
    failure: str = ""
    sent_at_s: float | None = None
    seconds: float = 0.0
    headers_s: float = 0.0
    body_bytes: int = 0
    last_bytes: int = 0
    requests: int = 0
    goes_anywhere: bool = False
    answer: RawResponse | None = None
    hops: list[tuple[str, str]] = field(default_factory=list)
    claimed: list[Fingerprint] = field(default_factory=list)
    tries: int = 0
    is_put_off: bool = False
    is_answered: bool = False
    repeats: Counter[Fingerprint] = field(default_factory=Counter)
    seen: PageItem | None = None
    known_at_s: float | None = None
    host: str = ""
    origin: str = ""

    def identity_of(self, url: str) -> Fingerprint:
        """Return the identity of the page that answered at `url`, redirected or not."""
        target = fingerprint(url)
        return self.address if target == fingerprint(self.url) else target

    def moves_to(self, url: str, claims: Claims) -> bool:
        """Go on to `url`, where a redirect leads, and claim it.

        False, and the visit has failed, where that is known already, unless the visitor
        `goes_anywhere`, or no address at all.
        """
        try:
            target = self.identity_of(url)
        except ValueError:
            self.stops_at(url, NOWHERE)
            return False
        if target != self.address:
            is_known = target != self.visit.lead.fingerprint and claims.is_claimed(target)
            if is_known and not self.goes_anywhere:
                self.stops_at(url, KNOWN)
                return False
            self.goes_to(url, target, claims)
        self.failure = ""
        return True

    def goes_to(self, url: str, target: Fingerprint, claims: Claims | None = None) -> None:
        """Go on to `url`, which has the identity `target`, and take it from `claims` if given."""
        self.hops.append((self.url, url))
        if claims is not None and not claims.is_claimed(target):
            claims.claim(target)
            self.claimed.append(target)
        self.url, self.address, self.failure = url, target, ""

    def stops_at(self, url: str, failure: str) -> None:
        """The visit ends before `url`, where a redirect led."""
        self.hops.append((self.url, url))
        self.failure = failure

    def follow(self, earlier: Fetch) -> None:
        """Begin where `earlier`, a visit of the same link that was put off, has come to."""
        self.url, self.address, self.origin = earlier.url, earlier.address, earlier.origin
        self.hops, self.claimed = earlier.hops, earlier.claimed

    @property
    def cost(self) -> Cost:
        """What the visit took so far."""
        return Cost(self.seconds, self.headers_s, self.body_bytes, self.requests)

    def sent(self, now_s: float) -> None:
        """A request goes out."""
        self.requests += 1
        self.sent_at_s = now_s

    def returned(self, now_s: float, headers_s: float = 0.0, body_bytes: int = 0) -> None:
        """The request that went out last is over."""
        if self.sent_at_s is not None:
            self.seconds += max(now_s - self.sent_at_s, 0.0)
            self.sent_at_s = None
        self.headers_s += headers_s
        self.body_bytes += body_bytes
        self.last_bytes = body_bytes

    def outcome(self, otherwise: str) -> Outcome:
        """Return how the visit ended; `otherwise` names what took a request that left no trace."""
        if self.is_put_off:
            return Dropped(self.failure)
        if self.page is not None:
            return Fetched(self.page, self.cost)
        if self.refused:
            return Refused(self.cost)
        if self.failure and (self.requests or self.failure in _UNSENT):
            return Dead(self.failure, self.cost)
        return Dropped(self.failure or otherwise)


@dataclass(frozen=True, slots=True)
class RawResponse:
    """The HTTP answer, for archives: header lines and body as they were on the wire."""

    status_line: str
    headers: tuple[tuple[str, str], ...]
    body: bytes


@dataclass(frozen=True, slots=True)
class FetchDetails:
    """Who fetched the page by which link, and how.

    `status` is the HTTP status, `fetched_at`, `published_at` and `changed_at` are ISO 8601 in UTC
    ("" where unknown), `parent` is the address of the page on which the link was found ("" for a
    seed), `duplicate_of` that of the page that says the same ("" for none), `truncated` names the
    caps that cut it short.
    """

    agent: AgentId
    lead: Lead
    status: int = 200
    fetched_at: str = ""
    parent: str = ""
    answer: RawResponse | None = None
    duplicate_of: str = ""
    truncated: tuple[str, ...] = ()
    published_at: str = ""
    changed_at: str = ""
