"""Link extraction on small pages that broke other crawlers."""

from __future__ import annotations

import pytest
from case_links import PAGE, only_link, read, urls

from evocrawl.extraction import Document
from evocrawl.extraction import read as answer


def test_b001_unparsable_links_are_counted_and_the_others_kept() -> None:
    """One bad address must not remove the other links of the page."""
    reading = read(
        "<a href=/1>one</a><a href='http://[bad/'>x</a><a href='http://h:99999/'>p</a>"
        "<a href=/2>two</a>"
    )
    assert [link.url for link in reading.links] == ["http://a.test/1", "http://a.test/2"]
    assert reading.malformed_links == 2


@pytest.mark.parametrize(
    "base",
    ["http://[oops", "//[oops", "http://h:99999/", "javascript:x", "data:text/html,x", "mailto:x",
     "file:///x/", "ftp://a.test/", "http://", "", " ", "http://b.test/" + 3000 * "x/"],
)  # fmt: skip
def test_b002_base_that_is_no_web_address_is_ignored(base: str) -> None:
    """B002: a bad base must not remove the links of the page."""
    html = f"<base href='{base}'><a href='/1'>one</a><a href=2>two</a>"
    assert urls(html) == ["http://a.test/1", "http://a.test/dir/2"]


def test_b003_relative_base_is_resolved() -> None:
    """A base may itself be relative to the page."""
    html = "<base href='/forum/'><a href='index.php/x'>i</a>"
    assert urls(html, "http://a.test/m/7/0/") == ["http://a.test/forum/index.php/x"]


def test_b005_base_counts() -> None:
    """Links are relative to the base, not to the page."""
    html = "<base href='/'><a href='page.php'>p</a>"
    assert urls(html, "http://a.test/foo/bar") == ["http://a.test/page.php"]


def test_the_first_base_with_an_address_counts() -> None:
    """A base without href and any second base have no effect (HTML, "document base URL")."""
    html = "<base target=_top><base href='/x/'><base href='/y/'><a href=p>p</a>"
    assert urls(html) == ["http://a.test/x/p"]


def test_a_second_base_does_not_replace_a_bad_first_one() -> None:
    """The page's own address is the base then, as in browsers (HTML, "frozen base URL")."""
    assert urls("<base href='data:,x'><base href='/y/'><a href=p>p</a>") == ["http://a.test/dir/p"]


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("http:\\\\b.test\\x?a=\\1", "http://b.test/x?a=\\1"),
        ("\\\\b.test\\x", "http://b.test/x"),
        ("\\x\\y", "http://a.test/x/y"),
        ("..\\x", "http://a.test/x"),
        ("///b.test/x", "http://b.test/x"),
        ("http:///b.test/x", "http://b.test/x"),
        ("https:b.test/x", "https://b.test/x"),
        ("https:/b.test/x", "https://b.test/x"),
        ("http:x", "http://a.test/dir/x"),
        ("http:/x", "http://a.test/x"),
        ("\tht\ntp://b.test/ ", "http://b.test/"),
        ("/a\n\tb\r\nc", "http://a.test/abc"),
        ("&#1; /a &#31;", "http://a.test/a"),
        ("&nbsp;x", "http://a.test/dir/\u00a0x"),
        ("?", "http://a.test/dir/page.html"),
        ("..x/.y", "http://a.test/dir/..x/.y"),
        ("../../../x", "http://a.test/x"),
        ("1a:b", "http://a.test/dir/1a:b"),
        ("//b.test:8080", "http://b.test:8080"),
        ("http://straße.test/ß", "http://xn--strae-oqa.test/ß"),
        ("http://b%C3%BCcher.test/", "http://xn--bcher-kva.test/"),
        ("http://I❤.test:81/", "http://xn--i-7iq.test:81/"),
    ],
)
def test_slashes_count_as_in_browsers(written: str, meant: str) -> None:
    """Pages are written for browsers, which correct backslashes and missing slashes."""
    page = PAGE + "?q" if written == "?" else PAGE
    assert urls(f"<a href='{written}'>x</a>", page) == [meant]
    written = written.replace("&#1;", "\x01").replace("&#31;", "\x1f").replace("&nbsp;", "\u00a0")
    feed = f"<rss><item><link>{written.strip()}</link></item></rss>"
    if written.isprintable():
        assert [link.url for link in answer(Document(feed.encode(), page)).links] == [meant]


@pytest.mark.parametrize("slashes", ["\\\\", "///", "http:\\\\"])
def test_b003_the_base_and_the_canonical_address_are_read_as_links_are(slashes: str) -> None:
    """B003: addresses are corrected in the same way everywhere."""
    reading = read(
        f"<base href='{slashes}b.test\\x\\'><link rel=canonical href='\\c'><a href=p>p</a>"
    )
    assert [link.url for link in reading.links] == ["http://b.test/x/p"]
    assert reading.canonical_url == "http://b.test/c"


@pytest.mark.parametrize(
    "host",
    ["a b.test", "a&lt;b.test", "a^b.test", "a|b.test", "a%00b.test", "a%2fb.test", "a%40b.test",
     "b%ff.test", "[fe80::1%25eth0]", "[::g]", "::1", "b.test:+80", "b.test:８０", "u@", ":80",
     "a.1", "a.0x4", "1.2.3.4.5", "256.1.1.1", "[v1.x]"],
)  # fmt: skip
def test_b001_an_impossible_host_name_is_malformed(host: str) -> None:
    """B001: it leads to no request (WHATWG URL, forbidden domain code points)."""
    reading = read(f"<a href='http://{host}/'>x</a><a href=/1>one</a>")
    assert [link.url for link in reading.links] == ["http://a.test/1"]
    assert reading.malformed_links == 1


