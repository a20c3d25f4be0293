"""The targets of redirects by Location, meta refresh and Refresh, in forms that servers use."""

from __future__ import annotations

import pytest
from scrapy import Request
from scrapy.http import HtmlResponse, Response
from scrapy.utils.test import get_crawler

from evocrawl.middlewares.redirects import OwnOriginRedirectMiddleware, OwnOriginRefreshMiddleware

URL = "http://a.test/x/y?q"


def after(location: bytes, status: int = 302, cookie: str = "") -> Request | Response:
    redirects = OwnOriginRedirectMiddleware.from_crawler(get_crawler())
    headers = {"Location": location, **({"Set-Cookie": cookie} if cookie else {})}
    answer = Response(URL, status=status, headers=headers)
    found = redirects.process_response(Request(URL), answer)
    assert isinstance(found, Request) or found is answer
    return found


def refreshed(html: str, refresh: str | bytes = "", cookie: str = "") -> str | None:
    refreshes = OwnOriginRefreshMiddleware.from_crawler(get_crawler())
    headers = {"Refresh": refresh} if refresh else {}
    headers |= {"Set-Cookie": cookie} if cookie else {}
    page = HtmlResponse(URL, body=html, encoding="utf-8", headers=headers)
    found = refreshes.process_response(Request(URL), page)
    assert isinstance(found, Request) or found is page
    return found.url if isinstance(found, Request) else None


@pytest.mark.parametrize(
    ("location", "url"),
    [
        (b"../r", "http://a.test/r"),
        (b" /r x ", "http://a.test/r%20x"),
        (b"/r#part", "http://a.test/r#part"),
        (b"?z", "http://a.test/x/y?z"),
        ("/é".encode(), "http://a.test/%C3%A9"),
        (b"/\xe9", "http://a.test/%E9"),
        (b"//b.test/r", "http://b.test/r"),
        (b"\\\\b.test\\r", "http://b.test/r"),
        (b"/\\b.test/r", "http://b.test/r"),
        (b"https:b.test/r", "https://b.test/r"),
        ("http://straße.test/".encode(), "http://xn--strae-oqa.test/"),
        (b"http://b%C3%BCcher.test/", "http://xn--bcher-kva.test/"),
        (b"http://b.test/\r\nX: y", "http://b.test/X:%20y"),
        (b"http://127.0.0.1\\@b.test/", "http://127.0.0.1/@b.test/"),
    ],
)
def test_b102_location_is_read_as_browsers_do(location: bytes, url: str) -> None:
    """B102: relative, with spaces, in any script, with slashes or backslashes."""
    found = after(location)
    assert isinstance(found, Request)
    assert found.url == url


@pytest.mark.parametrize(
    "location",
    [b"javascript:x", b"mailto:a@b.test", b"file:///etc/passwd", b"data:,x", b"http://[x", b"http://",
     b"http://b.test:99999/", b"http://b b.test/", b"http://b%00.test/"],
)  # fmt: skip
def test_b001_a_location_that_is_no_address_is_no_redirect(location: bytes) -> None:
    """B001: the response is kept unchanged; Scrapy alone raises an error."""
    assert isinstance(after(location), Response)


@pytest.mark.parametrize("status", [200, 201, 300, 304, 305, 306])
def test_other_responses_do_not_redirect(status: int) -> None:
    """Any Location is ignored."""
    assert isinstance(after(b"/r", status), Response)


@pytest.mark.parametrize(
    "content",
    ["0;url=javascript:x", "0;url=http://[x", "0;url=http://h:99999/", "0;url=mailto:x", "0", "x"],
)
def test_b001_a_page_with_an_invalid_refresh_is_read(content: str) -> None:
    """B001: Scrapy alone raises an error and loses the page."""
    assert refreshed(f"<meta http-equiv=refresh content='{content}'><p>text") is None
    assert refreshed("<p>text", refresh=content) is None


def test_the_header_refresh_is_followed() -> None:
    """As in browsers; a refresh after a longer delay is not followed."""
    assert refreshed("<p>text", refresh="0; url=/r") == "http://a.test/r"
    assert refreshed("<p>text", refresh='0;URL="/r?a=1&b=2"') == "http://a.test/r?a=1&b=2"
    assert (
        refreshed("<meta http-equiv=refresh content='0;url=/1'>", "0;url=/2") == "http://a.test/1"
    )
    assert refreshed("<p>text", refresh="600;url=/r") is None


@pytest.mark.parametrize(
    ("written", "url"),
    [
        ("0;url=http://straße.test/é", "http://xn--strae-oqa.test/%C3%A9"),
        (r"0;url=\\b.test\x", "http://b.test/x"),
        ("0;url=https:b.test/x", "https://b.test/x"),
        ("0;url=//b.test/x//y", "http://b.test/x//y"),
        ("0, /comma", "http://a.test/comma"),
        ("0 /space", "http://a.test/space"),
        (" 0.5;URL = /r ", "http://a.test/r"),
        ("0;url=z#part", "http://a.test/x/z#part"),
        (".3;/r", "http://a.test/r"),
    ],
)
def test_a_refresh_is_read_as_browsers_do(written: str, url: str) -> None:
    """In the element and in the header (HTML, "shared declarative refresh steps")."""
    assert refreshed(f'<meta content="{written}" http-equiv=Refresh>') == url
    assert refreshed("<p>text", refresh=written.encode()) == url


def test_a_refresh_is_read_in_the_encoding_of_its_page() -> None:
    """The query is percent-encoded from it, the path from UTF-8; of a header bytes stay."""
    refreshes = OwnOriginRefreshMiddleware.from_crawler(get_crawler())
    page = HtmlResponse(
        URL, body="<meta http-equiv=refresh content='0;url=/é?é'>", encoding="latin-1"
    )
    found = refreshes.process_response(Request(URL), page)
    assert found.url == "http://a.test/%C3%A9?%E9"
    assert refreshed("<p>text", refresh=b"0;url=/r\xe9?\xe9") == "http://a.test/r%E9?%E9"


def test_a_refresh_is_relative_to_the_base_and_may_come_late() -> None:
    """After a long head; it is resolved as in browsers, and not read within a comment."""
    html = "<!--<meta http-equiv=refresh content='0;url=/no'>--><base href=/sub/>"
    meta = "<meta http-equiv=refresh content='0;url=x//y'>"
    assert refreshed(html + 9_000 * " " + meta) == "http://a.test/sub/x//y"
    assert refreshed(html) is None


@pytest.mark.parametrize("tag", ["script", "noscript", "template"])
def test_an_element_that_is_not_shown_does_not_refresh(tag: str) -> None:
    """A script may write such an element, for small screens for instance; evocrawl runs none."""
    html = f"<{tag}>w('<meta http-equiv=refresh content=\"0;url=/mobile\">')</{tag}>"
    assert refreshed(html) is None
    assert refreshed(html + "<meta http-equiv=refresh content='0;url=/r'>") == "http://a.test/r"


@pytest.mark.parametrize("there", ["", "?q", "y?q", URL, "#part", "http://A.test:80/x/../x/y?q"])
def test_b097_a_page_that_refreshes_to_itself_is_read(there: str) -> None:
    """B097: it is requested again only if it sets a cookie."""
    assert isinstance(after(there.encode()), Response)
    assert isinstance(after(there.encode(), cookie="a=1"), Request)
    if there:
        html = f"<meta http-equiv=refresh content='30;url={there}'><p>text"
        assert refreshed(html) is None
        assert refreshed(html, cookie="a=1") is not None
        assert refreshed("<p>text", refresh=f"30;url={there}") is None
