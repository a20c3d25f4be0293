"""Follows redirects of visits, and decides whether a visit continues at the target."""

from __future__ import annotations

from typing import TYPE_CHECKING

from scrapy import Request

from evocrawl.adapter.meta import VISIT
from evocrawl.core.fetch import KNOWN, NOWHERE
from evocrawl.core.model import Fingerprint, Lead, Link, Outcome
from evocrawl.core.urls.address import Address
from evocrawl.core.urls.identity import fingerprint

if TYPE_CHECKING:
    from evocrawl.adapter.requests import RequestIdentities
    from evocrawl.core.fetch import Claims, Fetch


class Redirects:
    """Follows redirects, and requests that a middleware sends in place of a visit's request.

    The visit of a link that was read off a page continues unless the target is a known page. The
    visit of a request of the user's spider continues unless the project's dupe filter drops the new
    request.
    """

    def __init__(self, names: RequestIdentities) -> None:
        self._names = names
        self._admitted: dict[Fingerprint, set[str]] = {}

    def follow(self, fetch: Fetch, request: Request, claims: Claims) -> bool:
        """Continue `fetch` with `request`; if it may not, note the failure and return False."""
        if not _is_explicit(fetch):
            return fetch.moves_to(request.url, claims)
        address = Address.of(request.url)
        if address.fingerprint is None:
            fetch.stops_at(request.url, NOWHERE)
            return False
        if not self._may_redirect(fetch.visit.lead, request, address):
            fetch.stops_at(request.url, KNOWN)
            return False
        key = None if request.dont_filter else self._names.dupefilter.key_of(request, address)
        if key is None:
            fetch.goes_to(request.url, self._names.key_of_repeat(address.fingerprint))
        else:
            fetch.goes_to(request.url, key, claims)
        return True

    def left_to_owner(self, fetch: Fetch, request: Request) -> Link | None:
        """Return the link of `request`, a redirect of `fetch`, for the worker that leases its host.

        None if the dupe filter drops it.
        """
        copy, address = _without_visit(request), Address.of(request.url)
        if _is_explicit(fetch):
            names = self._names
            return names.link_of(copy, address) if names.admits(copy, address) else None
        payload = copy if isinstance(fetch.visit.lead.payload, Request) else None
        return Link(request.url, fingerprint(request.url), payload=payload)

    def claimed_target(self, fetch: Fetch, request: Request) -> Link | None:
        """Return the link of `request`, a redirect of `fetch`, if its target is claimed.

        None otherwise: then the dupe filter drops it for another reason.
        """
        copy, address = _without_visit(request), Address.of(request.url)
        target = address.fingerprint
        if target is not None and _is_explicit(fetch):
            target = None if request.dont_filter else self._names.dupefilter.key_of(copy, address)
        if target is None or not self._names.is_claimed(target):
            return None
        payload = copy if isinstance(fetch.visit.lead.payload, Request) else None
        return Link(request.url, target, payload=payload)

    def settled(self, fetch: Fetch, _: Outcome) -> None:
        """Forget the redirects of a link that was followed and is not open again."""
        if not fetch.is_put_off:
            self._admitted.pop(fetch.visit.lead.fingerprint, None)

    def _may_redirect(self, lead: Lead, request: Request, address: Address) -> bool:
        """Ask the dupe filter; a project's own filter is asked only once for each `lead`."""
        admitted = self._admitted.get(lead.fingerprint, ())
        if request.url not in admitted and not self._names.admits(
            request, address, is_redirected=True
        ):
            return False
        if self._names.dupefilter.asks_project:
            self._admitted.setdefault(lead.fingerprint, set()).add(request.url)
        return True


def _is_explicit(fetch: Fetch) -> bool:
    """Return whether the user's spider has yielded it; False for a link read off a page."""
    return fetch.visit.lead.fingerprint != fingerprint(fetch.origin)


def _without_visit(request: Request) -> Request:
    copy = request.copy()
    copy.meta.pop(VISIT, None)
    return copy
