"""Text, encodings and what is no HTML, on small pages that broke other crawlers."""

from __future__ import annotations

import codecs

import pytest

from evocrawl.reading import read_html

PAGE = "http://a.test/page"
JAPANESE = "日本語テキストの例です。海の底には多くの資源があります。"


def text_of(html: str) -> str:
    return read_html(html.encode(), PAGE).text


def test_b009_text_goes_on_after_a_nul_byte() -> None:
    """The byte is dropped, the text around it is one."""
    assert text_of("<p>o</p>\0<p>mid\0dle</p>").split() == ["o", "middle"]


@pytest.mark.parametrize(
    "body",
    [b"%PDF-1.7\n1 0 obj << /Type /Catalog >> endobj <a href=/x>", b"PK\3\4 <a href=/x>",
     b"\x89PNG\r\n\x1a\n\0\0", b"GIF89a<a href=/x>", b"\x1f\x8b\x08 <p>", b"\0\1\2binary",
     b'{"a":1}', b' [1, "<a href=/x>x</a>"] ', b'{"a":"\xc3\xa9"}'],
)  # fmt: skip
def test_b017_what_is_no_markup_is_told_and_not_read(body: bytes) -> None:
    """Servers send files and JSON as HTML."""
    reading = read_html(body, PAGE)
    assert not reading.is_markup
    assert (reading.text, reading.links) == ("", ())


@pytest.mark.parametrize(
    "body",
    [b"plain text", b"[1] a reference", b"{{ template }} <p>x</p>", b"BM <p>x</p>",
     b"\0<p>x</p>\1", b"<p>x</p>", b"[" * 100_000 + b"<p>x</p>", codecs.BOM_UTF16_LE + b"x\0"],
)  # fmt: skip
def test_markup_and_plain_text_are_read(body: bytes) -> None:
    """What merely begins like something else, and broken pages, are still pages."""
    reading = read_html(body, PAGE)
    assert reading.is_markup
    assert reading.text


@pytest.mark.parametrize("body", [b"", b" \n", b"\0", b"<!-- -->", b"<html></html>", b"</p>"])
def test_a_page_without_text_reads_as_nothing(body: bytes) -> None:
    """Nothing to read is no error, and is markup."""
    reading = read_html(body, PAGE)
    assert reading.is_markup
    assert (reading.title, reading.text, reading.links) == ("", "", ())
    assert reading.content_fingerprint == b""


def test_b022_the_article_is_the_text_and_not_the_cookie_banner() -> None:
    """Consent text may be longer and better marked up than the article."""
    banner = "<p>We use cookies to store your consent choices.</p>" * 6
    article = "<p>Article text about deep sea mining and its costs.</p>" * 20
    for name in ("id=cookie-banner", "class='GDPR-box'", "id=x class=consentManager"):
        text = text_of(f"<div {name}>{banner}</div><aside>{article}</aside>")
        assert text.count("deep sea mining") == 20
        assert "consent" not in text


def test_a_page_that_is_all_banner_still_has_text() -> None:
    """Better the wrong text than none."""
    assert text_of("<div id=cookies><p>All about baking cookies.</p></div>") == (
        "All about baking cookies."
    )


@pytest.mark.parametrize(
    "hidden",
    ["<script>secret()</script>", "<style>.secret{}</style>", "<!-- secret -->",
     "<template><p>secret</p></template>", "<noscript>secret</noscript>",
     "<div hidden>secret</div>", "<p style='display:none'>secret</p>", "<script>'<p>secret</p>'",
     "<p style='DISPLAY : none !important'>secret</p>", "<p style='visibility:hidden'>secret</p>",
     "<span aria-hidden=true>secret</span>"],
)  # fmt: skip
def test_what_nobody_sees_is_no_text(hidden: str) -> None:
    """A page must not win by words that it hides."""
    for around in ("<p>Seen words.</p>{}", "<p>Seen words.</p>" * 30 + "{}", "{}"):
        assert "secret" not in text_of(around.format(hidden))


