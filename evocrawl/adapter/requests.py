"""Turns the requests of the user's own spider into links of the population."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping
from functools import cached_property
from itertools import count
from typing import TYPE_CHECKING

from scrapy import Request

from evocrawl.adapter.download_slots import named_slot
from evocrawl.adapter.dupe_filter import ProjectFilter
from evocrawl.adapter.meta import PLAIN, SEED
from evocrawl.core.model import Fingerprint, Link, VisitId
from evocrawl.core.urls.request_keys import repeat_key, repeat_of_visit_key, start_key

if TYPE_CHECKING:
    from scrapy.crawler import Crawler

    from evocrawl.core.fetch import Fetch
    from evocrawl.core.urls.address import Address
    from evocrawl.politeness.backoff import HostBackoff
    from evocrawl.store.journal.journaled_population import JournaledPopulation


class RequestIdentities:
    """Gives requests their identities, and decides which ones the project's dupe filter drops.

    `is_claimed` returns whether the page base has claimed an identity. If a crawl `leases_hosts` to
    its workers, each link belongs to its host, not to the download slot that its request names.
    """

    def __init__(
        self,
        crawler: Crawler,
        is_claimed: Callable[[Fingerprint], bool],
        *,
        leases_hosts: bool = False,
    ) -> None:
        self._crawler = crawler
        self._keeps_slots = not leases_hosts
        self.is_claimed = is_claimed
        self._repeats = count(1)
        self._scope = 0
        self._starts: Counter[Fingerprint] = Counter()
        self._waiting: dict[Fingerprint, Request] = {}
        self._is_shared = False
        self._unconfirmed: dict[Fingerprint, Request] = {}
        self.first_visits: Mapping[Fingerprint, VisitId] = {}
        """The first visit of each link that is visited again because its callback had not ended."""

    @cached_property
    def dupefilter(self) -> ProjectFilter:
        """The project's dupe filter, made on first use, when the settings are complete."""
        return ProjectFilter(self._crawler)

    def begin(self, runs: int, *, is_shared: bool = False) -> None:
        """Use no identity that a request has got in one of `runs` earlier runs.

        If the crawl `is_shared`, each run numbers its visits from the start.
        """
        self._repeats = count((runs << 32) + 1)
        self._scope = runs if is_shared else 0
        self._is_shared = is_shared

    def admits(self, request: Request, address: Address, *, is_redirected: bool = False) -> bool:
        """Return whether `request` may be sent; if not, the dupe filter has logged it.

        A request that `is_redirected` is claimed by its visit, in the page base: the claim ends if
        the visit has to be made again.
        """
        if request.dont_filter or SEED in request.meta:
            return True
        key = self.dupefilter.key_of(request, address)
        if key is None:
            is_seen = self.dupefilter.is_refused(request)
        else:
            is_seen = self.dupefilter.was_seen(key) or self.is_claimed(key)
        if is_seen:
            self.dupefilter.log(request)
        elif key is not None and not is_redirected:
            self.dupefilter.note_seen(key)
        return not is_seen

    def link_of(
        self,
        request: Request,
        address: Address,
        words: Mapping[Fingerprint, Link] | None = None,
        *,
        is_start: bool = False,
        fetch: Fetch | None = None,
    ) -> Link | None:
        """Return the link that `request` stands for, None if its URL is not http or https.

        `words` are the links read from the page by target, which lend the link anchor and context.
        `is_start`: `start()` has yielded the request; `fetch`: the callback of that visit has.
        Whether the dupe filter admits the request is another question: see `admits`.
        """
        if address.fingerprint is None:
            return None
        identity = self._identity(
            request, address, address.fingerprint, is_start=is_start, fetch=fetch
        )
        return self._link(request, address, identity, words)

    def known(
        self, request: Request, address: Address, words: Mapping[Fingerprint, Link]
    ) -> Link | None:
        """Return the link of a request that the dupe filter drops: the page leads there, too.

        While the first request of its kind waits, the link carries that one. None where the
        population knows no such link.
        """
        key = self.dupefilter.key_of(request, address)
        if key is None or not self.dupefilter.was_seen(key):
            return None
        first = self._waiting.get(key)
        if first is None and not self.is_claimed(key):
            return None
        return self._link(first or request, address, key, words)

    def key_of_repeat(self, target: Fingerprint) -> Fingerprint:
        """Return an identity of its own for an unfiltered request for `target`."""
        return repeat_key(target, next(self._repeats))

    def offered(self, targets: Iterable[Fingerprint], known: Collection[Fingerprint]) -> None:
        """Log the requests among `targets` that are `known` because another worker was first.

        All workers have the same start requests: these do not count as duplicates.
        """
        for target in targets:
            request = self._unconfirmed.pop(target, None)
            if request is not None and target in known:
                self.dupefilter.log(request)

    def settled(self, target: Fingerprint) -> None:
        """Forget the request of a link that was followed and is not open again."""
        self._waiting.pop(target, None)

    def recall(self, links: Iterable[Link]) -> None:
        """Note links that were found in an earlier run or by another worker."""
        for link in links:
            payload = link.payload
            if isinstance(payload, Request) and self.dupefilter.recall(link.fingerprint, payload):
                self._waiting[link.fingerprint] = payload

    @property
    def needs_all(self) -> bool:
        """True if the project's dupe filter has to get each request of earlier runs."""
        return self.dupefilter.asks_project

    def recall_targets(self, targets: Iterable[Fingerprint]) -> None:
        """Note the targets of links of an earlier run whose requests are not needed any more."""
        for target in targets:
            self.dupefilter.note_seen(target)

    def _identity(
        self,
        request: Request,
        address: Address,
        target: Fingerprint,
        *,
        is_start: bool,
        fetch: Fetch | None,
    ) -> Fingerprint:
        """Return the identity of `request`, whose URL has the fingerprint `target`.

        Requests share an identity if the dupe filter drops all but one of them. Any other request
        has its own identity. If `start()` yields it, the identity is the same in each run. If the
        callback of `fetch` yields it, it is the same in each run that makes or repeats that visit.
        """
        if request.meta.pop(SEED, False):
            return target
        key = None if request.dont_filter else self.dupefilter.key_of(request, address)
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
            return self.key_of_repeat(target)
        alike = start_key(request.url, request.method, request.body)
        number = self._starts[alike]
        self._starts[alike] += 1
        return start_key(request.url, request.method, request.body, number)

    def _link(
        self,
        request: Request,
        address: Address,
        identity: Fingerprint,
        words: Mapping[Fingerprint, Link] | None,
    ) -> Link:
        """Return the link to `address`, with the request as its payload and the slot it names."""
        seen = words.get(address.fingerprint or b"") if words else None
        return Link(
            request.url,
            identity,
            anchor=(seen.anchor if seen else "")
            or str(request.meta.get("link_text") or "").strip(),
            context=seen.context if seen else "",
            position=seen.position if seen else 0,
            payload=request,
            slot=named_slot(request) if self._keeps_slots else "",
            host=address.host,
        )


