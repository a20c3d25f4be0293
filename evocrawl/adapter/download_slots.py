"""The key of politeness of a request: its host, or the downloader slot that its spider names."""

from __future__ import annotations

from typing import TYPE_CHECKING

from scrapy.utils.httpobj import urlparse_cached

from evocrawl.core.urls.identity import host_of

if TYPE_CHECKING:
    from scrapy import Request

_SLOT = "download_slot"


def slot_of(request: Request) -> str:
    """Return the slot that sets delay, concurrency and back-off of `request`.

    As in Scrapy's downloader it is ``meta["download_slot"]`` if the spider sets it (an account, a
    proxy), otherwise the host.
    """
    return named_slot(request) or host_of(request.url)


def named_slot(request: Request) -> str:
    """Return the slot that the spider names, "" if it is the host's own. O(1)."""
    slot = request.meta.get(_SLOT)
    if not slot or slot == urlparse_cached(request).hostname:
        return ""
    return str(slot)


def leave_slot(request: Request, earlier_url: str) -> None:
    """Remove the slot of the earlier host from `request`, a redirect of `earlier_url`.

    Scrapy's downloader writes the host's slot into each request's meta, and a redirect copies it.
    """
    slot = request.meta.get(_SLOT)
    if slot and slot == host_of(earlier_url) != host_of(request.url):
        del request.meta[_SLOT]
