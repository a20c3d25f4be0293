"""The part of a big page that evospider does not read is not kept."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest
from scrapy import Request
from scrapy.http import HtmlResponse, Response

from evocrawl.middlewares.beginnings import BeginningsMiddleware
from evocrawl.middlewares.redirects import _beginning
from evocrawl.extraction import Document, Limits, beginning, read

LIMITS = Limits()
BIG = b"<p>" + b"coral bleaching " * 900_000
HTML = {"Content-Type": "text/html; charset=utf-8"}


def kept(response: Response, request: Request, *, reads_beginnings: bool = True) -> Response:
    fetch = SimpleNamespace(last_bytes=27_000)
    context: Any = SimpleNamespace(reads_beginnings=reads_beginnings, fetches=SimpleNamespace(of=lambda _: fetch))
    return BeginningsMiddleware(context).process_response(request, response)


def test_the_beginning_of_a_big_page_is_kept_undecoded() -> None:
    """It is read like the whole page, and the cut is reported."""
    response = kept(HtmlResponse("http://a.test/", body=BIG, headers=HTML), Request("http://a.test"))
    assert isinstance(response, HtmlResponse)
    assert len(response.body) == LIMITS.ratio * 27_000 + 1
    assert response._cached_ubody is None
    whole, cut = (
        read(Document(body, "http://a.test/", wire_bytes=27_000, is_html=True))
        for body in (BIG, response.body)
    )
    assert whole == cut
    assert whole.truncated == ("ratio", "body_bytes", "text_chars")


def test_other_responses_stay_whole() -> None:
    """Responses of a custom spider or callback, small ones, and PDF."""
    request = Request("http://a.test")
    big = HtmlResponse("http://a.test/", body=BIG, headers=HTML)
    assert kept(big, request, reads_beginnings=False) is big
    assert kept(big, Request("http://a.test", callback=print)) is big
    for body in (b"%PDF-1.7" + BIG, b"\x1f\x8b" + BIG, b"small"):
        response = Response("http://a.test/", body=body)
        assert kept(response, request) is response


@pytest.mark.parametrize("size", [10, LIMITS.body_bytes, LIMITS.body_bytes + 1])
def test_a_page_that_is_read_whole_is_kept_whole(size: int) -> None:
    assert beginning(b"x" * size, "text/html", 0) == b"x" * size


def test_a_refresh_is_looked_for_without_the_text_of_a_big_page() -> None:
    """The decoded text would stay in memory, at four bytes a character."""
    response = HtmlResponse("http://a.test/", body="\U0001f420".encode() + BIG, headers=HTML)
    assert _beginning(response).startswith("\U0001f420<p>coral")
    assert response._cached_ubody is None
