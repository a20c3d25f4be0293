"""Licences and opt-outs of pages."""

from __future__ import annotations

import pytest

from evocrawl.core.fetch import RawResponse
from evocrawl.extraction.rights import Rights, rights_of


def rights(html: str, *headers: tuple[str, str]) -> Rights:
    answer = RawResponse(
        "HTTP/1.1 200 OK", (("Content-Type", "text/html"), *headers), html.encode()
    )
    return rights_of(answer, "http://a.example/b/")


@pytest.mark.parametrize(
    ("headers", "found"),
    [
        ([("X-Robots-Tag", "noai, noimageai")], ("noai", "noimageai")),
        ([("x-robots-tag", "otherbot: noai")], ()),
        ([("X-Robots-Tag", "index"), ("X-Robots-Tag", "NoArchive")], ("noarchive",)),
        ([("TDM-Reservation", "1")], ("tdm-reservation",)),
        ([("tdm-reservation", "0")], ()),
    ],
)
def test_headers_opt_out(headers: list[tuple[str, str]], found: tuple[str, ...]) -> None:
    assert rights("<p>x", *headers).opt_outs == found
    pdf = RawResponse("HTTP/1.1 200 OK", (("Content-Type", "application/pdf"), *headers), b"%PDF")
    assert rights_of(pdf, "http://a.example/x.pdf").opt_outs == found


@pytest.mark.parametrize(
    ("html", "found"),
    [
        ("<meta name=Robots content='NOAI'>", ("noai",)),
        ("<meta name=robots content='index, noml'>", ("noml",)),
        ("<meta name=googlebot content=noai>", ()),
        ("<meta name=tdm-reservation content=1>", ("tdm-reservation",)),
        ("<p>noai</p>", ()),
    ],
)
def test_markup_opts_out(html: str, found: tuple[str, ...]) -> None:
    assert rights(f"<html><head>{html}</head><body>x").opt_outs == found


@pytest.mark.parametrize(
    ("html", "found"),
    [
        ("<a rel='license nofollow' href=../terms>x</a>", ("http://a.example/terms",)),
        ("<link rel=license href='javascript:x'>", ()),
        ("<a href='//creativecommons.org/licenses/by-nc/4.0/deed.de'>x</a>",
         ("https://creativecommons.org/licenses/by-nc/4.0",)),
        ("<a href='https://creativecommons.org/publicdomain/zero/1.0/'>x</a>",
         ("https://creativecommons.org/publicdomain/zero/1.0",)),
        ("<a href='https://creativecommons.org/about'>x</a>", ()),
        ("<meta name=dcterms.license content=' CC  BY\u202e '>", ("CC BY",)),
        ('<script type=application/ld+json>[{"license": {"@id": "MIT"}}, {"a": 1}]</script>',
         ("MIT",)),
        ("<script type=application/ld+json>{broken</script>", ()),
    ],
)  # fmt: skip
def test_markup_names_licences(html: str, found: tuple[str, ...]) -> None:
    assert rights(f"<html><body>{html}</body></html>").licenses == found


def test_the_number_of_licences_of_a_page_is_bounded() -> None:
    many = "".join(f"<a rel=license href=/{number}>x</a>" for number in range(1000))
    assert len(rights(many).licenses) == 20


def test_the_element_of_a_page_prevails_over_the_header() -> None:
    """As in TDMRep ("Processing priority")."""
    reserved, open_ = ("TDM-Reservation", "1"), ("TDM-Reservation", "0")
    element = "<meta name=tdm-reservation content={}><meta name=tdm-policy content='/terms'>"
    assert rights("<p>x", open_).is_reserved is False
    assert rights("<p>x").is_reserved is None
    assert rights(element.format(0), reserved).opt_outs == ()
    assert rights(element.format(2), reserved).opt_outs == ("tdm-reservation",)
    found = rights(element.format(1), open_)
    assert (found.opt_outs, found.policy) == (("tdm-reservation",), "http://a.example/terms")
    assert rights("<p>x", reserved, ("tdm-policy", "javascript:x")).policy == ""
