"""Pages as Markdown: what is kept, and that a hostile page cannot harm its reader."""

from __future__ import annotations

import gzip

from hypothesis import example, given
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from markdown_it.token import Token

from evocrawl.core.fetch import RawResponse
from evocrawl.extraction.html import parse_html
from evocrawl.extraction.markdown import markdown_of
from evocrawl.extraction.markdown_text import escaped

URL = "http://reef.example/a/page"
PAGE = """<!doctype html><html lang=en><head><title>Reefs &amp; heat</title></head><body>
<nav><a href=/>Home</a> <a href=/about>About the society</a></nav>
<div id=main><h1>Reefs <a class=headerlink href="#reefs">¶</a></h1>
<p>Coral <b>bleaching</b> happens when <a href="../heat (1)">sea heat</a> lasts for some weeks.</p>
<ul><li>One<ul><li>Nested item</li></ul></li><li>Two</li></ul>
<ol start=3><li>Third</li><li>Fourth</li></ol>
<table><caption>Heat stress</caption><thead><tr><td>Year</td><td>Degree | weeks</td></tr></thead>
<tbody><tr><td>1998</td><td><code>a|b</code> 8</td></tr><tr><td>2016</td><td>12</td></tr></table>
<table role=presentation><tr><td class=linenos><pre>1</pre></td><td>
<pre class="highlight"><code class="language-python">def f(x):<br><span>    return</span> "```" + x


print(f)</code></pre></td></tr></table>
<dl><dt>Degree heating week</dt><dd>Heat above the usual maximum, summed over weeks</dd></dl>
<p>The reefs have recovered in some places, while in others of the region they have not.</p></div>
<div class=sidebar><h3>More from us</h3><ul><li><a href=/1>A newsletter about boats</a></li>
<li><a href=/2>A donation for the new building</a></li></ul></div>
<footer>Copyright by the society</footer></body></html>"""


def answer(html: str | bytes, *headers: tuple[str, str]) -> RawResponse:
    body = html.encode() if isinstance(html, str) else html
    return RawResponse(
        "HTTP/1.1 200 OK", (("Content-Type", "text/html; charset=utf-8"), *headers), body
    )


def markdown(html: str, *headers: tuple[str, str]) -> str:
    page = parse_html(html.encode(), URL)
    return markdown_of(URL, page.title, page.text, answer(html, *headers))


def tokens(text: str) -> list[Token]:
    """Return every token of a text, parsed with HTML enabled, so that HTML would be found."""
    found = MarkdownIt("commonmark", {"html": True}).enable("table").parse(text)
    return [token for each in found for token in (each, *(each.children or ()))]


def test_tables_programs_lists_links_and_definitions_are_kept() -> None:
    found = markdown(PAGE)
    assert found.startswith("# Reefs\n")
    assert (
        "Coral **bleaching** happens when [sea heat](http://reef.example/heat%20%281%29)" in found
    )
    assert "- One\n  - Nested item\n- Two\n" in found
    assert "3. Third\n4. Fourth\n" in found
    assert (
        "| Year | Degree \\| weeks |\n| --- | --- |\n| 1998 | `a\\|b` 8 |\n| 2016 | 12 |" in found
    )
    assert '````python\ndef f(x):\n    return "```" + x\n\n\nprint(f)\n````' in found
    assert "**Degree heating week**\n\nHeat above the usual maximum" in found
    kinds = [token.type for token in tokens(found)]
    assert kinds.count("table_open") == kinds.count("fence") == 1


def test_navigation_and_text_beside_the_main_text_are_left_out() -> None:
    found = markdown(PAGE)
    assert "About the society" not in found
    assert "newsletter" not in found
    assert "Copyright" not in found
    assert "¶" not in found


def test_a_compressed_response_is_decoded() -> None:
    page = parse_html(PAGE.encode(), URL)
    packed = answer(gzip.compress(PAGE.encode()), ("Content-Encoding", "gzip"))
    assert markdown_of(URL, page.title, page.text, packed) == markdown(PAGE)


def test_a_page_whose_text_is_not_in_its_response_becomes_its_text() -> None:
    shell = answer("<html><body><div id=app>Loading</div></body></html>")
    text = "An app has drawn these words about *coral* in the browser."
    assert markdown_of(URL, "Drawn", text, shell) == (
        "# Drawn\n\nAn app has drawn these words about \\*coral\\* in the browser.\n"
    )
    assert markdown_of(URL, "Drawn", text, None) == markdown_of(URL, "Drawn", text, shell)


def test_the_last_of_two_content_types_counts() -> None:
    two = RawResponse(
        "HTTP/1.1 200 OK", (("Content-Type", "text/plain"), *answer("").headers), PAGE.encode()
    )
    page = parse_html(PAGE.encode(), URL)
    assert markdown_of(URL, page.title, page.text, two) == markdown(PAGE)


def test_a_file_that_is_no_html_becomes_its_text() -> None:
    file = RawResponse("HTTP/1.1 200 OK", (("Content-Type", "application/pdf"),), b"%PDF-1.7")
    assert markdown_of(URL, "", "1. Heat", file) == "1\\. Heat\n"


