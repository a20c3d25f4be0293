"""Text, encodings and what is no HTML, on small pages that broke other crawlers."""

from __future__ import annotations

import codecs

import pytest

from evocrawl.extraction import Document, parse_html, read

PAGE = "http://a.test/page"
JAPANESE = "日本語テキストの例です。海の底には多くの資源があります。"


def text_of(html: str) -> str:
    return parse_html(html.encode(), PAGE).text


def test_b009_text_goes_on_after_a_nul_byte() -> None:
    """The byte is dropped, the text around it is one."""
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
    """What merely begins like something else, and broken pages, are still pages."""
    reading = parse_html(body, PAGE)
    assert reading.is_markup
    assert reading.text


@pytest.mark.parametrize("body", [b"", b" \n", b"\0", b"<!-- -->", b"<html></html>", b"</p>"])
def test_a_page_without_text_reads_as_nothing(body: bytes) -> None:
    """Nothing to read is no error, and is markup."""
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
def test_b022_what_is_about_cookies_is_no_banner(html: str) -> None:
    """B022: documents name their parts after what these are about."""
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
    """Scripts show it when it is complete; without them there would be no text."""
    assert "Coral" in text_of(whole + ARTICLE)


@pytest.mark.parametrize("inner", ["<table><tr><td>zebra</table>", "<pre>zebra</pre>", "zebra",
                                   "<img><figcaption>zebra</figcaption>"])  # fmt: skip
def test_figures_are_text(inner: str) -> None:
    """Content systems put tables and programs into them, not pictures alone."""
    for around in ("{}", f"<article><h1>T</h1>{ARTICLE}{{}}{ARTICLE}</article>"):
        assert "zebra" in text_of(around.format(f"<figure>{inner}</figure>"))


@pytest.mark.parametrize("html", ["<label>zebra <input></label>", "<button>zebra</button>"])
def test_a_page_of_a_form_has_its_words(html: str) -> None:
    """Where there is nothing else."""
    assert "zebra" in text_of(f"<form>{html}</form>")


@pytest.mark.parametrize(
    "html",
    ["<svg><title>Icon</title></svg><h1>Reefs</h1>", "<h1 hidden>secret</h1><h1>Reefs</h1>",
     "<body><svg><g><title>Icon</title></g></svg><title>Reefs</title>",
     "<title> </title><title>Reefs</title>"],
)  # fmt: skip
def test_drawings_and_what_is_hidden_give_a_page_no_title(html: str) -> None:
    """An element of the same name says what an icon is."""
    assert parse_html(html.encode(), PAGE).title == "Reefs"


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
    """A page must not win by words that it hides."""
    for around in ("<p>Seen words.</p>{}", "<p>Seen words.</p>" * 30 + "{}", "{}"):
        assert "secret" not in text_of(around.format(hidden))


@pytest.mark.parametrize(
    "style", ["display:none;display:block", "--x-display:none", "display:block /* display:none */",
              "left:-99px", "margin:0;font-size:0.9em", "height:0", "opacity:0", "max-height:10px",
              "height:0;overflow:hidden;padding-top:9px", "transform:scale(0.5)",
              "clip-path:inset(1%)", "position:static;clip:rect(0,0,0,0)"],
)  # fmt: skip
def test_what_a_style_does_not_hide_is_text(style: str) -> None:
    """The last declaration of a property counts; comments and custom properties do not."""
    assert "seen" in text_of(f"<p style='{style}'>seen</p>")


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
    reading = parse_html("<h1>Reefs<a href='#r'>¶</a></h1><p>Warm sea.</p>".encode(), PAGE)
    assert reading.title == "Reefs"
    assert reading.text == "Reefs Warm sea."


def test_b026_undeclared_shift_jis() -> None:
    """Without any declaration the bytes decide."""
    html = f"<p>{JAPANESE * 3}</p>"
    assert JAPANESE in parse_html(html.encode("cp932"), PAGE).text


def test_b027_malformed_meta_charset() -> None:
    """A charset in a misspelt meta element counts."""
    html = (
        "<meta httpequiv='ContentType' content='text/html; charset=gbk'><p>深海采矿对生态的影响</p>"
    )
    assert parse_html(html.encode("gb18030"), PAGE).text == "深海采矿对生态的影响"


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
    assert parse_html(body, PAGE, encoding=encoding).text == "é"


RUSSIAN = "Глубоководная добыча руды вредит дну моря."
KOREAN = "심해 채굴은 생태계에 큰 영향을 미친다. 더 많은 연구가 필요하다."


@pytest.mark.parametrize(
    ("name", "codec", "text"),
    [
        ("GB2312", "gb18030", "鎔镕喆"),
        ("x-x-big5", "big5hkscs", "深海採礦 嘅咁"),
        ("Shift_JIS", "cp932", "①㈱髙～"),
        ("windows-949", "cp949", "똠방각하"),
        ("ks_c_5601-1987", "cp949", "똠방각하"),
        ("ISO-8859-1", "cp1252", "“a” €"),
        ("us-ascii", "cp1252", "“a” €"),
        ("iso-8859-9", "cp1254", "€ğ"),
        ("dos-874", "cp874", "€ก"),
        ("iso-8859-8-i", "iso8859-8", "שלום"),
        ("visual", "iso8859-8", "שלום"),
        ("x-mac-cyrillic", "mac-cyrillic", RUSSIAN),
        ("X-Mac-Roman", "macroman", "é"),
        ("koi", "koi8-r", RUSSIAN),
    ],
)
def test_b027_labels_mean_what_browsers_take_them_for(name: str, codec: str, text: str) -> None:
    """B027: names are old, or those of a smaller relative (WHATWG Encoding, "labels")."""
    body = f"<p>{text}".encode(codec)
    assert parse_html(body, PAGE, encoding=name).text == text
    assert parse_html(f"<meta charset='{name}'>".encode() + body, PAGE).text == text
    header = f"text/html; Charset='{name}'"
    assert read(Document(body, PAGE, header)).text == text


