"""Feeds and sitemaps: entries as links with words; hostile ones too."""

from __future__ import annotations

import gzip

import pytest

from evocrawl.extraction import Document, Limits, ParsedPage, read
from evocrawl.extraction.subprocess.protocol import pack_reading, unpack_reading

URL = "http://a.test/dir/feed"

RSS = """<?xml version="1.0" encoding="utf-8"?>
<!-- made by a machine --><rss version="2.0" xmlns:content="http://purl.org/rss/1.0/modules/content/">
<channel><title>Reef news</title><link>http://a.test/</link><language>en-GB</language>
<item><title>Corals &amp; fish</title><link>
 http://a.test/1#top </link>
<description>&lt;p&gt;They &lt;b&gt;bleach&lt;/b&gt;&lt;/p&gt;</description></item>
<item><title>Second</title><guid>http://a.test/2</guid>
<content:encoded><![CDATA[<i>Sea</i> warms]]></content:encoded></item>
<item><title>No address</title><guid isPermaLink="false">17</guid></item>
</channel></rss>"""
ATOM = """<feed xmlns="http://www.w3.org/2005/Atom" xml:lang="de"><title type="html">Riffe</title>
<link rel="self" href="/feed"/><entry><title>Eins</title><link rel="edit" href="/edit/1"/>
<link href="../1"/><summary>Warm</summary></entry></feed>"""
RDF = """<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"
xmlns="http://purl.org/rss/1.0/">
<channel><title>News</title></channel><item rdf:about="/1"><title>One</title><link>/1</link></item>
</rdf:RDF>"""
SITEMAP = """<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">
<url><loc>http://a.test/1</loc>
<lastmod>2026-01-01</lastmod></url><url><loc> http://a.test/2 </loc></url><url/></urlset>"""
INDEX = """<sitemapindex><sitemap><loc>/s1.xml.gz</loc></sitemap></sitemapindex>"""


def feed(
    text: str | bytes, kind: str = "application/xml", limits: Limits | None = None
) -> ParsedPage:
    body = text.encode() if isinstance(text, str) else text
    return read(Document(body, URL, kind, is_text=True), limits or Limits())


def test_rss_entries_are_links_with_their_words() -> None:
    """Title is anchor, summary context, however the HTML is wrapped; a permanent id is a link."""
    reading = feed(RSS, "application/rss+xml")
    assert (reading.title, reading.language, reading.is_markup) == ("Reef news", "en", True)
    assert [(each.url, each.anchor, each.context) for each in reading.links] == [
        ("http://a.test/1", "Corals & fish", "Corals & fish They bleach"),
        ("http://a.test/2", "Second", "Second Sea warms"),
    ]
    assert reading.text == "Reef news Corals & fish They bleach Second Sea warms No address"


def test_b003_entries_are_relative_to_the_base_of_their_feed() -> None:
    """B003: what XML Base says, on the feed and on the entry (RFC 4287 §2)."""
    base = "xml:base='/blog/'"
    entry = "<entry {}><title>T</title><link href='1'/></entry>"
    within = entry.format("xml:base='x/'")
    reading = feed(f"<feed {base}>{entry.format('')}{within}</feed>")
    assert [each.url for each in reading.links] == [
        "http://a.test/blog/1",
        "http://a.test/blog/x/1",
    ]
    for base in ("http://[oops", "mailto:x", "x/" * 2_000):
        broken = feed(f"<feed xml:base='{base}'>{entry.format('')}</feed>")
        assert [each.url for each in broken.links] == ["http://a.test/dir/1"]


@pytest.mark.parametrize(
    ("item", "url", "anchor"),
    [
        ("<title>t</title><link>/1?a=1&b=2</link>", "/1?a=1&b=2", "t"),
        ("<title>AT&T&nbsp;caf&eacute; &LT; &no;</title><link>/1</link>", "/1", "AT&T café < &no;"),
        ("<title><![CDATA[A & B <b>c</b>]]></title><link><![CDATA[ /1?a=1&b=2 ]]></link>",
         "/1?a=1&b=2", "A & B c"),
        ("<media:title>other</media:title><title>t</title><link>/1</link>", "/1", "t"),
        ("<title>t<script>no()</script></title><link>/1</link>", "/1", "t no()"),
        ("<title>t&lt;script>no()&lt;/script></title><link>/1</link>", "/1", "t"),
        ("<title>a\x01b</title><link>/1</link>", "/1", "ab"),
    ],
)  # fmt: skip
def test_b001_what_is_no_xml_costs_no_entry(item: str, url: str, anchor: str) -> None:
    """B001: feeds are written as HTML is: with bare ampersands and entities of HTML."""
    (link,) = feed(f"<rss xmlns:media='m'><channel><item>{item}</item></channel></rss>").links
    assert (link.url, link.anchor) == (f"http://a.test{url}", anchor)