def test_navigation_is_no_text_where_there_is_an_article() -> None:
    """The words of menus stand on every page of a site."""
    menu = "".join(f"<li><a href=/{name}>{name}</a></li>" for name in ("Imprint", "Basket"))
    article = "<p>Coral reefs bleach when the sea is too warm for their algae.</p>" * 5
    text = text_of(
        f"<nav><ul>{menu}</ul></nav><main><h1>Reefs</h1>{article}</main><footer>{menu}</footer>"
    )
    assert text.count("Coral reefs bleach") == 5
    assert "Imprint" not in text


def test_a_reference_of_definitions_is_text() -> None:
    """Pages of lists, tables and definitions are no articles, but all content."""
    entries = "".join(f"<dt>term{n}</dt><dd>What term{n} means here.</dd>" for n in range(50))
    rows = "".join(f"<tr><td>cell{n}</td><td>value {n}</td></tr>" for n in range(50))
    text = text_of(f"<div><dl>{entries}</dl></div><table>{rows}</table>")
    assert all(f"What term{n} means" in text and f"cell{n} " in text for n in range(50))


def test_pilcrows_of_headings_are_no_text() -> None:
    """Documentation generators put one behind each heading."""
    reading = read_html("<h1>Reefs<a href='#r'>¶</a></h1><p>Warm sea.</p>".encode(), PAGE)
    assert reading.title == "Reefs"
    assert reading.text == "Reefs Warm sea."


def test_b026_undeclared_shift_jis() -> None:
    """Without any declaration the bytes tell."""
    html = f"<p>{JAPANESE * 3}</p>"
    assert JAPANESE in read_html(html.encode("cp932"), PAGE).text


def test_b027_malformed_meta_charset() -> None:
    """A charset in a misspelt meta element counts."""
    html = (
        "<meta httpequiv='ContentType' content='text/html; charset=gbk'><p>深海采矿对生态的影响</p>"
    )
    assert read_html(html.encode("gb18030"), PAGE).text == "深海采矿对生态的影响"


@pytest.mark.parametrize("form", ["deep\u00adsea", "mi\u200bning", "cafe\u0301", "İstanbul"])
def test_b031_text_is_passed_on_as_written(form: str) -> None:
    """Folding of invisible and composed characters is the relevance model's, which needs all."""
    assert form in text_of(f"<p>Here is {form} now.</p>")


@pytest.mark.parametrize(
    ("body", "encoding"),
    [
        ("é".encode(), None),
        ("é".encode("latin-1"), "iso-8859-1"),
        ("é".encode("latin-1"), "LATIN1"),
        (b"<meta charset=windows-1252>\xe9", None),
        (codecs.BOM_UTF8 + "é".encode(), "iso-8859-1"),
        (codecs.BOM_UTF16_LE + "é".encode("utf-16-le"), None),
        ("é".encode(), "no-such-charset"),
        (b"<meta charset=no-such-charset>" + "é".encode(), None),
        (b"<meta charset=ascii>" + "é".encode(), "utf-8"),
        (b"&eacute;", "ascii"),
        ("<meta charset=utf-16>é".encode(), None),
        ("é".encode(), "utf-16"),
        ("<p>é</p>".encode("utf-16-le"), "utf-16le"),
    ],
)
def test_encodings(body: bytes, encoding: str | None) -> None:
    """Byte order mark, header, declaration, bytes: in this order (HTML, encoding sniffing)."""
    assert read_html(body, PAGE, encoding=encoding).text == "é"


def test_undecodable_bytes_are_replaced() -> None:
    """One bad byte must not cost the page."""
    assert read_html(b"<p>a\xff\xfeb</p>", PAGE, encoding="utf-8").text == "a\ufffd\ufffdb"


@pytest.mark.parametrize(
    "name",
    ["hex", "base64", "rot13", "zlib", "punycode", "idna", "unicode_escape", "undefined", "utf-7",
     "raw_unicode_escape", "cp037", "mbcs", "../x", "\0"],
)  # fmt: skip
def test_names_of_python_codecs_are_no_encodings(name: str) -> None:
    """R16: what no web page is written in is passed over: it raises, is slow, or hides tags."""
    body = f"<meta charset='{name}'><p>é +ADw-a \\x3ca</p>".encode()
    for encoding in (None, name):
        assert read_html(body, PAGE, encoding=encoding).text == "é +ADw-a \\x3ca"
