"""A response that Scrapy would decode slowly, or not at all, gets another encoding."""

from __future__ import annotations

import pytest
from scrapy import Request
from scrapy.http import HtmlResponse, Response, TextResponse

from evocrawl.adapter.response_encoding import chosen_encoding
from evocrawl.middlewares.encoding import EncodingMiddleware
from evocrawl.adapter.extractor import _body_and_encoding
from evocrawl.extraction import Document, read

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
    """R15, R16: they raise an error or take quadratic time in each component that reads the text."""
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
        (20_000 * "é".encode(), "text/html"),
        (b"\xff\xfeh\0", "text/html; charset=hex"),
        (b"x", "text/html; charset=no-such-charset"),
    ],
)
def test_other_responses_are_left_as_they_are(body: bytes, kind: str) -> None:
    """Scrapy can read them."""
    response = HtmlResponse("http://a.test/", body=body, headers={"Content-Type": kind})
    assert EncodingMiddleware().process_response(REQUEST, response) is response


def test_a_big_page_of_utf8_without_a_declaration_is_not_decoded() -> None:
    """Scrapy would keep its text, at four bytes a character if one of them is rare."""
    response = passed(("é" * 100_000 + "\U0001f420").encode())
    assert isinstance(response, TextResponse)
    assert response._encoding == "utf-8"
    assert response._cached_ubody is None
    assert response.text == "é" * 100_000 + "\U0001f420"
    bad = passed("é".encode() * 100_000 + b"\xff")
    assert isinstance(bad, TextResponse)
    assert bad.encoding == "utf-8"


def test_the_encoding_of_a_big_page_is_detected_at_its_beginning() -> None:
    """R15: detection by the whole page takes half a second for each megabyte."""
    for kind in ("text/html", "text/html; charset=no-such-charset"):
        response = passed(20_000 * LATIN.encode("latin-1"), kind)
        assert isinstance(response, TextResponse)
        assert response.text == 20_000 * LATIN
        assert response._encoding == "cp1252"


def test_files_have_no_encoding() -> None:
    """Files that are no text are not changed."""
    assert type(passed(b"<meta charset=hex>", "image/png", Response)) is Response


RUSSIAN = "<title>Кораллы</title><p>Риф <a href=/2>дальше</a>"
WRONG = {"Content-Type": "text/html; charset=windows-1251"}


def title_and_anchor(response: TextResponse) -> tuple[str, str]:
    """Return the title and the anchor that the extractor reads from a response."""
    body, encoding = _body_and_encoding(response)
    kind = (response.headers["Content-Type"] or b"").decode()
    reading = read(Document(body, response.url, kind, encoding=encoding, is_html=True))
    return reading.title, reading.links[0].anchor


@pytest.mark.parametrize("encoding", ["utf-8", "koi8-r", "utf-16", "utf-16-be", "cp855", "cp1125"])
@pytest.mark.parametrize("is_replaced", [True, False])
def test_the_encoding_that_a_project_sets_counts(encoding: str, is_replaced: bool) -> None:
    """For any declaration of the server or the page: as `response.text`."""
    response = HtmlResponse("http://a.test/", headers=WRONG, body=RUSSIAN, encoding=encoding)
    if is_replaced:
        raw = HtmlResponse("http://a.test/", headers=WRONG, body=RUSSIAN.encode(encoding))
        response = raw.replace(encoding=encoding)
    passed = EncodingMiddleware().process_response(REQUEST, response)
    assert passed is response
    assert response.text == RUSSIAN
    assert title_and_anchor(response) == ("Кораллы", "дальше")


def test_an_encoding_that_a_replaced_response_has_from_its_page_is_no_choice() -> None:
    """Scrapy passes on the page's declaration as if it were set."""
    html = b"<meta charset=punycode><title>x</title>"
    response = HtmlResponse("http://a.test/", body=html).replace(url="http://a.test/2")
    assert response._encoding == "punycode"
    assert chosen_encoding(response) is None
    passed = EncodingMiddleware().process_response(REQUEST, response)
    assert isinstance(passed, TextResponse)
    assert "<title>x" in passed.text


@pytest.mark.parametrize(
    ("kind", "body"),
    [
        ("text/html; charset=utf-16le", RUSSIAN.encode()),
        ("text/html; charset=utf-16", b"<meta charset=cp1251>" + RUSSIAN.encode("cp1251")),
        ("text/html; charset=UTF-32BE", RUSSIAN.encode()),
        ("text/html", b"<meta charset=utf-32>" + RUSSIAN.encode()),
        ("text/html", b"<meta charset=utf-16be>" + RUSSIAN.encode() + b"\0"),
        ("text/html", b'<?xml version="1.0" encoding="utf-16"?>' + RUSSIAN.encode()),
        ("text/html; charset=utf-8", RUSSIAN.encode("utf-16-le")),
        ("text/html; charset=utf-16be", RUSSIAN.encode("utf-16-le")),
        ("text/html; charset=utf-16", RUSSIAN.encode("utf-16-le")),
    ],
)
def test_an_encoding_that_the_bytes_cannot_be_is_not_used(kind: str, body: bytes) -> None:
    """A callback gets the text that evocrawl reads, and a refresh is found in it."""
    response = HtmlResponse("http://a.test/", headers={"Content-Type": kind}, body=body)
    passed = EncodingMiddleware().process_response(REQUEST, response)
    assert isinstance(passed, HtmlResponse)
    assert passed.css("title::text").get() == "Кораллы"
    assert title_and_anchor(passed) == title_and_anchor(response) == ("Кораллы", "дальше")
