"""Dupe filters and fingerprinters as projects write them."""

from __future__ import annotations

import hashlib
from typing import Any, Self

from scrapy import Request
from scrapy.dupefilters import BaseDupeFilter, RFPDupeFilter
from scrapy.utils.request import fingerprint


class ByHeader:
    """Two languages of one URL are two pages."""

    def fingerprint(self, request: Request) -> bytes:
        text = f"{request.url} {request.headers.get('X-L')!r}"
        return hashlib.sha1(text.encode()).digest()


class KeepsFragments:
    def fingerprint(self, request: Request) -> bytes:
        return fingerprint(request, keep_fragments=True)


class UnlessAgain(RFPDupeFilter):
    """Has its own rule before that of Scrapy."""

    def request_seen(self, request: Request) -> bool:
        return not request.meta.get("again") and super().request_seen(request)


class BySubclass(RFPDupeFilter):
    """Changes nothing that matters."""


class ByPath(BaseDupeFilter):
    """Made without Scrapy's dupe filter."""

    def __init__(self) -> None:
        self.seen: set[str] = set()

    @classmethod
    def from_crawler(cls, crawler: Any) -> Self:
        """Need nothing."""
        assert crawler.settings
        return cls()

    def request_seen(self, request: Request) -> bool:
        path = request.url.partition("?")[0]
        if path in self.seen:
            return True
        self.seen.add(path)
        return False

    def log(self, request: Request, spider: Any) -> None:
        """Count it, as Scrapy's does."""
        assert request
        spider.crawler.stats.inc_value("dupefilter/filtered")
