"""Text, encodings and files that are no HTML, on small pages that broke other crawlers."""

from __future__ import annotations

import codecs

import pytest
from case_texts import PAGE, text_of

from evocrawl.extraction import parse_html


def test_b009_text_goes_on_after_a_nul_byte() -> None:
    """The byte is removed, and the text around it is joined."""
    assert text_of("<p>o</p>\0<p>mid\0dle</p>").split() == ["o", "middle"]


@pytest.mark.parametrize(
    "body",
    [b"%PDF-1.7\n1 0 obj << /Type /Catalog >> endobj <a href=/x>", b"PK\3\4 <a href=/x>",
     b"\x89PNG\r\n\x1a\n\0\0", b"GIF89a<a href=/x>", b"\x1f\x8b\x08 <p>", b"\0\1\2binary",
     b"MSCF\0\0", b"!<arch>\ndebian-binary", b"#!AMR\n<", b"AC1015\0<p>",
     b"x.html".ljust(257, b"\0") + b"ustar\00000<a href=/x>",
     b'{"a":1}', b' [1, "<a href=/x>x</a>"] ', b'{"a":"\xc3\xa9"}'],
)  # fmt: skip
def test_b017_binary_files_are_reported_and_not_read(body: bytes) -> None:
    """Servers send files and JSON as HTML."""
    reading = parse_html(body, PAGE)
    assert not reading.is_markup
    assert (reading.text, reading.links) == ("", ())


@pytest.mark.parametrize(
    "body",
    [b"plain text", b"[1] a reference", b"{{ template }} <p>x</p>", b"BM <p>x</p>",
     b"\0<p>x</p>\1", b"<p>x</p>", b"[" * 100_000 + b"<p>x</p>", codecs.BOM_UTF16_LE + b"x\0"],
)  # fmt: skip
def test_markup_and_plain_text_are_read(body: bytes) -> None:
    """Pages that begin like another format, and broken pages, are still pages."""
    reading = parse_html(body, PAGE)
    assert reading.is_markup
    assert reading.text


@pytest.mark.parametrize("body", [b"", b" \n", b"\0", b"<!-- -->", b"<html></html>", b"</p>"])
def test_a_page_without_text_is_read_as_empty(body: bytes) -> None:
    """An empty page is no error, and counts as markup."""
    reading = parse_html(body, PAGE)
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


ON_COOKIES = "<p>Zebra cookies hold the state of a session.</p>"
ARTICLE = "<p>Coral reefs bleach when the sea is too warm for their algae.</p>" * 5


@pytest.mark.parametrize(
    "html",
    [f"<div role=main><section id=http.cookies><h1>Cookies</h1>{ON_COOKIES * 9}</section></div>"
     "<footer><p>Copyright of Jane Doe, all rights reserved, found a bug?</p></footer>",
     f"<main><h1>Sessions</h1>{ARTICLE}<section id=using-cookies><h2>Using cookies</h2>"
     f"{ON_COOKIES}</section></main>",
     f"<body class='cookies-not-set'><nav>Menu</nav><p>Text.</p>{ON_COOKIES * 9}",
     f"<div id=page class=has-cookie-banner><h1>Reefs</h1>{ON_COOKIES * 9}</div><p>Imprint</p>",
     f"<div id=wrap class=cookie-banner-off>{ON_COOKIES * 9}</div><p>Imprint</p>",
     f"{ARTICLE}<h2 id=cookies>Zebra cookies</h2>{ARTICLE}",
     f"{ARTICLE}<dl><dt id=cookies.Zebra>class Zebra<dd>A morsel.</dl>",
     f"<div class=cookie-recipes><h2>Oat</h2>{ON_COOKIES}</div>{ARTICLE}",
     f"<div role=dialog>{ARTICLE}<p>Zebra cookies</p></div>{ARTICLE}"],
    ids=["a page", "a section", "the body", "a wrapper", "a wrapper without heading", "a heading",
         "a definition", "a box with a heading", "a dialog that says so at its end"],
)  # fmt: skip
def test_b022_a_text_about_cookies_is_no_banner(html: str) -> None:
    """B022: documents name their parts after their subjects."""
    text = text_of(html)
    assert "Zebra" in text
    assert "Menu" not in text


