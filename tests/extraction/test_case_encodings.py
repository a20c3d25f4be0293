"""The characters of pages: declared and detected encodings, and text that follows from them."""

from __future__ import annotations

import codecs

import pytest
from case_texts import PAGE, text_of

from evocrawl.extraction import Document, parse_html, read

JAPANESE = "日本語テキストの例です。海の底には多くの資源があります。"


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
def test_b031_text_is_passed_on_unchanged(form: str) -> None:
    """The relevance model folds invisible and composed characters, and needs the original text."""
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
def test_b027_labels_have_the_meaning_that_browsers_give_them(
    name: str, codec: str, text: str
) -> None:
    """B027: a name may be old, or that of a smaller encoding (WHATWG Encoding, "labels")."""
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
    """B026: the standard's tables for EUC-JP and GBK have more characters."""
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
def test_b026_an_undeclared_encoding_is_detected(body: bytes, text: str) -> None:
    """B026: by the bytes at any place of the page, or by a declaration that comes too late."""
    assert parse_html(body, PAGE).text == text


@pytest.mark.parametrize(
    "html",
    ["<p>one</p></body></html>\n<p>two</p><a href=/x>link</a>",
     "<html><body>one</body></html><html><body>two <a href=/x>link</a></body></html>",
     "<p>one</HTML ><div>two</div></body><a href=/x>link</a>"],
)  # fmt: skip
def test_b009_text_after_the_end_of_a_page_belongs_to_it(html: str) -> None:
    """B009: servers and templates add text there; browsers show it (HTML, "after body")."""
    reading = parse_html(html.encode(), PAGE)
    assert reading.text == "one two link"
    assert [link.url for link in reading.links] == ["http://a.test/x"]


def test_b031_inline_elements_split_no_word() -> None:
    """B031: drop caps and marks may be within a word; blocks separate words."""
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
def test_control_characters_are_removed(control: str) -> None:
    """They control terminals and are not allowed in XML; as with NUL, the word is not split."""
    reading = parse_html(f"<title>a{control}b</title><p>c{control}d &#10;&#128;".encode(), PAGE)
    assert (reading.title, reading.text) == ("ab", "cd €")


def test_undecodable_bytes_are_replaced() -> None:
    """One bad byte must not make the page unread."""
    assert parse_html(b"<p>a\xff\xfeb</p>", PAGE, encoding="utf-8").text == "a\ufffd\ufffdb"


@pytest.mark.parametrize(
    "name",
    ["hex", "base64", "rot13", "zlib", "punycode", "idna", "unicode_escape", "undefined", "utf-7",
     "raw_unicode_escape", "cp037", "mbcs", "../x", "\0"],
)  # fmt: skip
def test_names_of_python_codecs_are_no_encodings(name: str) -> None:
    """R16: codecs that no web page uses are ignored: they raise errors, are slow, or hide tags."""
    body = f"<meta charset='{name}'><p>é +ADw-a \\x3ca</p>".encode()
    for encoding in (None, name):
        assert parse_html(body, PAGE, encoding=encoding).text == "é +ADw-a \\x3ca"
