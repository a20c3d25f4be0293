"""Redirects as browsers follow them, which take nothing along that was meant for another origin.

Scrapy drops Authorization on another origin and Cookie on another host; a header of the user's
own, an API key for instance, it keeps. Here every header goes that is not known to be harmless.

An address that is none makes Scrapy raise, which costs the page where it stands in a meta refresh.
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

from evocrawl.references import resolved
from evocrawl.robots import authority
from evocrawl.urls import fingerprint

if TYPE_CHECKING:
    from scrapy.http import Response
    from scrapy.settings import BaseSettings

logger = logging.getLogger(__name__)

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
            logger.debug("%r leads to what is no address: %.200r", response, error)
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
            target = resolved(request.url, _text(location or b""))
        except ValueError:
            return response
        if target is None:
            return super().process_response(request, response)
        _, mark, fragment = _text(location or b"").partition("#")
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
        answer = super().process_response(request, response)
        header = response.headers.get(b"Refresh")
        if isinstance(answer, Request) or header is None:
            return answer
        content = escape(_text(header).replace("'", '"'), quote=False)
        meta = f"<meta http-equiv=refresh content='{content}'>"
        page = HtmlResponse(response.url, headers=response.headers, body=meta, encoding="utf-8")
        answer = super().process_response(request, page)
        return answer if isinstance(answer, Request) else response


def _is_reload(request: Request, response: Response, answer: Request) -> bool:
    """Whether the answer to another request for the same would be the same, for all we know."""
    if answer.method != request.method or b"Set-Cookie" in response.headers:
        return False
    try:
        return fingerprint(answer.url) == fingerprint(request.url)
    except ValueError:
        return False


def _text(header: bytes) -> str:
    """A header as text; of bytes that are no UTF-8 what a URL has of them."""
    try:
        return header.decode("utf-8")
    except UnicodeDecodeError:
        return "".join(chr(byte) if byte < 0x80 else f"%{byte:02X}" for byte in header)


def _origin(url: str) -> str:
    """Scheme, host and port; of other schemes the whole URL."""
    try:
        return authority(url)
    except ValueError:
        return url
