"""Redirects as browsers follow them, which take nothing along that was meant for another origin.

Scrapy drops Authorization on another origin and Cookie on another host; a header of the user's
own, an API key for instance, it keeps. Here every header goes that is not known to be harmless.

An invalid address makes Scrapy raise; in a meta refresh, this would lose the page.
Here it leads nowhere, and the answer is what it is. So does an answer that leads to where it came
from and sets no cookie: a page that loads itself anew each minute, which Scrapy asks for 20 times
and then drops.
"""

from __future__ import annotations

import logging
from html import escape
from typing import TYPE_CHECKING

from scrapy import Request
from scrapy.downloadermiddlewares.redirect import MetaRefreshMiddleware, RedirectMiddleware
from scrapy.http import HtmlResponse

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
"""Headers that a redirect to another origin keeps; Cookie as far as Scrapy has left it."""


class _OwnOrigin:
    """Scrapy calls `handle_referer` with each redirected request, and the answer that did it."""

    def process_response(self, request: Request, response: Response) -> Request | Response:
        """Return the request that an answer leads to, or the answer where it leads nowhere."""
        try:
            answer: Request | Response = super().process_response(request, response)  # type: ignore[misc]
        except ValueError as error:
            logger.debug("%r redirects to an invalid address: %.200r", response, error)
            return response
        if isinstance(answer, Request) and _is_reload(request, response, answer):
            return response
        return answer

    def handle_referer(self, request: Request, response: Response) -> None:
        """Drop headers where the origin changes, then set the Referer as the policy says."""
        if _origin(request.url) != _origin(response.url):
            for name in [each for each in request.headers if each not in HARMLESS]:
                del request.headers[name]
        super().handle_referer(request, response)  # type: ignore[misc]


class OwnOriginRedirectMiddleware(_OwnOrigin, RedirectMiddleware):
    """Scrapy's middleware for redirects, which drops more headers and reads Location better."""

    def process_response(self, request: Request, response: Response) -> Request | Response:  # type: ignore[override]
        """Follow what browsers make of Location; others of its spellings Scrapy takes for paths."""
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


class OwnOriginRefreshMiddleware(_OwnOrigin, MetaRefreshMiddleware):
    """Scrapy's middleware for meta refresh, which drops more headers and reads Refresh, too.

    What a script may write is none of the page's.
    """

    def __init__(self, settings: BaseSettings) -> None:
        super().__init__(settings)
        self._ignore_tags = [*self._ignore_tags, "script", "template"]

    def process_response(self, request: Request, response: Response) -> Request | Response:  # type: ignore[override]
        """Follow the element of the page, or else the header (HTML, "declarative refresh")."""
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
    """The text of a response, or of a big one so much as a refresh is looked for in.

    Scrapy keeps a text that was asked for as long as the response, at four bytes a character where
    one of them is rare.
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
    """Whether the answer to another request for the same would be the same, for all we know."""
    if answer.method != request.method or b"Set-Cookie" in response.headers:
        return False
    try:
        return fingerprint(answer.url) == fingerprint(request.url)
    except ValueError:
        return False


def _origin(url: str) -> str:
    """Scheme, host and port; of other schemes the whole URL."""
    try:
        return authority(url)
    except ValueError:
        return url