@pytest.mark.parametrize(
    ("body", "encoding", "text"),
    [
        pytest.param(b"<p>\xad\xa1 \xad\xea \xfc\xe2", "euc-jp", "① ㈱ 髙", id="NEC and IBM"),
        pytest.param(b"<p>\xb3\xa4\xfd\xfe<b>x", "euc-jp", "海\ufffdx", id="no character"),
        pytest.param(b"<p>\x80 5 \xff", "gbk", "€ 5 \ufffd", id="euro"),
    ],
)
def test_b026_characters_that_python_does_not_know(body: bytes, encoding: str, text: str) -> None:
    """B026: the standard's tables for EUC-JP and GBK hold more."""
    assert parse_html(body, PAGE, encoding=encoding).text == text


@pytest.mark.parametrize(
    ("body", "text"),
    [
        pytest.param(f"<p>{KOREAN}".encode("cp949"), KOREAN, id="Korean"),
        pytest.param(f"<p>{JAPANESE}".encode("iso2022_jp"), JAPANESE, id="seven bits"),
        pytest.param(f"<p>{RUSSIAN}".encode("koi8-r"), RUSSIAN, id="Cyrillic"),
        pytest.param("<p>Größe – “été”".encode("cp1252"), "Größe – “été”", id="Latin"),
        pytest.param("<p>é 海</p>".encode("utf-16-le"), "é 海", id="UTF-16 without a mark"),
        pytest.param("\r\n<!-- x --><p>é".encode("utf-16-be"), "é", id="the other UTF-16"),
        pytest.param("<p>Größe, été, 海".encode() + b"\xff", "Größe, été, 海\ufffd", id="bad"),
        pytest.param("<p>海底".encode() * 9 + b"\xe6\xb5", "海底 " * 8 + "海底\ufffd", id="cut"),
        pytest.param(b"<p>" + b"word " * 6000 + KOREAN.encode("cp949"), "word " * 6000 + KOREAN,
                     id="far on"),
        pytest.param(b"<script>" + b"x" * 5000 + b"</script><meta charset=iso-8859-2><p>\xb1\xb6",
                     "ąś", id="declared far on"),
        pytest.param(b"<p>x<meta http-equiv=Content-Type content='a;charset=iso-8859-2'> \xb1\xb6",
                     "x ąś", id="declared in the body"),
    ],
)  # fmt: skip
def test_b026_what_is_not_declared_is_found_out(body: bytes, text: str) -> None:
    """B026: by its bytes, wherever the first sign is, or by a declaration that comes too late."""
    assert parse_html(body, PAGE).text == text


@pytest.mark.parametrize(
    "html",
    ["<p>one</p></body></html>\n<p>two</p><a href=/x>link</a>",
     "<html><body>one</body></html><html><body>two <a href=/x>link</a></body></html>",
     "<p>one</HTML ><div>two</div></body><a href=/x>link</a>"],
)  # fmt: skip
def test_b009_what_follows_the_end_of_a_page_belongs_to_it(html: str) -> None:
    """B009: servers and templates put things behind; browsers show them (HTML, "after body")."""
    reading = parse_html(html.encode(), PAGE)
    assert reading.text == "one two link"
    assert [link.url for link in reading.links] == ["http://a.test/x"]


def test_b031_inline_elements_split_no_word() -> None:
    """B031: drop caps, marks and the like stand within words; blocks do not."""
    for tag in ("b", "FONT", "bdi", "mark", "ins", "big", "q", "time"):
        assert text_of(f"<p>un<{tag}>believ</{tag}>able</p>re<wbr>ef<p>x") == "unbelievable reef x"


def test_b031_characters_above_a_line_split_no_word() -> None:
    """B031: Japanese pages for learners have the pronunciation of each character."""
    html = "<p><ruby>深<rp>(</rp><rt>しん</rt>海<rt>かい</rt></ruby>採鉱"
    assert text_of(html) == "深海採鉱"


@pytest.mark.parametrize(
    "control", ["\x01", "\x1b", "\x7f", "&#1;", "&#x1B;", "&#0027", "&#x0;", "\x80", "\x9b",
                "\uffff", "\ufffe", "&#xFFFF;", "&#65534;", "&#129;", "&#X9d;"],
)  # fmt: skip
def test_control_characters_are_no_text(control: str) -> None:
    """They steer terminals and are not allowed in XML; as with NUL, the word goes on."""
    reading = parse_html(f"<title>a{control}b</title><p>c{control}d &#10;&#128;".encode(), PAGE)
    assert (reading.title, reading.text) == ("ab", "cd €")


def test_undecodable_bytes_are_replaced() -> None:
    """One bad byte must not cost the page."""
    assert parse_html(b"<p>a\xff\xfeb</p>", PAGE, encoding="utf-8").text == "a\ufffd\ufffdb"


@pytest.mark.parametrize(
    "name",
    ["hex", "base64", "rot13", "zlib", "punycode", "idna", "unicode_escape", "undefined", "utf-7",
     "raw_unicode_escape", "cp037", "mbcs", "../x", "\0"],
)  # fmt: skip
def test_names_of_python_codecs_are_no_encodings(name: str) -> None:
    """R16: what no web page is written in is passed over: it raises, is slow, or hides tags."""
    body = f"<meta charset='{name}'><p>é +ADw-a \\x3ca</p>".encode()
    for encoding in (None, name):
        assert parse_html(body, PAGE, encoding=encoding).text == "é +ADw-a \\x3ca"
