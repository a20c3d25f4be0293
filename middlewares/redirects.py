"""Redirects that take nothing along which was meant for another origin.

Scrapy drops Authorization on another origin and Cookie on another host; a header of the user's
own, an API key for instance, it keeps. Here every header goes that is not known to be harmless.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from scrapy.downloadermiddlewares.redirect import MetaRefreshMiddleware, RedirectMiddleware

from evocrawl.robots import authority

if TYPE_CHECKING:
    from scrapy import Request
    from scrapy.http import Response

HARMLESS = frozenset(
    (
        b"Accept", b"Accept-Encoding", b"Accept-Language", b"Cache-Control", b"Content-Length",
        b"Content-Type", b"Cookie", b"Pragma", b"Proxy-Authorization", b"User-Agent",
    )
)  # fmt: skip
"""Headers that a redirect to another origin keeps; Cookie as far as Scrapy has left it."""


class _OwnOrigin:
    """Scrapy calls `handle_referer` with each redirected request, and the answer that did it."""

    def handle_referer(self, request: Request, response: Response) -> None:
        """Drop headers where the origin changes, then set the Referer as the policy says."""
        if _origin(request.url) != _origin(response.url):
            for name in [each for each in request.headers if each not in HARMLESS]:
                del request.headers[name]
        super().handle_referer(request, response)  # type: ignore[misc]


class OwnOriginRedirectMiddleware(_OwnOrigin, RedirectMiddleware):
    """Scrapy's middleware for redirects, which drops more headers."""


class OwnOriginRefreshMiddleware(_OwnOrigin, MetaRefreshMiddleware):
    """Scrapy's middleware for meta refresh, which drops more headers."""


def _origin(url: str) -> str:
    """Scheme, host and port; of other schemes the whole URL."""
    try:
        return authority(url)
    except ValueError:
        return url
