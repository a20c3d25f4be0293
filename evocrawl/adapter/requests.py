"""Requests of the user's own spider as links of the population."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping
from functools import cached_property
from itertools import count
from typing import TYPE_CHECKING

from scrapy import Request

from evocrawl.adapter.download_slots import named_slot
from evocrawl.adapter.dupe_filter import ProjectFilter
from evocrawl.adapter.meta import SEED, VISIT
from evocrawl.core.fetch import KNOWN, NOWHERE
from evocrawl.core.model import Fingerprint, Lead, Link, VisitId
from evocrawl.core.sanitize import has_credentials, without_credentials
from evocrawl.core.urls.identity import fingerprint
from evocrawl.core.urls.request_keys import repeat_key, repeat_of_visit_key, start_key

if TYPE_CHECKING:
    from scrapy.crawler import Crawler

    from evocrawl.core.fetch import Claims, Fetch


class RequestIdentities:
    """Gives requests their identities, and says which ones the project's dupe filter drops.

    `is_claimed` returns whether the page base has claimed an identity.
    """

    def __init__(self, crawler: Crawler, is_claimed: Callable[[Fingerprint], bool]) -> None:
        self._crawler = crawler
        self._is_claimed = is_claimed
        self._repeats = count(1)
        self._scope = 0
        self._starts: Counter[Fingerprint] = Counter()
        self._waiting: dict[Fingerprint, Request] = {}
        self._admitted: dict[Fingerprint, set[str]] = {}
        self._is_shared = False
        self._unconfirmed: dict[Fingerprint, Request] = {}
        self.first_visits: Mapping[Fingerprint, VisitId] = {}
        """The first visit of each link that is followed again since its callback had not ended."""
        self.keeps_slots = True
        """False where hosts are given out to several workers: then all goes by host."""

    @cached_property
    def dupefilter(self) -> ProjectFilter:
        """The project's dupe filter, made when first asked for: settings are complete then."""
        return ProjectFilter(self._crawler, self._is_claimed)

    def begin(self, runs: int, *, is_shared: bool = False) -> None:
        """Give none of the identities that requests were given in `runs` earlier runs.

        Of a crawl that `is_shared` each run counts its visits anew.
        """
        self._repeats = count((runs << 32) + 1)
        self._scope = runs if is_shared else 0
        self._is_shared = is_shared

    def admits(self, request: Request, *, is_redirected: bool = False) -> bool:
        """Return whether `request` is to be sent; if not, the dupe filter has logged it."""
        if request.dont_filter or SEED in request.meta:
            return True
        if not self.dupefilter.is_seen(request, is_redirected=is_redirected):
            return True
        self.dupefilter.log(request)
        return False

    def identity(
        self,
        request: Request,
        target: Fingerprint,
        *,
        is_start: bool = False,
        fetch: Fetch | None = None,
    ) -> Fingerprint:
        """Return the identity of `request`, whose URL has the fingerprint `target`.

        Requests have one identity where the dupe filter drops all but one of them. Any other
        request has an identity of its own. That is the same in each run if `start()` yields it, and
        in each run that makes the visit of `fetch`, or repeats it, if its callback does.
        """
        if request.meta.pop(SEED, False):
            return target
        key = None if request.dont_filter else self.dupefilter.key_of(request)
        if key is not None:
            self._waiting.setdefault(key, request)
            if self._is_shared and not is_start:
                self._unconfirmed[key] = request
            return key
        if fetch is not None:
            number = fetch.repeats[target]
            fetch.repeats[target] += 1
            visit = self.first_visits.get(fetch.visit.lead.fingerprint, fetch.visit.id)
            return repeat_of_visit_key(target, self._scope, visit, number)
        if not is_start:
            return repeat_key(target, next(self._repeats))
        alike = start_key(request.url, request.method, request.body)
        number = self._starts[alike]
        self._starts[alike] += 1
        return start_key(request.url, request.method, request.body, number)

    def known(self, request: Request, words: Mapping[Fingerprint, Link]) -> Link | None:
        """Return the link of a request that the dupe filter drops: the page leads there, too.

        While the first request of its kind waits, the link carries that one. None where the
        population knows no such link.
        """
        key = self.dupefilter.key_of(request)
        if key is None or not self.dupefilter.was_taken(key):
            return None
        first = self._waiting.get(key)
        if first is None and not self._is_claimed(key):
            return None
        return self.link(first or request, fingerprint(request.url), key, words)

    def follow(self, fetch: Fetch, request: Request, claims: Claims) -> bool:
        """Go on with `fetch` by `request`, a redirect or what a middleware sends instead.

        False where the dupe filter drops it, as Scrapy has it, or, for a link that was read off a
        page, where the page is known; the visit has failed then.
        """
        if not is_explicit(fetch):
            return fetch.moves_to(request.url, claims)
        try:
            target = fingerprint(request.url)
        except ValueError:
            fetch.stops_at(request.url, NOWHERE)
            return False
        if not self._may_redirect(fetch.visit.lead, request):
            fetch.stops_at(request.url, KNOWN)
            return False
        key = None if request.dont_filter else self.dupefilter.key_of(request)
        if key is None:
            fetch.goes_to(request.url, repeat_key(target, next(self._repeats)))
        else:
            fetch.goes_to(request.url, key, claims)
        return True

    def _may_redirect(self, lead: Lead, request: Request) -> bool:
        """Ask the dupe filter; one of the project's own only once, though `lead` be tried again."""
        admitted = self._admitted.get(lead.fingerprint, ())
        if request.url not in admitted and not self.admits(request, is_redirected=True):
            return False
        if self.dupefilter.asks_project:
            self._admitted.setdefault(lead.fingerprint, set()).add(request.url)
        return True

    def left_to_owner(self, fetch: Fetch, request: Request) -> Link | None:
        """Return the link that `request`, a redirect of `fetch`, is to the worker with its host.

        None where the dupe filter drops it.
        """
        copy = _without_visit(request)
        if is_explicit(fetch):
            return request_link(self, copy) if self.admits(copy) else None
        payload = copy if isinstance(fetch.visit.lead.payload, Request) else None
        return Link(request.url, fingerprint(request.url), payload=payload)

    def link(
        self,
        request: Request,
        target: Fingerprint,
        identity: Fingerprint,
        words: Mapping[Fingerprint, Link] | None,
    ) -> Link:
        """Return the link to `target`, with the request as its payload and the slot it names."""
        seen = words.get(target) if words else None
        return Link(
            request.url,
            identity,
            anchor=(seen.anchor if seen else "")
            or str(request.meta.get("link_text") or "").strip(),
            context=seen.context if seen else "",
            position=seen.position if seen else 0,
            payload=request,
            slot=named_slot(request) if self.keeps_slots else "",
        )

    def claimed_target(self, fetch: Fetch, request: Request) -> Link | None:
        """Return the link that `request`, a redirect of `fetch`, is where its target is claimed.

        None where it is not: the dupe filter drops it then for another reason.
        """
        if not is_address(request):
            return None
        copy = _without_visit(request)
        target: Fingerprint | None = fingerprint(request.url)
        if is_explicit(fetch):
            target = None if request.dont_filter else self.dupefilter.key_of(copy)
        if target is None or not self._is_claimed(target):
            return None
        payload = copy if isinstance(fetch.visit.lead.payload, Request) else None
        return Link(request.url, target, payload=payload)

    def offered(self, targets: Iterable[Fingerprint], known: Collection[Fingerprint]) -> None:
        """Log the requests among `targets` that are `known`: another worker was the first.

        Each worker has start requests of its own: those that all have in common are no duplicates.
        """
        for target in targets:
            request = self._unconfirmed.pop(target, None)
            if request is not None and target in known:
                self.dupefilter.log(request)

    def settled(self, target: Fingerprint) -> None:
        """The link was followed, and is not open again."""
        self._waiting.pop(target, None)
        self._admitted.pop(target, None)

    def recall(self, links: Iterable[Link]) -> None:
        """Take note of links that were found in an earlier run, or by another worker."""
        for link in links:
            payload = link.payload
            if isinstance(payload, Request) and self.dupefilter.recall(link.fingerprint, payload):
                self._waiting[link.fingerprint] = payload


