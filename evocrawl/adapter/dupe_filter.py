"""The project's dupe filter, with answers that also hold after a resume."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from scrapy.dupefilters import BaseDupeFilter, RFPDupeFilter
from scrapy.utils.deprecate import method_is_overridden
from scrapy.utils.misc import build_from_crawler, load_object
from scrapy.utils.request import RequestFingerprinter

from evocrawl.adapter.scrapy_internals import forget_seen
from evocrawl.core.containers.keymap import KeySet
from evocrawl.core.urls.request_keys import page_request_key, request_key

if TYPE_CHECKING:
    from scrapy import Request
    from scrapy.crawler import Crawler

    from evocrawl.core.model import Fingerprint
    from evocrawl.core.urls.address import Address


class ProjectFilter:
    """Finds the requests that the class in DUPEFILTER_CLASS filters out.

    - `RFPDupeFilter`, or a subclass with the same `request_seen`, filters by fingerprints. These
      are kept here as keys: after a stop the store of the crawl has them, and several workers share
      them as identities of links. - `BaseDupeFilter`, or a subclass with the same `request_seen`,
      filters nothing. - Every other class decides itself. After a resume it also gets each request
      that the store has kept, so that it knows them.
    """

    def __init__(self, crawler: Crawler) -> None:
        kind = load_object(crawler.settings["DUPEFILTER_CLASS"])
        self.filter = build_from_crawler(kind, crawler)
        self._crawler = crawler
        self._seen = KeySet()
        self._memo: tuple[Request | None, Fingerprint] = None, b""
        by_fingerprint = isinstance(self.filter, RFPDupeFilter)
        parent = RFPDupeFilter if by_fingerprint else BaseDupeFilter
        is_own = not issubclass(kind, parent) or method_is_overridden(kind, parent, "request_seen")
        self.asks_project = is_own
        """True if the class has its own `request_seen`."""
        self._by_fingerprint = by_fingerprint and not is_own
        self._fingerprint = _fingerprinter_of(self.filter) if by_fingerprint else None
        if by_fingerprint:
            _forget_file(self.filter)

    def key_of(self, request: Request, address: Address) -> Fingerprint | None:
        """Return the key that a request shares with its duplicates; None if it has none."""
        if not self._by_fingerprint:
            return None
        if self._memo[0] is not request:
            self._memo = request, self._key_of(request, address)
        return self._memo[1]

    def is_refused(self, request: Request) -> bool:
        """Return whether a class with its own `request_seen` filters `request` out."""
        return self.asks_project and bool(self.filter.request_seen(request))

    def note_seen(self, key: Fingerprint) -> None:
        """Filter out the requests of this key from now on."""
        self._seen.add(key)

    def was_seen(self, key: Fingerprint) -> bool:
        """Return whether a request of this key was sent or has become a link."""
        return key in self._seen

    def recall(self, key: Fingerprint, request: Request) -> bool:
        """Note a request that has become a link in an earlier run or in another worker.

        Return whether it is the first of its key.
        """
        if self._by_fingerprint:
            is_first = key not in self._seen
            self._seen.add(key)
            return is_first
        if self.asks_project and not request.dont_filter:
            self.filter.request_seen(request)
        return False

    def log(self, request: Request) -> None:
        """Log that `request` is filtered out, as the class does."""
        self.filter.log(request, self._crawler.spider)

    def _key_of(self, request: Request, address: Address) -> Fingerprint:
        if self._fingerprint is not None:
            return request_key(self._fingerprint(request))
        if request.method == "GET" and not request.body:
            return page_request_key(address.canonical)
        return request_key(self._crawler.request_fingerprinter.fingerprint(request))


def _fingerprinter_of(dupefilter: RFPDupeFilter) -> Callable[[Request], bytes] | None:
    """Return the project's request fingerprinter; None if it is Scrapy's default."""
    if method_is_overridden(type(dupefilter), RFPDupeFilter, "request_fingerprint"):
        return lambda request: bytes.fromhex(dupefilter.request_fingerprint(request))
    if type(dupefilter.fingerprinter) is RequestFingerprinter:
        return None
    return dupefilter.fingerprinter.fingerprint


def _forget_file(dupefilter: RFPDupeFilter) -> None:
    """Close ``requests.seen`` of a JOBDIR.

    It may name requests whose page was not settled when the crawl was killed: they would be lost.
    """
    if dupefilter.file is not None:
        dupefilter.file.close()
        dupefilter.file = None
        forget_seen(dupefilter)
