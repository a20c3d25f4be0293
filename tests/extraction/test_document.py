"""Each kind of response is read by its format, and none raises an error."""

from __future__ import annotations

from io import BytesIO
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from evocrawl.extraction import Document, Limits, ParsedPage, document, read
from evocrawl.extraction.subprocess import protocol

URL = "http://a.test/dir/file"
HTML = b"<title>t</title><p>text<a href=/1>one</a>"


def answer(body: bytes, kind: str = "", **options: Any) -> ParsedPage:
    return read(Document(body, URL, kind, **options))


def pdf(text: str, link: str = "http://a.test/next", pages: int = 1) -> bytes:
    """Return a PDF file with a text and a link on each page."""
    pypdf = pytest.importorskip("pypdf")
    from pypdf.annotations import Link
    from pypdf.generic import DecodedStreamObject, DictionaryObject, NameObject

    writer = pypdf.PdfWriter()
    font = DictionaryObject(
        {NameObject(f"/{key}"): NameObject(f"/{value}") for key, value in
         (("Type", "Font"), ("Subtype", "Type1"), ("BaseFont", "Helvetica"))}
    )  # fmt: skip
    for number in range(pages):
        page = writer.add_blank_page(200, 200)
        content = DecodedStreamObject()
        content.set_data(f"BT /F1 12 Tf 10 100 Td ({text}) Tj ET".encode("latin-1"))
        fonts = DictionaryObject({NameObject("/F1"): font})
        page[NameObject("/Resources")] = DictionaryObject({NameObject("/Font"): fonts})
        page[NameObject("/Contents")] = writer._add_object(content)
        writer.add_annotation(number, Link(rect=(0, 0, 50, 50), url=f"{link}{number}"))
    writer.add_metadata({"/Title": "A title"})
    file = BytesIO()
    writer.write(file)
    return file.getvalue()


@pytest.mark.parametrize(
    ("kind", "is_html"),
    [("text/html", False), ("text/html, application/json", False), ("TEXT/HTML;charset=x", False),
     ("application/xhtml+xml", False), ("image/png", True), ("", True)],
)  # fmt: skip
def test_html_is_read_as_a_page(kind: str, is_html: bool) -> None:
    """By its type, or by the class of the response."""
    reading = answer(HTML, kind, is_html=is_html)
    assert (reading.title, [each.url for each in reading.links]) == ("t", ["http://a.test/1"])


@pytest.mark.parametrize(
    "before", ["<!DOCTYPE html>\n", "<!-- a > b <c> -->", "<!--\n-->\n<?x y?>"]
)
def test_xhtml_sent_as_xml_is_a_page(before: str) -> None:
    """By its root element."""
    xhtml = (
        f"<?xml version='1.0'?>\n{before}<html xml:lang='de'><body><a href='/1'>x</a></body></html>"
    )
    reading = answer(xhtml.encode(), "application/xml", is_text=True)
    assert (len(reading.links), reading.language) == (1, "de")


@pytest.mark.parametrize(
    "kind",
    ["", "*/*", "unknown/unknown", "application/octet-stream", "text/html charset=utf-8", "html",
     "text/htm", "text/x-server-parsed-html", "httpd/unix-directory"],
)  # fmt: skip
def test_b017_the_first_tag_decides_if_the_type_does_not(kind: str) -> None:
    """B017: as in browsers (WHATWG MIME Sniffing §7.1)."""
    for body in (HTML, b"\xef\xbb\xbf\n<!-- x -->" + HTML, b"<P>text<a href=/1>one</a>"):
        assert [each.url for each in answer(body, kind, is_text=True).links] == ["http://a.test/1"]
    for body in (b"<svg/>", b"<paper>text</paper>", b"text <p>"):
        assert not answer(body, kind, is_text=True).is_markup
    assert answer(HTML, "text/plain", is_text=True).links == ()


@pytest.mark.parametrize(
    ("body", "kind"),
    [
        (b'{"a":1}', "text/plain"),
        (b'{"a":1}', "text/html"),
        (b"%PDF-1.4 broken", "text/html"),
        (b"\x89PNG\r\n\x1a\n....", "text/html"),
        (b"body { color: red }", "text/css"),
        (b"let a = '<a href=/1>'", "text/javascript"),
        (b"<svg/>", "image/svg+xml"),
        (b"\x00\x01\x02", "text/plain"),
        (b'\xef\xbb\xbf {"a":1}', "text/html"),
        (b'{"a":1}\n{"b":"<p>"}\n', "text/html"),
        (b")]}',\n[1]", "text/html"),
        (b"{\\rtf1 <p>text}", "text/html"),
        (b"RIFF\x24\0\0\0WEBPVP8 <a>", "text/html"),
        (b"BM\x36\0\0\0\0\0\0\0\x36\0<p>", "text/html"),
        (b"\0\0\0\x18ftypmp42<a>", "text/html"),
        (b"wOF2\0\1<a>", "text/html"),
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1<a>", "text/html"),
        (b"BZh91AY&SY<a>", "text/html"),
    ],
)
def test_b017_a_file_that_is_no_page_gives_no_text(body: bytes, kind: str) -> None:
    """B017: no error and no text, with any declared type."""
    assert answer(body, kind, is_text=True) == ParsedPage.nothing()


