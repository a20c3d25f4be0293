"""A page in the browser has the cookies of the crawl, and the crawl those of its scripts."""

from __future__ import annotations

from collections import defaultdict
from typing import Any

import pytest
from scrapy import Request
from scrapy.downloadermiddlewares.cookies import CookiesMiddleware
from scrapy.http import Response

from evocrawl.adapter.browser.page_cookies import PageCookies
from evocrawl.adapter.network.cookies import BoundedCookieJar

URL = "http://www.reef.test/atoll/1"


class Crawl:
    """A crawler that has this middleware."""

    def __init__(self, middleware: CookiesMiddleware | None) -> None:
        self._middleware = middleware

    def get_downloader_middleware(self, kind: type) -> Any:
        assert kind is CookiesMiddleware
        return self._middleware


def _crawl(*lines: str, url: str = URL, **meta: Any) -> tuple[CookiesMiddleware, PageCookies]:
    """Return a crawl whose server has set cookies at `url`, and the page's cookies."""
    middleware = CookiesMiddleware()
    middleware.jars = defaultdict(BoundedCookieJar)
    request = Request(url, meta=meta)
    middleware.process_request(request)
    middleware.process_response(request, Response(url, headers={"Set-Cookie": list(lines)}))
    crawl: Any = Crawl(middleware)
    return middleware, PageCookies(crawl, request)


def _sent(middleware: CookiesMiddleware, url: str, **meta: Any) -> set[str]:
    request = Request(url, meta=meta)
    middleware.process_request(request)
    return set((request.headers.get("Cookie") or b"").decode().split("; ")) - {""}


def _set(name: str, value: str, domain: str = "www.reef.test", **more: Any) -> dict[str, Any]:
    """Return a cookie as the browser gives it."""
    row = {"name": name, "value": value, "domain": domain, "path": "/", "expires": -1}
    return {**row, "httpOnly": False, "secure": False, "sameSite": "Lax", **more}


def test_a_page_begins_with_the_cookies_for_its_address() -> None:
    """With domain, path and HttpOnly, so that its scripts see what they see in any browser."""
    _, cookies = _crawl(
        "key=1; HttpOnly", "theme=dark; Domain=reef.test; Max-Age=60; SameSite=Strict",
        "other=1; Path=/lagoon", "old=1; Max-Age=0",
    )  # fmt: skip
    key, theme = sorted(cookies.of_crawl(), key=lambda each: each["name"])
    assert (key["name"], key["domain"], key["httpOnly"]) == ("key", "www.reef.test", True)
    assert (theme["domain"], theme["httpOnly"], theme["sameSite"]) == (
        ".reef.test",
        False,
        "Strict",
    )
    assert theme["expires"] > 1e9
    assert key["expires"] == -1


@pytest.mark.parametrize("url", ["http://127.0.0.1:8000/", "http://localhost/a", URL])
def test_hosts_of_every_kind_have_their_cookies(url: str) -> None:
    _, cookies = _crawl("key=1", url=url)
    host = url.split("/")[2].partition(":")[0]
    assert [(each["name"], each["domain"]) for each in cookies.of_crawl()] == [("key", host)]


def test_the_crawl_keeps_what_scripts_set_and_its_own_newer_values() -> None:
    """The page still has the value of its beginning; another page has got a newer one."""
    middleware, cookies = _crawl("key=1; HttpOnly", "token=1", "theme=dark; Path=/")
    begun = cookies.of_crawl()
    newer = Response(URL, headers={"Set-Cookie": ["token=2", "key=2; HttpOnly"]})
    middleware.process_response(Request(URL), newer)
    of_scripts = [_set("consent", "yes", ".reef.test", expires=4e9), _set("theme", "light")]
    cookies.keep([*begun[:2], *of_scripts])
    assert _sent(middleware, URL) == {"key=2", "token=2", "theme=light", "consent=yes"}
    assert _sent(middleware, "http://reef.test/") == {"consent=yes"}
    cookies.keep([_set("hidden", "1", httpOnly=True), _set("foreign", "1", ".atoll.test")])
    assert _sent(middleware, URL) == {"key=2", "token=2", "theme=light", "consent=yes"}


def test_each_jar_of_the_spider_is_separate() -> None:
    middleware, cookies = _crawl("key=1", cookiejar="first")
    cookies.keep([*cookies.of_crawl(), _set("mine", "1")])
    assert _sent(middleware, URL, cookiejar="first") == {"key=1", "mine=1"}
    assert _sent(middleware, URL) == set()


def test_a_crawl_without_cookies_gives_and_keeps_none() -> None:
    for crawl, meta in ((Crawl(None), {}), (Crawl(CookiesMiddleware()), {"dont_merge_cookies": 1})):
        given: Any = crawl
        cookies = PageCookies(given, Request(URL, meta=meta))
        assert cookies.of_crawl() == []
        cookies.keep([_set("mine", "1")])
        if crawl._middleware is not None:
            assert _sent(crawl._middleware, URL) == set()
