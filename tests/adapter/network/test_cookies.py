"""Limits of the cookies that are kept and sent."""

from __future__ import annotations

import pytest
from scrapy import Request
from scrapy.downloadermiddlewares.cookies import CookiesMiddleware
from scrapy.http import Response

from evocrawl.adapter.network import cookies
from evocrawl.adapter.network.cookies import (
    MOST_BYTES,
    MOST_COOKIES,
    BoundedCookieJar,
    bound_cookie_jars,
)


@pytest.fixture
def middleware() -> CookiesMiddleware:
    middleware = CookiesMiddleware()
    bound_cookie_jars(middleware)
    return middleware


def answered(middleware: CookiesMiddleware, url: str, *cookies: str) -> None:
    """Take the cookies that a server sets."""
    middleware.process_response(Request(url), Response(url, headers={"Set-Cookie": [*cookies]}))


def sent(middleware: CookiesMiddleware, url: str) -> list[str]:
    """Return the Cookie header of a request."""
    request = Request(url)
    middleware.process_request(request)
    return (request.headers.get("Cookie") or b"").decode().split("; ")


def test_a_session_cookie_is_kept_as_scrapy_keeps_it(middleware: CookiesMiddleware) -> None:
    """It is sent to its host or domain, and to no other host."""
    answered(middleware, "http://a.shop.test/", "one=1", "two=2; Domain=shop.test")
    assert sorted(sent(middleware, "http://a.shop.test/x")) == ["one=1", "two=2"]
    assert sent(middleware, "http://b.shop.test/") == ["two=2"]
    assert sent(middleware, "http://other.test/") == [""]


def test_a_server_that_sets_many_cookies_gets_the_latest_back(
    middleware: CookiesMiddleware,
) -> None:
    """R14: neither memory nor the header grows without end."""
    for number in range(40):
        answered(middleware, "http://a.test/", *(f"c{number}x{n}=1" for n in range(10)))
    latest = sent(middleware, "http://a.test/")
    assert len(latest) == MOST_COOKIES
    assert latest[-1] == "c39x9=1"


@pytest.mark.parametrize("path", ["/", "/p{}"])
def test_few_long_cookies_are_kept(middleware: CookiesMiddleware, path: str) -> None:
    """This holds for cookies of one path and of many paths."""
    for number in range(20):
        where = path.format(number)
        answered(middleware, f"http://a.test{where}", f"n{number}={1000 * 'x'}; Path={where}")
    answered(middleware, "http://a.test/", f"long={MOST_BYTES * 'x'}; Path=/")
    jar = middleware.jars[None]
    kept = [each.name for each in jar]
    assert 6 <= len(kept) <= 8
    assert kept[-1] == "n19"
    assert "long" not in kept


def test_the_domains_longest_unused_are_forgotten(
    middleware: CookiesMiddleware, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A domain that is requested again stays."""
    monkeypatch.setattr(cookies, "MOST_DOMAINS", 3)
    for name in ("login.test", "b.test", "c.test"):
        answered(middleware, f"http://{name}/", "id=1")
    assert sent(middleware, "http://login.test/") == ["id=1"]
    for name in ("d.test", "e.test"):
        answered(middleware, f"http://{name}/", "id=1")
    assert isinstance(middleware.jars[None], BoundedCookieJar)
    assert sorted(each.domain for each in middleware.jars[None]) == [
        "d.test", "e.test", "login.test"
    ]  # fmt: skip