def test_any_text_is_read_if_the_caller_wants_it() -> None:
    """Custom spiders may read any format; their pages are scored by their text."""
    assert answer(b"reef,1", "text/csv", is_text=True, any_text=True).text == "reef,1"
    assert not answer(b'{"a":1}', "application/json", is_text=True, any_text=True).is_markup


def test_plain_text_has_a_title_and_no_markup() -> None:
    """Text that looks like a tag is text."""
    reading = answer(
        "\n Réefs\n\n<a href=/1>warm</a>\n".encode("latin-1"), "text/plain;charset=latin1"
    )
    assert (reading.title, reading.text) == ("Réefs", "Réefs <a href=/1>warm</a>")
    assert answer(b"\rA title\rtext\r\n", "text/plain").title == "A title"
    assert reading.links == ()


def test_pdf_text_title_and_links() -> None:
    """With the extra, PDF is a page, with any declared type."""
    reading = answer(pdf("Coral reefs bleach"), "text/html", is_html=True)
    assert (reading.title, reading.text) == ("A title", "Coral reefs bleach")
    assert [each.url for each in reading.links] == ["http://a.test/next0"]


def test_a_page_about_pdf_is_read_as_html() -> None:
    """A file is PDF if it begins as one; after other bytes, only if its type is PDF."""
    assert answer(b"<title>%PDF-1.7</title><p>text", "text/html").text == "text"
    assert answer(b"junk\n" + pdf("Coral reefs"), "application/pdf").text == "Coral reefs"


def test_pages_of_pdf_are_capped_and_the_cut_is_reported() -> None:
    """R14: a book is read in part."""
    reading = read(Document(pdf("word", pages=4), URL), Limits(pdf_pages=2))
    assert (reading.text, reading.truncated) == ("word word", ("pdf_pages",))


@pytest.mark.parametrize("cut", [20, 200, 500])
def test_broken_pdf_is_read_as_far_as_it_goes(cut: int) -> None:
    """R16: no error is raised."""
    assert answer(pdf("Coral reefs")[:-cut], "application/pdf").unread == ""


@pytest.mark.parametrize("kind", ["text/html", "text/plain", "application/rss+xml"])
def test_b096_robots_tags_of_the_header_hold_for_every_kind(kind: str) -> None:
    """B096: files other than HTML can have no other robots tags."""
    body = b"<rss><title>t</title></rss>" if "rss" in kind else b"text"
    reading = answer(body, kind, robots_tags=("noindex", "otherbot: none", "evocrawl: nofollow"))
    assert (reading.noindex, reading.nofollow) == (True, True)
    assert not answer(body, kind).nofollow


def test_r14_a_body_that_expands_too_much_is_not_read() -> None:
    """R14: a page that is a hundred times larger than its transfer is a bomb."""
    body = b"<p>" + b"x " * 100_000 + b"<a href=/1>one</a>"
    assert answer(body, "text/html", wire_bytes=1_000).truncated == ("ratio",)
    assert answer(body, "text/html", wire_bytes=1_000).links == ()
    assert len(answer(body, "text/html", wire_bytes=5_000).links) == 1
    assert len(answer(body, "text/html").links) == 1


def test_r14_tags_are_capped_before_parsing() -> None:
    """R14: the rest after too many tags is not parsed, and the page is flagged."""
    for before, links, truncated in ((50, 0, ("tags",)), (48, 1, ())):
        body = b"<br>" * before + b"<a href=/1>one</a>"
        reading = read(Document(body, URL, "text/html"), Limits(tags=50))
        assert (len(reading.links), reading.truncated) == (links, truncated)


def test_r16_a_failure_affects_its_page_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """R16: an unforeseen error makes the page unreadable and changes nothing else."""

    def fail(*_: object, **__: object) -> ParsedPage:
        raise RecursionError

    monkeypatch.setattr(document, "parse_html", fail)
    assert answer(HTML, "text/html") == ParsedPage.nothing("unreadable")


@given(
    st.binary(max_size=200)
    | st.tuples(
        st.sampled_from([b"%PDF-1.7\n1 0 obj<<", b"\x1f\x8b\x08", b"<rss><item>", b"<feed "]),
        st.binary(max_size=60),
    ).map(b"".join),
    st.sampled_from(["text/html", "text/plain", "application/xml", "application/pdf", "text/turtle",
                     "application/ld+json", "application/rdf+xml", "text/html; charset=hex"])
    | st.text(max_size=30),
    st.text(max_size=20),
    st.booleans(),
)  # fmt: skip
@settings(max_examples=150)
@example(b"<rss>\x00", "text/plain", "http://[", True)
@example(b"%PDF-", "", "", False)
def test_no_answer_raises_and_every_reading_can_be_sent(
    body: bytes, kind: str, text: str, flag: bool
) -> None:
    """Bytes and headers of any kind; the result can be sent between processes."""
    asked = Document(
        body, f"http://a.test/{text}", kind, content_language=text, robots_tags=(text,),
        wire_bytes=len(text), is_html=flag, is_text=True, any_text=flag, data=True,
    )  # fmt: skip
    reading = read(asked)
    assert reading.unread == ""
    assert protocol.unpack_document(*protocol.pack_document(asked)) == asked
    assert protocol.unpack_reading(protocol.pack_reading(reading)) == reading
