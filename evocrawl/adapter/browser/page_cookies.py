"""Shares cookies between the crawl and a page in the browser."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from http.cookiejar import Cookie
from typing import TYPE_CHECKING, Any

from scrapy.downloadermiddlewares.cookies import CookiesMiddleware
from scrapy.http import Response
from scrapy.utils.httpobj import urlparse_cached

from evocrawl.adapter.network.cookies import cookies_for

if TYPE_CHECKING:
    from scrapy import Request
    from scrapy.crawler import Crawler

Row = dict[str, Any]
"""A cookie as Playwright has it."""

_SAME_SITE = {"strict": "Strict", "lax": "Lax", "none": "None"}


class PageCookies:
    """The cookies of one page, whose response is that of `request`.

    The browser begins with the crawl's cookies for the page; those that its scripts set then are
    kept by the crawl's cookie middleware. A page of a crawl without that middleware, or of a
    request with ``dont_merge_cookies``, has none.
    """

    def __init__(self, crawler: Crawler, request: Request) -> None:
        found = crawler.get_downloader_middleware(CookiesMiddleware)
        self._middleware = None if request.meta.get("dont_merge_cookies") else found
        self._request = request
        self._known: dict[tuple[str, ...], str] = {}

    def of_crawl(self) -> list[Row]:
        """Return the cookies with which the browser begins."""
        if self._middleware is None:
            return []
        jar = self._middleware.jars[self._request.meta.get("cookiejar")]
        host = urlparse_cached(self._request).hostname or ""
        rows = [_row(each, host) for each in cookies_for(jar, self._request) if each.value]
        self._known.update((_key(each), each["value"]) for each in rows)
        return rows

    def keep(self, rows: Sequence[Mapping[str, Any]]) -> None:
        """Keep the cookies of the browser that are new; those for HTTP only are not of a script."""
        new = [
            each
            for each in rows
            if not each["httpOnly"] and self._known.get(_key(each)) != each["value"]
        ]
        self._known.update((_key(each), each["value"]) for each in new)
        if new and self._middleware is not None:
            answer = Response(self._request.url, headers={"Set-Cookie": list(map(_line, new))})
            self._middleware.process_response(self._request, answer)


def _row(cookie: Cookie, host: str) -> Row:
    same_site = str(cookie.get_nonstandard_attr("SameSite") or "").lower()
    return {
        "name": cookie.name,
        "value": cookie.value or "",
        "domain": f".{cookie.domain.lstrip('.')}" if cookie.domain_specified else host,
        "path": cookie.path,
        "expires": -1 if cookie.expires is None else cookie.expires,
        "httpOnly": cookie.has_nonstandard_attr("HttpOnly")
        or cookie.has_nonstandard_attr("httponly"),
        "secure": cookie.secure,
        "sameSite": _SAME_SITE.get(same_site, "Lax"),
    }


def _key(row: Mapping[str, Any]) -> tuple[str, ...]:
    return row["name"], row["domain"], row["path"]


def _line(row: Mapping[str, Any]) -> str:
    """Return a cookie as a line of Set-Cookie (RFC 6265)."""
    parts = [f"{row['name']}={row['value']}", f"Path={row['path']}"]
    if row["domain"].startswith("."):
        parts.append(f"Domain={row['domain']}")
    if row["expires"] > 0:
        parts.append(f"Max-Age={max(int(row['expires'] - time.time()), 0)}")
    if row["secure"]:
        parts.append("Secure")
    return "; ".join(parts)