def test_links_for_browsers_without_scripts_count() -> None:
    """evocrawl runs no script, so it reads noscript, except counters in frames."""
    reading = read(
        "<head><noscript><a href=/1>one</a></noscript></head><noscript><p><a href=/2>two</a></p>"
        "<iframe src=/count></iframe></noscript><noscript>Enable scripts!</noscript><p>text</p>"
    )
    assert [link.url for link in reading.links] == ["http://a.test/1", "http://a.test/2"]
    assert [link.anchor for link in reading.links] == ["one", "two"]
    assert reading.text == "text"


def test_b006_link_without_scheme_is_a_relative_path() -> None:
    """A name that looks like a host is a file name; other tests are about growing URLs."""
    assert urls("<a href='www.x.test/y/'>partner</a>") == ["http://a.test/dir/www.x.test/y/"]


def test_b008_newline_within_a_tag() -> None:
    """Any white space separates attributes."""
    assert urls("<a\nhref='/nl'>x</a>") == ["http://a.test/nl"]


def test_b009_nul_byte_does_not_end_the_page() -> None:
    """C strings end at NUL, pages do not."""
    reading = read("<a href=/1>o</a>\x00<p>mid</p><a href=/2>t</a>")
    assert [link.url for link in reading.links] == ["http://a.test/1", "http://a.test/2"]
    assert "mid" in reading.text


def test_b011_anchor_text_includes_inner_elements() -> None:
    """The anchor is all text of the element."""
    assert only_link("<a href=/h><b>Hello</b> world</a>").anchor == "Hello world"


def test_b014_empty_anchor_is_no_link() -> None:
    """An anchor without an address is ignored without an error."""
    reading = read("<a></a><a href></a><b>Jump</b>")
    assert reading.links == ()
    assert reading.malformed_links == 0
    assert reading.text == "Jump"


def test_b016_anchor_text_after_an_empty_child() -> None:
    """Text after an element is text, too."""
    assert only_link("<a href=/1><span></span>Example one</a>").anchor == "Example one"


def test_b018_text_after_deep_nesting_is_read_and_the_page_is_flagged() -> None:
    """A parser's depth limit must not drop the rest of a page without a flag."""
    text = "coral reefs bleach when the sea is warm"
    reading = read("<div>" * 2100 + text + "</div>" * 2100 + "<a href=/after>z</a>")
    assert [(link.url, link.anchor) for link in reading.links] == [("http://a.test/after", "z")]
    assert text in reading.text
    assert reading.truncated == ("depth",)


def test_flattening_keeps_title_scripts_and_attributes_with_angle_brackets() -> None:
    """Only the nesting is removed from a deep page, and nothing is added."""
    reading = read(
        "<title>Reefs</title><script>if (a<b) hid('<a href=/no>')</script>"
        + "<div title='a>b'>" * 300
        + "<style>p>a{}</style>sea<abbr>side</abbr><a href=/yes>y</a>"
    )
    assert reading.title == "Reefs"
    assert [link.url for link in reading.links] == ["http://a.test/yes"]
    assert "hid" not in reading.text
    assert "p>a" not in reading.text
    assert "a>b" not in reading.text


@pytest.mark.parametrize("value", ["1", "'>'", '"><"'])
def test_b020_attribute_bomb_is_defused(value: str) -> None:
    """The tag loses its attributes, the page keeps its text and links."""
    bomb = " ".join(f"a{number}={value}" for number in range(60_000))
    reading = read(f"<p {bomb}>text<a href=/ok>k</a></p>")
    assert [link.url for link in reading.links] == ["http://a.test/ok"]
    assert reading.text == "textk"
    assert reading.truncated == ("attributes",)


def test_a_long_script_is_not_read_as_a_giant_tag() -> None:
    """Comparisons in a script look like tags; the end of the script must be found."""
    script = "if (a<b && c == '" + "x" * 20_000 + "') d()"
    reading = read(f"<script>{script}</script><style>a<b{script}</style><p>text<a href=/1>k</a>")
    assert reading.truncated == ()
    assert reading.text == "textk"


def test_b021_a_less_than_sign_in_text_removes_no_text() -> None:
    """`<` that no tag name follows is text."""
    reading = read("<p>size (<2cm), belt</p><p>next</p>")
    assert reading.text == "size (<2cm), belt next"


@pytest.mark.parametrize(
    "href",
    ["#top", "", " ", "javascript:void(0)", "mailto:a@b.test", "data:text/html,x", "tel:1",
     "file:///etc/passwd", "ftp://a.test/x", "page.html", "page.html#part", "./page.html"],
)  # fmt: skip
def test_other_schemes_and_the_page_itself_are_no_links(href: str) -> None:
    """Such links are left out, and do not count as malformed."""
    reading = read(f"<a href='{href}'>x</a><a href=/1>one</a>")
    assert [link.url for link in reading.links] == ["http://a.test/1"]
    assert reading.malformed_links == 0


def test_lone_surrogates_are_harmless() -> None:
    """`&#xD800;` is no character; the text can still be encoded."""
    reading = read("<a href='/x&#xD800;y'>a&#xD800;b</a><p>c&#xDFFF;d</p>")
    for text in (reading.text, *(link.url + link.anchor for link in reading.links)):
        text.encode("utf-8")
