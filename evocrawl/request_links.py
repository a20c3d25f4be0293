"""Requests of the user's own spider as links of the population."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from evocrawl.model import Fingerprint, Link
from evocrawl.urls import fingerprint

if TYPE_CHECKING:
    from scrapy import Request
    from scrapy.crawler import Crawler


def request_link(
    crawler: Crawler, request: Request, words: Mapping[Fingerprint, Link] | None = None
) -> Link | None:
    """Return the link that `request` stands for, with the request as its payload.

    `words` are the anchors read from the page by target, which lend the link anchor and context.
    None for a request that is no http(s) one. A request with ``dont_filter`` may repeat another:
    its identity is its own.
    """
    try:
        target = fingerprint(request.url)
    except ValueError:
        return None
    seen = words.get(target) if words else None
    identity = target
    if request.dont_filter and not request.meta.get("is_start_request"):
        identity = target + id(request).to_bytes(8)
    elif request.method != "GET" or request.body:
        identity = crawler.request_fingerprinter.fingerprint(request)
    return Link(
        request.url,
        identity,
        anchor=(seen.anchor if seen else "") or str(request.meta.get("link_text") or "").strip(),
        context=seen.context if seen else "",
        position=seen.position if seen else 0,
        payload=request,
    )
