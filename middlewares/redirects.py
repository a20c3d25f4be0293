"""Follows redirects as browsers do, and drops headers at a redirect to another origin.

Scrapy drops Authorization on another origin and Cookie on another host, but keeps the user's own
headers, such as an API key. This module drops every header that is not known to be harmless.

Scrapy raises an exception for an invalid address, which would lose the page of a meta refresh.
Here the redirect is not followed, and the response stays. The same holds for a response that leads
to its own address and sets no cookie: Scrapy requests a page that reloads itself each minute 20
times and then drops it. A Location is followed nevertheless if the user's spider has yielded the
request with dont_filter=True: its server may answer otherwise the next time.
"""

from __future__ import annotations

import logging
from html import escape
from typing import TYPE_CHECKING

from scrapy import Request
from scrapy.downloadermiddlewares.redirect import MetaRefreshMiddleware, RedirectMiddleware
from scrapy.http import HtmlResponse
from scrapy.http.request import NO_CALLBACK

from evocrawl.core.urls.identity import fingerprint
from evocrawl.core.urls.resolve import header_text, resolve
from evocrawl.extraction.refresh import declared_refresh, read_refresh, refreshed_url
from evocrawl.politeness.robots.rules import authority

if TYPE_CHECKING:
    from scrapy.http import Response
    from scrapy.settings import BaseSettings

logger = logging.getLogger(__name__)

_BIG_BYTES = 200_000

HARMLESS = frozenset(
    (
        b"Accept", b"Accept-Encoding", b"Accept-Language", b"Cache-Control", b"Content-Length",
        b"Content-Type", b"Cookie", b"Pragma", b"Proxy-Authorization", b"User-Agent",
    )
)  # fmt: skip
"""Headers that a redirect to another origin keeps; Scrapy removes Cookie where it must."""


class _OwnOrigin:
    """Scrapy calls `handle_referer` with each redirected request and its response."""

    def process_response(self, request: Request, response: Response) -> Request | Response:
        """Return the request that the response leads to, or the response if it leads nowhere."""
        try:
            answer: Request | Response = super().process_response(request, response)  # type: ignore[misc]
        except ValueError as error:
            logger.debug("%r redirects to an invalid address: %.200r", response, error)
            return response
        is_again = isinstance(answer, Request) and _is_reload(request, response, answer)
        return response if is_again and not self.repeats(request) else answer

    def repeats(self, request: Request) -> bool:  # noqa: ARG002 - for subclasses
        """Return whether `request` is sent again if its response leads to its own address."""
        return False

    def handle_referer(self, request: Request, response: Response) -> None:
        """Drop headers if the origin changes, then set the Referer by the policy."""
        if _origin(request.url) != _origin(response.url):
            for name in [each for each in request.headers if each not in HARMLESS]:
                del request.headers[name]
        super().handle_referer(request, response)  # type: ignore[misc]


class OwnOriginRedirectMiddleware(_OwnOrigin, RedirectMiddleware):
    """Scrapy's middleware for redirects; drops more headers and reads Location as browsers do."""

    def process_response(self, request: Request, response: Response) -> Request | Response:  # type: ignore[override]
        """Follow Location as browsers read it; Scrapy reads some spellings as paths."""
        location = response.headers.get(b"Location")
        try:
            target = resolve(request.url, header_text(location or b""))
        except ValueError:
            return response
        if target is None:
            return super().process_response(request, response)
        _, mark, fragment = header_text(location or b"").partition("#")
        headers = response.headers.copy()
        headers[b"Location"] = f"{target}{mark}{fragment}"
        answer = super().process_response(request, response.replace(headers=headers))
        return answer if isinstance(answer, Request) else response

    def repeats(self, request: Request) -> bool:
        """Return True for a request that Scrapy's scheduler would accept again."""
        return request.dont_filter and request.callback is not NO_CALLBACK


class OwnOriginRefreshMiddleware(_OwnOrigin, MetaRefreshMiddleware):
    """Scrapy's middleware for meta refresh; drops more headers and reads the header Refresh.

    A refresh in the text of a script does not count.
    """

    def __init__(self, settings: BaseSettings) -> None:
        super().__init__(settings)
        self._ignore_tags = [*self._ignore_tags, "script", "template"]

    def process_response(self, request: Request, response: Response) -> Request | Response:  # type: ignore[override]
        """Follow the page's element, or else the header (HTML, "declarative refresh")."""
        found, encoding = _refresh_of_header(response), "utf-8"
        if isinstance(response, HtmlResponse):
            declared = declared_refresh(_beginning(response), response.url, self._ignore_tags)
            if declared is not None:
                found, encoding = declared, response.encoding
        if found is None:
            return response
        # Scrapy reads the query of an address in the encoding of its page, as browsers do.
        seconds, url = found
        meta = f'<meta http-equiv=refresh content="{seconds};url={escape(url)}">'
        body = meta.encode(encoding, "xmlcharrefreplace")
        page = HtmlResponse(response.url, headers=response.headers, body=body, encoding=encoding)
        answer = super().process_response(request, page)
        return answer if isinstance(answer, Request) else response


def _beginning(response: HtmlResponse) -> str:
    """Return the text of a response; of a big one only the beginning, where a refresh may be.

    Scrapy keeps a decoded text as long as the response, with up to four bytes a character.
    """
    if len(response.body) <= _BIG_BYTES:
        return response.text
    return response.body[:_BIG_BYTES].decode(response.encoding, "replace")


def _refresh_of_header(response: Response) -> tuple[float, str] | None:
    header = response.headers.get(b"Refresh")
    found = read_refresh(header_text(header)) if header else None
    url = refreshed_url(response.url, found[1]) if found else None
    return (found[0], url) if found and url else None


def _is_reload(request: Request, response: Response, answer: Request) -> bool:
    """Return whether the redirect would probably bring the same response again."""
    if answer.method != request.method or b"Set-Cookie" in response.headers:
        return False
    try:
        return fingerprint(answer.url) == fingerprint(request.url)
    except ValueError:
        return False


def _origin(url: str) -> str:
    """Return scheme, host and port of a URL; of other schemes than http(s) the whole URL."""
    try:
        return authority(url)
    except ValueError:
        return url