@pytest.mark.parametrize(
    "banner",
    ["<div id=onetrust-consent-sdk><h2>Privacy</h2><p>zebra</p></div>",
     "<div class='modal gdpr'><p>zebra</p></div>", "<div id=cookies><p>zebra</p></div>",
     "<dialog open class=cookie-x><p>zebra</p></dialog>",
     f"<div id=CybotCookiebotDialog><h2>Consent</h2>{'<p>zebra vendors</p>' * 60}</div>",
     *(f"<div {name}><h2>Privacy</h2><p>zebra cookies and partners</p></div>" for name in (
         "class='cc-window cc-banner'", "class=qc-cmp2-container", "id=sp_message_container_1",
         "id=didomi-host", "id=usercentrics-root", "class=truste_overlay", "id=klaro",
         "class=osano-cm-window", "class=iubenda-cs-container", "class=cmplz-box",
         "role=dialog aria-label=Privacy", "role=alertdialog", "aria-label='Cookie banner'")),
     "<dialog open id=privacy><h2>Privacy</h2><p>zebra cookies</p></dialog>"],
)  # fmt: skip
def test_b022_banners_are_recognised_by_their_names(banner: str) -> None:
    """B022: also within the main element, and with headings of their own."""
    for html in (banner + ARTICLE, f"<main><div class=cookie-notice>zebra</div>{ARTICLE}</main>"):
        text = text_of(html)
        assert text.count("Coral reefs bleach") == 5
        assert "zebra" not in text


@pytest.mark.parametrize(
    "whole", ["<body style='display:none'>", "<html hidden><body aria-hidden=true>"]
)
def test_a_page_is_not_hidden_as_a_whole(whole: str) -> None:
    """A script shows it later; without this rule there would be no text."""
    assert "Coral" in text_of(whole + ARTICLE)


@pytest.mark.parametrize("inner", ["<table><tr><td>zebra</table>", "<pre>zebra</pre>", "zebra",
                                   "<img><figcaption>zebra</figcaption>"])  # fmt: skip
def test_figures_are_text(inner: str) -> None:
    """Content systems put tables and programs into them, not only pictures."""
    for around in ("{}", f"<article><h1>T</h1>{ARTICLE}{{}}{ARTICLE}</article>"):
        assert "zebra" in text_of(around.format(f"<figure>{inner}</figure>"))


@pytest.mark.parametrize("html", ["<label>zebra <input></label>", "<button>zebra</button>"])
def test_a_page_of_a_form_has_its_words(html: str) -> None:
    """If it has no other text."""
    assert "zebra" in text_of(f"<form>{html}</form>")


@pytest.mark.parametrize(
    "html",
    ["<svg><title>Icon</title></svg><h1>Reefs</h1>", "<h1 hidden>secret</h1><h1>Reefs</h1>",
     "<body><svg><g><title>Icon</title></g></svg><title>Reefs</title>",
     "<title> </title><title>Reefs</title>"],
)  # fmt: skip
def test_the_title_is_not_taken_from_drawings_and_hidden_elements(html: str) -> None:
    """An SVG element of the same name describes an icon."""
    assert parse_html(html.encode(), PAGE).title == "Reefs"


def test_a_page_with_only_a_banner_has_its_text() -> None:
    """A wrong text is better than none."""
    assert text_of("<div id=cookies><p>All about baking cookies.</p></div>") == (
        "All about baking cookies."
    )


