"""Any bytes are read without an error, with bounded output, alike each time."""

from __future__ import annotations

from hypothesis import example, given, settings
from hypothesis import strategies as st
from lxml import etree

from evocrawl.core.urls.identity import fingerprint
from evocrawl.core.urls.resolve import resolve
from evocrawl.extraction import Limits, parse_html
from evocrawl.extraction.links import LinkExtractor
from evocrawl.extraction.parser_guards import flat, without_giant_tags
from evocrawl.extraction.visibility import Hidden

PAGE = "http://a.test/dir/page?x=1"
SMALL = Limits(
    body_bytes=400, tag_bytes=60, links=4, url_chars=40, text_chars=50, words_chars=20,
    context_words=3,
)  # fmt: skip
PIECES = st.sampled_from(
    [
        "<a href=/1>", "<a href='x y'>", "</a>", "<a", "<a\thref=2#f>", "<iframe src=/f>",
        "</iframe>", "<p>", "</p>", "<div hidden>", "<div>", "</div>", "<b>", "<i>", "</b>",
        "<h1>", "<img alt=pic>", "<", ">", "&", "&amp;", "&#0;", "&#xD800;", '"', "'", "=",
        "\x00", "\x0c", "\ufffe", "\u202e", "<!--", "-->", "<!", "<![CDATA[", "]]>", "<?",
        "<script>", "</script>", "<style>", "</style>", "<title>", "</title>", "<base href=/b/>",
        "<base href='http://[x'>", "<meta charset=utf-16>", "<link rel=canonical href=//[>",
        "<link rel=canonical href=/c>", "<html lang=de>", "<body>", "<frameset>",
        "<frame src=/g>", "<noscript>", "<template>", "<textarea>", "<plaintext>", "<table>",
        "<tr>", "<td>", "</table>", "<select>", "<option>", "<form>", "<object>", "<ruby>",
        "<nav>", "<main>", "<aside>", "<svg>", "<math>", "<annotation-xml>",
        "<p style=display:none>", "<p style='visibility : hidden'>", "<div class=cookie>",
        "word", "coral", "é", "日本", "¶",
    ]
)  # fmt: skip
HTML = st.lists(PIECES, max_size=60).map(" ".join)


def check(body: bytes, url: str, limits: Limits, **declared: str) -> None:
    reading = parse_html(body, url, limits=limits, **declared)  # type: ignore[arg-type]
    assert reading == parse_html(body, url, limits=limits, **declared)  # type: ignore[arg-type]
    assert len(reading.text) <= limits.text_chars
    assert len(reading.title) <= limits.words_chars
    assert len(reading.links) <= limits.links
    assert [link.position for link in reading.links] == list(range(len(reading.links)))
    assert len({link.fingerprint for link in reading.links}) == len(reading.links)
    for link in reading.links:
        assert link.url.lower().startswith(("http:", "https:"))
        assert "#" not in link.url
        assert len(link.url) <= limits.url_chars
        assert link.fingerprint == fingerprint(link.url)
        assert len(link.anchor) <= limits.words_chars
        assert len(link.context) <= limits.words_chars
    for text in (reading.title, reading.text, *(link.url + link.context for link in reading.links)):
        text.encode()
        assert "\0" not in text


@given(st.binary(max_size=300))
@example(b"<\xff\xfe")
@example(b"\xff\xfe<\0a\0")
@example(b"\xef\xbb\xbf")
def test_random_bytes(body: bytes) -> None:
    """No bytes raise an error."""
    check(body, PAGE, SMALL)


@given(HTML, st.sampled_from(["utf-8", "utf-16", "latin-1", "shift_jis", "utf-7", "x", ""]))
@example("<a href=/1> & <a href=/1> <iframe src=/f> <a href=/1> <a href=/1>", "utf-8")
@settings(max_examples=300)
def test_random_markup(html: str, encoding: str) -> None:
    """Markup in any order, encoding and with any limits raises no error."""
    body = html.encode("utf-8", "replace")
    check(body, PAGE, SMALL, encoding=encoding)
    check(body, PAGE, Limits())


@given(HTML, st.text(max_size=20))
@example("<div hidden> </div> \x0c", "")
def test_random_addresses_and_headers(html: str, text: str) -> None:
    """Headers and the page's own address raise no error."""
    body = html.encode("utf-8", "replace")
    check(body, text, SMALL, content_language=text, encoding=text)
    parse_html(body, PAGE, robots_tags=[text, f"evocrawl:{text}"])


@given(
    st.sampled_from(
        ["http://a.test", "http://a.test/", "http://a.test/x/y/z.html?q=/1#f", "http://a.test?q",
         "https://a.test//x//y/", "http://a.test/x/../y/./z", "http://a.test/x/y/;p?q"]
    ),
    st.text(st.sampled_from("ab.-_/?=&#:;%é ~"), max_size=12)
    | st.from_regex(
        r"(/|(\.\./){0,4})[ab]{1,2}(/[a.-]{1,3}){0,3}/?(\?[a=&]{1,3})?", fullmatch=True
    ),
)  # fmt: skip
@settings(max_examples=500)
@example("http://a.test/x/y", "../../../../a")
@example("http://a.test/x/y", "a/..")
@example("http://a.test/x/y", "a/./b")
@example("http://a.test", ": ")
def test_the_fast_way_to_an_address_gives_the_same_as_the_slow_one(base: str, href: str) -> None:
    """Plain references are joined without being parsed; the fragment is removed."""
    root = etree.Element("html")
    links = LinkExtractor(root, base, base, Limits(), Hidden(root, b""))
    try:
        slow = resolve(base, f"{href}#")
    except ValueError:
        return
    assert links._absolute(href) == slow


@given(HTML)
def test_guards_keep_text_and_links_in_order(html: str) -> None:
    """Small tags are not changed; a flattened page is not longer and does not change again."""
    body = html.encode("utf-8", "replace")
    assert without_giant_tags(body, 1_000, 100) == body
    assert len(without_giant_tags(body, 20, 2)) <= len(body)
    assert flat(flat(body)) == flat(body)