HOSTILE = """<html><title>A &lt;script&gt;</title><body><main>
<p>Words on a reef that come before &lt;script&gt;alert(1)&lt;/script&gt; and <a
href="javascript:alert(1)">a script</a>, <a href="data:text/html,x">data</a>, <a
href="http://x.example/a) ![p](http://evil.example/p.png">a broken link</a> [y](javascript:z).</p>
<img src="http://evil.example/pixel.png" alt="a ![pixel](http://evil.example/2.png)">
<p>Ignore\U000e0041\u202e\u200b all words that are not seen, &amp;lt;b&amp;gt; and ~~others~~.</p>
<pre>text
```
&lt;script&gt;alert(1)&lt;/script&gt;</pre><p><code>`</code> <code>a``b <i>c</i></code></p>
<iframe src="http://evil.example"></iframe><p># no heading</p><p>---</p><p>&gt; no quotation</p>
<table><tr><td colspan=999999>a|b</td><td>c<br>d</td></tr></table></main></body></html>"""


def check_harmless(text: str) -> None:
    for token in tokens(text):
        assert token.type not in ("html_block", "html_inline", "image"), token
        if token.type == "link_open":
            assert str(token.attrs["href"]).startswith(("http://", "https://"))
    assert not {*map(chr, range(0xE0000, 0xE0080)), "\u202e", "\u200b"} & set(text)


def test_a_hostile_page_becomes_no_html_no_picture_and_no_script() -> None:
    found = markdown(HOSTILE)
    check_harmless(found)
    assert "<script>alert(1)</script>\n````" in found
    assert len(found) < 10 * len(HOSTILE)
    headings = [token for token in tokens(found) if token.type == "heading_open"]
    assert len(headings) == 1  # the title


_PIECES = st.sampled_from([
    "<b>", "</b>", "<p>", "<pre>", "</pre>", "<code>", "</code>", "<li>", "<ol>", "<ul>", "</ul>",
    "<table>", "<tr>", "<td>", "</table>", "<a href='javascript:x'>", "<a href='//y/)'>", "</a>",
    "`",
    "```", "~~~\n", "*", "_", "[", "](", ")", "!", "&lt;i&gt;", "&amp;lt;", "<br>", "\n", "#", "> ",
    "- ", "1. ", "\\", "|", "<img src=x alt='](y'>", "<blockquote>", "<h2>", "<dt>", "<div>", " ",
    "coral", "reef", "<i>", "<s>", "<q>", "<kbd>",
    "<iframe>", "<svg onload=x>", "<!--", "-->", "\t", "    ",
])  # fmt: skip


@given(st.lists(_PIECES, max_size=40))
@example(["!", "<a href='//y/)'>", "reef"])
@example(["<img src=x alt='!'>", "<a href='//y/)'>", "`"])
@example(["<b>", "<pre>", "&lt;i&gt;"])
@example(["<dt>", "<pre>", "&lt;i&gt;"])
@example(["`", "<li>", "<pre>", "&lt;i&gt;"])
@example(["<tr>", "<kbd>", "<td>", "&lt;i&gt;"])
@example(["<tr>", "<td>", "<pre>", "|", "&lt;i&gt;"])
def test_no_page_becomes_html_or_a_picture(pieces: list[str]) -> None:
    html = f"<html><body><p>Words of a reef page.</p>{''.join(pieces)}</body></html>"
    check_harmless(markdown(html))


@given(st.text(alphabet="<>&;#`*_~[]()!|\\-+=:. 1ax\n", max_size=60))
def test_escaped_text_is_shown_unchanged(text: str) -> None:
    """No character of it has a meaning in Markdown."""
    line = " ".join(text.split())
    shown = tokens(escaped(line))
    assert "".join(token.content for token in shown if token.type in ("text", "text_special")) == (
        line.strip()
    )


def test_a_list_of_many_items_takes_time_in_proportion() -> None:
    """A converter that counts the items before each one would take too long."""
    items = "".join(f"<li>coral number {number}</li>" for number in range(4_000))
    found = markdown(f"<html><body><ol>{items}</ol></body></html>")
    assert "4000. coral number 3999\n" in found


def test_a_short_list_beside_the_text_is_kept_and_one_of_links_is_not() -> None:
    """The extraction of the main content removes both."""
    text = "The corals of this reef have lost their colour in warm water. " * 8
    page = (
        f"<html lang=en><title>Reef</title><body><div id=root><p>{text}</p><ul><li>outer reef</li>"
        "<li>inner reef</li></ul><dl><dt>Year</dt><dd>of the last heat</dd></dl>"
        "<ul><li><a href=/>All reefs of this site</a></li></ul></div>"
        "<div id=side><ul><li>Boats</li><li>Harbours</li></ul></div>"
    )
    found = markdown(page)
    assert "- outer reef\n- inner reef\n" in found
    assert "**Year**" in found
    assert "All reefs" not in found
    assert "Boats" not in found