@pytest.mark.parametrize(
    "text", [RSS, SITEMAP, "<!DOCTYPE r [<!ENTITY % x SYSTEM '/e'> %x;]>" + RDF]
)
def test_b017_a_feed_that_is_called_html_is_a_feed(text: str) -> None:
    """B017: many servers call it so (WHATWG MIME Sniffing §7.3)."""
    reading = read(Document(text.encode(), URL, "text/html", is_html=True))
    assert reading.links[0].url == "http://a.test/1"


@pytest.mark.parametrize(
    "text",
    ["<s:urlset><s:url><s:loc>/1</s:loc></s:url></s:urlset>",
     "<urlset><url><image:loc>/p.jpg</image:loc><loc>/1</loc></url></urlset>",
     "<urlset><url><i:image xmlns:i='i'><i:loc>/p</i:loc></i:image><loc>/1</loc></url></urlset>",
     "<br />\n<b>Warning</b>: no such file in <b>x.php</b><br />\n" + SITEMAP[:99] + "</url>",
     "\ufeff\ufeff" + SITEMAP[:99], "http://a.test/1\n", "\r\nhttp://a.test/1\r\n/cut",
     "<rss><channel><item><guid isPermaLink='True'>http://a.test/1</guid></item></channel></rss>",
     "<rss><item><guid>17</guid></item><item><link>/1</link></item></rss>",
     "<feed><entry><link rel='http://www.iana.org/assignments/relation/alternate' href='/1'/>"
     "</entry></feed>", "<feed><entry><link rel=' Alternate' href='/1'/></entry></feed>"],
)  # fmt: skip
def test_b001_addresses_are_found_in_what_is_nearly_a_feed(text: str) -> None:
    """B001: undeclared prefixes, warnings before it, bare lists, ids that are names."""
    assert [each.url for each in feed(text, "application/rss+xml").links] == ["http://a.test/1"]
    for body in (gzip.compress(text.encode()), gzip.compress(gzip.compress(text.encode()))):
        assert [each.url for each in feed(body, "application/gzip").links] == ["http://a.test/1"]


def test_b031_inline_elements_split_no_word_of_an_entry() -> None:
    """B031: neither those of XHTML nor escaped ones; all others do."""
    xhtml = "<div xmlns='http://www.w3.org/1999/xhtml'>co<b>r</b>al<p>reef</p>s<br/>x</div>"
    escaped = "co&lt;b&gt;r&lt;/b&gt;al&lt;p&gt;reef&lt;/p&gt;s&lt;br&gt;x"
    for summary in (f"<summary type='xhtml'>{xhtml}</summary>", f"<summary>{escaped}</summary>"):
        assert feed(f"<feed><entry>{summary}</entry></feed>").text == "coral reef s x"


def test_a_damaged_archive_is_read_as_far_as_it_goes() -> None:
    """Of several parts, cut short, with a wrong sum or something behind."""
    head, tail = b"<urlset><url><loc>/1</loc></url>", b"<url><loc>/2</loc></url></urlset>"
    whole = gzip.compress(head + tail)
    for body in (gzip.compress(head) + gzip.compress(tail), whole[:-8] + bytes(8), whole[:-3],
                 whole + b"junk"):  # fmt: skip
        assert [each.url for each in feed(body).links] == ["http://a.test/1", "http://a.test/2"]
    cut = gzip.compress(head + bytes(range(256)) * 99)[:-40]
    assert [each.url for each in feed(cut).links] == ["http://a.test/1"]


def test_atom_entries_lead_to_their_alternate() -> None:
    """Of several links of an entry the one to the page itself counts (RFC 4287 §4.2.7.2)."""
    reading = feed(ATOM, "application/atom+xml")
    assert (reading.title, reading.language) == ("Riffe", "de")
    assert [(each.url, each.anchor) for each in reading.links] == [("http://a.test/1", "Eins")]


@pytest.mark.parametrize(
    ("text", "urls"),
    [
        (RDF, ["http://a.test/1"]),
        (SITEMAP, ["http://a.test/1", "http://a.test/2"]),
        (INDEX, ["http://a.test/s1.xml.gz"]),
        ("<rss><channel><item><link>/1</link>", ["http://a.test/1"]),
        ("\ufeff<?xml version='1.0'?><!DOCTYPE rss>\n<rss><item><link>/1</link></item></rss>",
         ["http://a.test/1"]),
        ("<rss><item><link>javascript:x</link></item><item><link>http://[</link></item></rss>", []),
        ("<rss><item><title>&nbsp;&unknown;</title><link>/1</link></item></rss>",
         ["http://a.test/1"]),
    ],
)  # fmt: skip
@pytest.mark.parametrize("kind", ["application/xml", "text/xml", "text/plain", ""])
def test_a_feed_is_recognised_by_its_root_with_any_type(
    text: str, urls: list[str], kind: str
) -> None:
    """Servers call feeds any XML and any text; broken ones are read as far as they go."""
    assert [each.url for each in feed(text, kind).links] == urls


