"""What Scrapy would decode for seconds, or not at all, gets an encoding of its own."""

from __future__ import annotations

import pytest
from scrapy import Request
from scrapy.http import HtmlResponse, Response, TextResponse

from evocrawl.middlewares.encoding import EncodingMiddleware

REQUEST = Request("http://a.test/")
LATIN = "é è à "


def passed(body: bytes, kind: str = "text/html", cls: type[Response] = HtmlResponse) -> Response:
    response = cls("http://a.test/", body=body, headers={"Content-Type": kind})
    return EncodingMiddleware().process_response(REQUEST, response)


@pytest.mark.parametrize(
    "name", ["hex", "punycode", "unicode_escape", "undefined", "rot13", "idna"]
)
@pytest.mark.parametrize("where", ["header", "page"])
def test_r15_codecs_that_are_no_encodings_are_never_used(name: str, where: str) -> None:
    """R15, R16: they raise, or take quadratic time, in whatever asks for the text."""
    body = f"<meta charset={name if where == 'page' else 'utf-8'}>é".encode()
    kind = f"text/html; charset={name}" if where == "header" else "text/html"
    response = passed(body, kind)
    assert isinstance(response, TextResponse)
    assert response.text.endswith("é")


@pytest.mark.parametrize(
    ("body", "kind"),
    [
        ("é".encode(), "text/html; charset=utf-8"),
        ("é".encode("latin-1"), "text/html"),
        (b"<meta charset=shift_jis>", "text/html"),
        (100_000 * "é".encode(), "text/html"),
        (b"\xff\xfeh\0", "text/html; charset=hex"),
        (b"x", "text/html; charset=no-such-charset"),
    ],
)
def test_other_responses_are_left_as_they_are(body: bytes, kind: str) -> None:
    """Scrapy knows how to read them."""
    response = HtmlResponse("http://a.test/", body=body, headers={"Content-Type": kind})
    assert EncodingMiddleware().process_response(REQUEST, response) is response


def test_a_big_page_of_no_declared_encoding_is_told_by_its_beginning() -> None:
    """R15: a guess that looks at all of it takes half a second for each megabyte."""
    for kind in ("text/html", "text/html; charset=no-such-charset"):
        response = passed(20_000 * LATIN.encode("latin-1"), kind)
        assert isinstance(response, TextResponse)
        assert response.text == 20_000 * LATIN
        assert response._encoding == "cp1252"


def test_files_have_no_encoding() -> None:
    """What is no text passes."""
    assert type(passed(b"<meta charset=hex>", "image/png", Response)) is Response
