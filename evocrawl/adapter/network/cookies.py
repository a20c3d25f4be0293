"""Bounds the number and length of cookies; Scrapy keeps and sends all that servers set."""

from __future__ import annotations

import time
from http.cookiejar import Cookie
from typing import TYPE_CHECKING, Any

from scrapy.http.cookies import CookieJar, WrappedRequest, potential_domain_matches
from scrapy.utils.httpobj import urlparse_cached

if TYPE_CHECKING:
    from scrapy import Request
    from scrapy.downloadermiddlewares.cookies import CookiesMiddleware

MOST_DOMAINS = 5_000
MOST_COOKIES = 50
MOST_BYTES = 8_192


def bound_cookie_jars(middleware: CookiesMiddleware) -> None:
    """Make a middleware create bounded jars from now on."""
    middleware.jars.default_factory = BoundedCookieJar


def cookies_for(jar: CookieJar, request: Request) -> list[Cookie]:
    """Return the cookies of a jar that belong to a request; `add_cookie_header` adds the same."""
    wrapped: Any = WrappedRequest(request)
    inner: Any = jar.jar
    jar.policy._now = inner._now = int(time.time())  # type: ignore[attr-defined] # as Scrapy does
    host = urlparse_cached(request).hostname or ""
    names = [host, f".{host}", *potential_domain_matches(host)]
    if "." not in host:
        names += potential_domain_matches(f"{host}.local")
    known = [each for each in dict.fromkeys(names) if each in inner._cookies]
    found = (inner._cookies_for_domain(each, wrapped) for each in known)
    return [cookie for cookies in found for cookie in cookies]


class BoundedCookieJar(CookieJar):
    """Keeps 50 cookies of a domain, of 8 192 characters together, and of 5 000 domains.

    RFC 6265 §6.1 asks for 50 of 4 096, and servers refuse headers that are longer than 8 kB. The
    oldest cookies of a domain are removed first, and the domains that were not used for longest.
    """

    def set_cookie_if_ok(self, cookie: Cookie, request: Request) -> None:
        """Store a cookie unless the policy or its length forbids it."""
        if _size(cookie) > MOST_BYTES:
            return
        super().set_cookie_if_ok(cookie, request)
        paths = self._cookies.get(cookie.domain)
        if paths is None:
            return
        _shorten(paths)
        while len(self._cookies) > MOST_DOMAINS:
            del self._cookies[next(iter(self._cookies))]

    def add_cookie_header(self, request: Request) -> None:
        """Add the cookies of its host to a request; its domains are now the latest used."""
        super().add_cookie_header(request)
        for domain in potential_domain_matches(urlparse_cached(request).hostname or ""):
            paths = self._cookies.pop(domain, None)
            if paths is not None:
                self._cookies[domain] = paths


def _shorten(paths: dict[str, dict[str, Cookie]]) -> None:
    """Remove a domain's oldest cookies until the others are within the bounds."""
    cookies = [each for of_path in paths.values() for each in of_path.values()]
    count, size = len(cookies), sum(map(_size, cookies))
    for cookie in cookies:
        if count <= MOST_COOKIES and size <= MOST_BYTES:
            return
        of_path = paths[cookie.path]
        del of_path[cookie.name]
        if not of_path:
            del paths[cookie.path]
        count, size = count - 1, size - _size(cookie)


def _size(cookie: Cookie) -> int:
    return len(cookie.name) + len(cookie.value or "") + len(cookie.path)