def is_explicit(fetch: Fetch) -> bool:
    """Return whether the user's spider asked for it; False for a link that was read off a page."""
    return fetch.visit.lead.fingerprint != fingerprint(fetch.origin)


def _without_visit(request: Request) -> Request:
    copy = request.copy()
    copy.meta.pop(VISIT, None)
    return copy


def is_address(request: Request) -> bool:
    """Return whether `request` has an http(s) URL that can be a link."""
    try:
        fingerprint(request.url)
    except ValueError:
        return False
    return True


def without_page_credentials(request: Request) -> Request:
    """Return `request` without the user name and password in its URL.

    They come from a page, not from the user, and Twisted takes them for a part of the host.
    """
    if not has_credentials(request.url):
        return request
    return request.replace(url=without_credentials(request.url))


def request_link(
    names: RequestIdentities,
    request: Request,
    words: Mapping[Fingerprint, Link] | None = None,
    *,
    is_start: bool = False,
    fetch: Fetch | None = None,
) -> Link | None:
    """Return the link that `request` stands for, with the request as its payload.

    The URL of `request` has no credentials: see `without_page_credentials`.

    `words` are the anchors read from the page by target, which lend the link anchor and context.
    `is_start`: `start()` has yielded the request; `fetch`: the callback of that visit has.
    None for a request that is no http(s) one. Whether the dupe filter admits it is another
    question: see `RequestIdentities.admits`.
    """
    try:
        target = fingerprint(request.url)
    except ValueError:
        return None
    identity = names.identity(request, target, is_start=is_start, fetch=fetch)
    return names.link(request, target, identity, words)