@pytest.mark.parametrize(
    "hidden",
    ["<script>secret()</script>", "<style>.secret{}</style>", "<!-- secret -->",
     "<template><p>secret</p></template>", "<noscript>secret</noscript>",
     "<div hidden>secret</div>", "<p style='display:none'>secret</p>", "<script>'<p>secret</p>'",
     "<p style='DISPLAY : none !important'>secret</p>", "<p style='visibility:hidden'>secret</p>",
     "<span aria-hidden=true>secret</span>", "<p aria-hidden=TRUE>secret</p>",
     "<dialog><p>secret</p></dialog>", "<p style='position:absolute; left: -9999px'>secret</p>",
     "<p style='text-indent:-9999em'>secret</p>", "<p style='FONT-SIZE: 0px;'>secret</p>",
     "<noframes><p>secret</p></noframes>", "<p style='display:/**/none'>secret</p>",
     *(f"<p style='{style}'>secret</p>" for style in (
         "height:0;overflow:hidden", "clip-path:inset(100%)", "clip-path: circle(0)",
         "clip:rect(0,0,0,0)", "clip: rect(1px 1px 1px 1px);position:absolute",
         "transform:scale(0)", "transform: rotate(3deg) scaleY(0)", "scale:0",
         "content-visibility:hidden", "max-height:0", "width:1px;height:1px;overflow:clip",
         "left:-999em", "transform:translateX(-9999px)", "font-size:0.0rem")),
     "<div inert>secret</div>", "<div popover>secret</div>",
     "<p style='visibility:collapse'>secret</p>", "<video>secret</video>",
     "<audio src=x>secret</audio>", "<canvas>secret</canvas>",
     "<p style='display:none!important;display:block'>secret</p>",
     "<math><mi>x</mi><annotation encoding=application/x-tex>secret</annotation></math>"],
)  # fmt: skip
def test_hidden_text_is_left_out(hidden: str) -> None:
    """A page must not get relevance from words that it hides."""
    for around in ("<p>Seen words.</p>{}", "<p>Seen words.</p>" * 30 + "{}", "{}"):
        assert "secret" not in text_of(around.format(hidden))


@pytest.mark.parametrize(
    "style", ["display:none;display:block", "--x-display:none", "display:block /* display:none */",
              "left:-99px", "margin:0;font-size:0.9em", "height:0", "opacity:0", "max-height:10px",
              "height:0;overflow:hidden;padding-top:9px", "transform:scale(0.5)",
              "clip-path:inset(1%)", "position:static;clip:rect(0,0,0,0)"],
)  # fmt: skip
def test_text_that_no_style_hides_is_read(style: str) -> None:
    """The last declaration of a property counts; comments and custom properties have no effect."""
    assert "seen" in text_of(f"<p style='{style}'>seen</p>")


def test_navigation_is_left_out_if_there_is_an_article() -> None:
    """The words of menus are on every page of a site."""
    menu = "".join(f"<li><a href=/{name}>{name}</a></li>" for name in ("Imprint", "Basket"))
    article = "<p>Coral reefs bleach when the sea is too warm for their algae.</p>" * 5
    text = text_of(
        f"<nav><ul>{menu}</ul></nav><main><h1>Reefs</h1>{article}</main><footer>{menu}</footer>"
    )
    assert text.count("Coral reefs bleach") == 5
    assert "Imprint" not in text


def test_a_reference_of_definitions_is_text() -> None:
    """Pages of lists, tables and definitions are content, although they are no articles."""
    entries = "".join(f"<dt>term{n}</dt><dd>What term{n} means here.</dd>" for n in range(50))
    rows = "".join(f"<tr><td>cell{n}</td><td>value {n}</td></tr>" for n in range(50))
    text = text_of(f"<div><dl>{entries}</dl></div><table>{rows}</table>")
    assert all(f"What term{n} means" in text and f"cell{n} " in text for n in range(50))


def test_pilcrows_of_headings_are_left_out() -> None:
    """Documentation generators put one after each heading."""
    reading = parse_html("<h1>Reefs<a href='#r'>¶</a></h1><p>Warm sea.</p>".encode(), PAGE)
    assert reading.title == "Reefs"
    assert reading.text == "Reefs Warm sea."
