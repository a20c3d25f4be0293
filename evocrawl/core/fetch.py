"""State of a visit's fetch: its requests, redirects, response, page and failure."""

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
OF_BROWSER = ("X-Evocrawl-Browser", "1")
"""Header of a `RawResponse` whose body is a page as a browser shows it."""

_UNSENT = (ADDRESS, GIVEN_UP)
"""Failures that count as dead links although no request was sent."""


def has_page(status: int) -> bool:
    """Return whether a response with that HTTP status is a page (RFC 9110 §15.3).

    >>> has_page(200), has_page(204), has_page(302)
    (True, False, False)
    """
    return 200 <= status < 300 and status not in (204, 205)


class Claims(Protocol):
    """The addresses to which a link was followed or is being followed."""

    def is_claimed(self, target: Fingerprint) -> bool:
        """Return True if `target` is claimed."""

    def claim(self, target: Fingerprint) -> None:
        """Claim `target`."""


@dataclass(slots=True)
class Fetch:
    """State of one visit's fetch; components that see its request or response update it.

    ==================  =======================================================================
    field               meaning
    ==================  =======================================================================
    url                 current URL of the request, after redirects
    address             identity of `url`; before redirects the identity of the link, which for a
                        form or a repeated request differs from that of its URL
    hops                redirects, as pairs (from, to)
    refused             robots.txt disallows the page, or cannot be fetched: `failure` is the cause
    failure             reason why there is no page
    answer              last response, if responses are kept
    is_read             the spider has read the page itself
    last_bytes          bytes of the last response on the wire; `body_bytes` of all responses
    claimed             addresses that redirects led to and that were not claimed before
    tries               retries of the link so far
    is_put_off          the visit failed, and its link is open again
    is_answered         the spider has the response or failure; further requests with the visit's
                        number are copies
    repeats             by URL, the requests of its callback that bypass the dupe filter
    seen                the page as it was read, before pipelines change its item
    known_at_s          time at which the spider's output was complete, None before
    host                host at which the population counts the visit
    origin              URL of the link before redirects
    ==================  =======================================================================
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
    browser_requests: int = 0
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
        """Continue at `url`, the target of a redirect, and claim it.

        Return False, and record the failure, if `url` is invalid, or if it is claimed already and
        the visitor does not go to claimed addresses (`goes_anywhere`).
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
        """Continue at `url`, whose identity is `target`; claim it in `claims` if given."""
        self.hops.append((self.url, url))
        if claims is not None and not claims.is_claimed(target):
            claims.claim(target)
            self.claimed.append(target)
        self.url, self.address, self.failure = url, target, ""

    def stops_at(self, url: str, failure: str) -> None:
        """End the visit with `failure` at a redirect to `url`, which is not requested."""
        self.hops.append((self.url, url))
        self.failure = failure

    @property
    def cost(self) -> Cost:
        """Cost of the visit so far."""
        return Cost(
            self.seconds, self.headers_s, self.body_bytes, self.requests, self.browser_requests
        )

    def sent(self, now_s: float) -> None:
        """Count a request that is sent now."""
        self.requests += 1
        self.sent_at_s = now_s

    def returned(self, now_s: float, headers_s: float = 0.0, body_bytes: int = 0) -> None:
        """Add time and bytes of the last request, which has ended."""
        if self.sent_at_s is not None:
            self.seconds += max(now_s - self.sent_at_s, 0.0)
            self.sent_at_s = None
        self.headers_s += headers_s
        self.body_bytes += body_bytes
        self.last_bytes = body_bytes

    def outcome(self, otherwise: str) -> Outcome:
        """Return the outcome; `otherwise` is the reason if the request left no trace."""
        if self.is_put_off:
            return Dropped(self.failure)
        if self.page is not None:
            return Fetched(self.page, self.cost)
        if self.refused:
            return Refused(self.cost, self.failure)
        if self.failure and (self.requests or self.failure in _UNSENT):
            return Dead(self.failure, self.cost)
        return Dropped(self.failure or otherwise)


@dataclass(frozen=True, slots=True)
class RawResponse:
    """An HTTP response for archives: header lines and body as received.

    For a page that was opened in a browser the body is the page as the browser shows it, in UTF-8.
    """

    status_line: str
    headers: tuple[tuple[str, str], ...]
    body: bytes

    @property
    def is_of_browser(self) -> bool:
        """Whether the body is the page as a browser shows it."""
        return OF_BROWSER in self.headers


@dataclass(frozen=True, slots=True)
class FetchDetails:
    """How a page was fetched: by which agent, through which link.

    `status` is the HTTP status, `fetched_at`, `published_at` and `changed_at` are ISO 8601 in UTC
    ("" where unknown), `parent` is the address of the page with the link ("" for a seed),
    `duplicate_of` that of the page with the same content ("" for none), `truncated` names the
    limits that cut the page.
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