class RequestIntake:
    """Takes requests from the engine: as links, or by `send_directly` if they are no links."""

    def __init__(
        self,
        names: RequestIdentities,
        journaled: JournaledPopulation,
        backoff: HostBackoff,
        now_s: Callable[[], float],
        send_directly: Callable[[Request], None],
    ) -> None:
        self._names = names
        self._journaled = journaled
        self._backoff = backoff
        self._now_s = now_s
        self._send_directly = send_directly

    def take(self, request: Request, address: Address, *, is_start: bool) -> bool:
        """Take a request that continues no visit; return False if it is not wanted."""
        if not self._names.admits(request, address):
            return False
        self._reopen(named_slot(request) or address.host)
        is_plain = request.meta.get(PLAIN) is False
        link = None if is_plain else self._names.link_of(request, address, is_start=is_start)
        if link is not None:
            return self._journaled.place([link]) > 0
        self._send_directly(request)
        return True

    def _reopen(self, host: str) -> None:
        """Allow one more request to `host`, since the spider asks for it, even if given up."""
        now_s = self._now_s()
        until_s = self._backoff.reopen(host, now_s)
        if until_s > now_s:
            self._journaled.hold(host, until_s)


def cleaned(request: Request, address: Address) -> Request:
    """Return `request` without the user name and password in its URL.

    They come from a page and not from the user, and Twisted reads them as a part of the host.
    """
    return request if request.url == address.url else request.replace(url=address.url)
