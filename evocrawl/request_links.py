"""Requests of the user's own spider as links of the population."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import count
from typing import TYPE_CHECKING

from evocrawl.model import Fingerprint, Link
from evocrawl.showing import has_credentials, without_credentials
from evocrawl.urls import fingerprint

if TYPE_CHECKING:
    from scrapy import Request
    from scrapy.crawler import Crawler


class Names:
    """Gives requests their identities: two requests of one identity are not both followed."""

    def __init__(self, crawler: Crawler) -> None:
        self._crawler = crawler
        self._repeats = count(1)

    def begin(self, runs: int) -> None:
        """Give none of the identities that requests were given in `runs` earlier runs."""
        self._repeats = count((runs << 32) + 1)

    def identity(self, request: Request, target: Fingerprint) -> Fingerprint:
        """Return the identity of `request`, whose URL has the fingerprint `target`.

        A request with ``dont_filter`` may repeat another, so its identity is its own. For forms
        and the like Scrapy's fingerprinter decides.
        """
        if request.dont_filter and not request.meta.get("is_start_request"):
            return target + next(self._repeats).to_bytes(8)
        if request.method != "GET" or request.body:
            return self._crawler.request_fingerprinter.fingerprint(request)
        return target


def request_link(
    names: Names, request: Request, words: Mapping[Fingerprint, Link] | None = None
) -> Link | None:
    """Return the link that `request` stands for, with the request as its payload.

    `words` are the anchors read from the page by target, which lend the link anchor and context.
    None for a request that is no http(s) one.
    """
    try:
        target = fingerprint(request.url)
    except ValueError:
        return None
    if has_credentials(request.url):
        # A page's, not the user's: and Twisted takes them for a part of the host.
        request = request.replace(url=without_credentials(request.url))
    seen = words.get(target) if words else None
    return Link(
        request.url,
        names.identity(request, target),
        anchor=(seen.anchor if seen else "") or str(request.meta.get("link_text") or "").strip(),
        context=seen.context if seen else "",
        position=seen.position if seen else 0,
        payload=request,
    )