def test_a_compressed_sitemap_is_read_up_to_its_cap() -> None:
    """R14: what is a few bytes on the wire must not fill the memory."""
    reading = feed(gzip.compress(SITEMAP.encode()), "application/gzip")
    assert [each.url for each in reading.links] == ["http://a.test/1", "http://a.test/2"]
    bomb = gzip.compress(b"<urlset>" + b" " * 50_000_000)
    assert feed(bomb, "application/gzip").truncated == ("body_bytes",)
    assert not feed(b"\x1f\x8bno gzip", "application/gzip").is_markup


def test_entities_are_neither_resolved_nor_grown() -> None:
    """XXE (CWE-611) and the billion laughs: the file's own entities are left out."""
    declared = "".join(f"<!ENTITY e{n} '{10 * f'&e{n - 1};'}'>" for n in range(1, 9))
    reading = feed(
        f"<!DOCTYPE rss [<!ENTITY x SYSTEM 'file:///etc/passwd'><!ENTITY e0 'laugh'>{declared}]>"
        "<rss><item><title>a&x;&e8;b</title><link>/1</link></item></rss>"
    )
    assert "root:" not in reading.text
    assert "laugh" not in reading.text
    assert len(reading.text) < 100


@pytest.mark.parametrize("number", ["xD800", "XdFfF", "x00D912", "55296", "57343", "056000"])
def test_references_to_no_character_are_left_out(number: str) -> None:
    """R16: half of a surrogate pair must not cost the feed."""
    reading = feed(f"<rss><item><title>a&#{number};b&#56; &#xD7FF;</title><link>/1</link></item>")
    assert reading.text == "ab8 \ud7ff"
    assert len(reading.links) == 1


def test_many_entries_are_capped() -> None:
    """R14: links, text and words have their caps in feeds, too."""
    item = "<item><title>word {0}</title><link>/{0}</link></item>"
    limits = Limits(links=3, text_chars=20, words_chars=5)
    reading = feed("<rss>" + "".join(map(item.format, range(50))) + "</rss>", limits=limits)
    assert [each.anchor for each in reading.links] == ["word "] * 3
    assert len(reading.text) == 20
    assert reading.truncated == ("text_chars",)


@pytest.mark.parametrize(
    "text",
    [
        "<html><rss>",
        "<svg/>",
        "feed",
        "<feedback/>",
        "",
        "<a><rss>",
        "x <html><rss>",
        "http://a.test/ is no list",
        "<p>http://a.test/</p>",
    ],
)
def test_other_xml_is_no_feed(text: str) -> None:
    """Only the root counts."""
    assert feed(text, "application/octet-stream").links == ()


def test_entries_have_the_date_of_their_last_change() -> None:
    """Of sitemaps, Atom and Dublin Core; the date of publication says nothing of changes."""
    assert [position for position, _ in feed(SITEMAP).changes] == [0]
    atom = (
        "<feed xmlns:dcterms='http://purl.org/dc/terms/'><updated>2026-01-01T00:00:00Z</updated>"
        "<entry><link href='/1'/><published>2026-01-01T00:00:00Z</published></entry>"
        "<entry><link href='/2'/><updated>2026-01-01T00:00:00Z</updated></entry>"
        "<entry><link href='/2'/><updated>2026-03-01T00:00:00Z</updated></entry>"
        "<entry><link href='mailto:x'/><updated>2026-01-01T00:00:00Z</updated></entry>"
        "<entry><link href='/3'/><dcterms:modified>2026-01-02T00:00:00Z</dcterms:modified></entry>"
        "<entry><link href='/4'/><updated>never</updated></entry></feed>"
    )
    reading = feed(atom)
    dated = {reading.links[position].url: at_s for position, at_s in reading.changes}
    assert dated == {"http://a.test/2": 1767225600.0, "http://a.test/3": 1767312000.0}
    assert unpack_reading(pack_reading(reading)) == reading
    rss = "<rss><item><link>/1</link><pubDate>Wed, 01 Jan 2020 00:00:00 GMT</pubDate></item></rss>"
    assert (len(feed(rss).links), feed(rss).changes) == (1, ())
