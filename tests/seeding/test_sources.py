"""What each source of seeds makes of good, empty, wrong and hostile answers."""

from __future__ import annotations

import asyncio
import gzip
import io
import json
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest
from answers import Web
from hypothesis import given
from hypothesis import strategies as st

from evocrawl.core.urls.identity import identity
from evocrawl.relevance.tfidf import TfIdf
from evocrawl.seeding import sitemaps
from evocrawl.seeding.base import SeedError, Topic
from evocrawl.seeding.registry import source_of

SEARX = "http://searx.test/search"
WIKI = "http://wiki.test/w/api.php"
INDEX = "http://index.test/CC"
MAP = "http://a.test/sitemap.xml"
FEED = "http://a.test/feed.xml"
JSON_SOURCES = [f"searxng:{SEARX}", f"mediawiki:{WIKI}", f"cdx:{INDEX}?url=*.a.test"]
ALL_SOURCES = [*JSON_SOURCES, f"sitemap:{MAP}", f"feed:{FEED}"]


def _json(value: object) -> bytes:
    return json.dumps(value).encode()


def _results(*urls: object) -> bytes:
    return _json({"query": "x", "results": [{"url": each, "title": "T"} for each in urls]})


def test_searxng_gives_results_in_their_order_over_several_pages() -> None:
    """Doubles count once; the query, its language and the format are asked for."""
    pages = {
        "1": _json({"results": [{"url": "http://a.test/1", "title": "<b>Coral</b> &amp; heat"},
                                {"url": "http://a.test/2"}]}),
        "2": _results("http://a.test/2", "http://a.test/3"),
        "3": _results("http://a.test/3"),
    }  # fmt: skip
    web = Web({SEARX: lambda url: pages[parse_qs(urlsplit(url).query)["pageno"][0]]})
    seeds = web.seeds("searxng:http://searx.test/")
    assert [each.url for each in seeds] == [f"http://a.test/{n}" for n in (1, 2, 3)]
    assert [each.score for each in seeds] == [1, 1 / 2, 1 / 3]
    assert seeds[0].title == "Coral & heat"
    asked = parse_qs(urlsplit(web.asked[0]).query)
    assert asked == {"q": ["coral bleaching"], "format": ["json"], "pageno": ["1"],
                     "language": ["en"]}  # fmt: skip
    assert len(web.asked) == 3


def test_searxng_asks_no_further_page_than_it_needs() -> None:
    """Nor does a failure of a later page lose the results of the first."""
    full = Web({SEARX: _results(*(f"http://a.test/{n}" for n in range(30)))})
    assert len(full.seeds(f"searxng:{SEARX}", most=5)) == 5
    assert len(full.asked) == 1
    first = _results("http://a.test/1")
    web = Web({SEARX: lambda url: first if "pageno=1" in url else b"<html>"})
    assert [each.url for each in web.seeds(f"searxng:{SEARX}")] == ["http://a.test/1"]


def test_mediawiki_gives_articles_by_the_rank_of_its_search() -> None:
    """Which is not the order of its answer."""
    pages = [
        {"index": 2, "title": "Reef", "fullurl": "http://wiki.test/wiki/Reef"},
        {"index": 1, "title": "Coral bleaching", "canonicalurl": "http://wiki.test/wiki/Coral"},
        {"index": None, "title": "Odd", "fullurl": "http://wiki.test/wiki/Odd"},
    ]
    web = Web({WIKI: _json({"batchcomplete": True, "query": {"pages": pages}})})
    seeds = web.seeds(f"mediawiki:{WIKI}")
    assert [each.title for each in seeds] == ["Coral bleaching", "Reef", "Odd"]
    assert parse_qs(urlsplit(web.asked[0]).query)["gsrsearch"] == ["coral bleaching"]


def test_a_wiki_that_finds_nothing_gives_no_seed_and_one_that_fails_says_why() -> None:
    """MediaWiki answers errors with status 200."""
    assert Web({WIKI: _json({"batchcomplete": True})}).seeds(f"mediawiki:{WIKI}") == []
    wrong = Web({WIKI: _json({"error": {"code": "badvalue", "info": "x"}})})
    with pytest.raises(SeedError, match="badvalue"):
        wrong.seeds(f"mediawiki:{WIKI}")


def _line(url: str, status: str = "200", mime: str = "text/html") -> bytes:
    return _json({"urlkey": "k", "timestamp": "2026", "url": url, "status": status, "mime": mime})


def test_a_cdx_index_gives_pages_whose_addresses_match_the_query() -> None:
    """Of Common Crawl: an object a line. Images and errors are no pages."""
    body = b"\n".join(
        [
            _line("http://a.test/about"), _line("http://a.test/coral-bleaching.html"),
            _line("http://a.test/coral.png", mime="image/png"),
            _line("http://a.test/bleaching-gone", status="404"), b"broken",
        ]
    )  # fmt: skip
    web = Web({INDEX: body})
    seeds = web.seeds(f"cdx:{INDEX}?url=*.a.test")
    assert [each.url for each in seeds] == [
        "http://a.test/coral-bleaching.html", "http://a.test/about",
    ]  # fmt: skip
    assert {"output=json", "url=*.a.test"} <= set(urlsplit(web.asked[0]).query.split("&"))


def test_a_cdx_index_in_the_form_of_the_wayback_machine_is_read() -> None:
    """An array whose first row names the fields."""
    table = [["original", "timestamp", "mimetype", "statuscode"],
             ["http://a.test/reef", "2026", "text/html", "200"],
             ["http://a.test/x", "2026", "text/html", "302"]]  # fmt: skip
    seeds = Web({INDEX: _json(table)}).seeds(f"cdx:{INDEX}?url=a.test/*")
    assert [each.url for each in seeds] == ["http://a.test/reef"]
    assert Web({INDEX: b"[]"}).seeds(f"cdx:{INDEX}?url=a.test/*") == []
    assert Web({INDEX: b""}).seeds(f"cdx:{INDEX}?url=a.test/*") == []


def _sitemap(*urls: tuple[str, str], root: str = "urlset") -> bytes:
    part = "url" if root == "urlset" else "sitemap"
    entries = "".join(
        f"<{part}><loc>{url}</loc><lastmod>{date}</lastmod></{part}>" for url, date in urls
    )
    return f'<?xml version="1.0"?><{root} xmlns="http://s.test/0.9">{entries}</{root}>'.encode()


def test_sitemaps_are_found_by_robots_txt_and_read_through_their_indexes() -> None:
    """Also compressed; pages that match come first, then the last changed."""
    web = Web(
        {
            "http://a.test/robots.txt": b"User-agent: *\nSITEMAP: /all.xml\nDisallow: /x\n",
            "http://a.test/all.xml": _sitemap(
                ("http://a.test/old.xml", ""), ("http://a.test/new.xml.gz", ""),
                ("http://a.test/all.xml", ""), root="sitemapindex",
            ),
            "http://a.test/old.xml": _sitemap(
                ("http://a.test/coral", "2020-01-01"), ("http://a.test/b", "2020-01-01"),
            ),
            "http://a.test/new.xml.gz": gzip.compress(
                _sitemap(("http://a.test/c", "2026-05-01"), ("ftp://a.test/d", ""), ("", "")),
            ),
        }
    )  # fmt: skip
    seeds = web.seeds("sitemap:http://a.test")
    assert [each.url for each in seeds] == [f"http://a.test/{n}" for n in ("coral", "c", "b")]
    assert [each.changed_at for each in seeds] == ["2020-01-01", "2026-05-01", "2020-01-01"]
    assert len(web.asked) == len(set(web.asked)) == 4


def test_sitemaps_and_feeds_say_when_pages_of_their_own_site_have_changed() -> None:
    """Not those of other sites; a day ends at its end in the last zone."""
    day = 1_767_225_600.0 + 36 * 3600
    web = Web(
        {
            MAP: _sitemap(("http://a.test/1", "2026-01-01"), ("http://b.test/2", "2026-01-01"),
                          ("http://A.test:80/3", "0000-99-99")),
            FEED: b"<feed><entry><link href='/1'/><updated>2026-01-01</updated></entry><entry>"
            b"<link href='http://b.test/2'/><updated>2026-01-01</updated></entry></feed>",
        }
    )  # fmt: skip
    for notation in (f"sitemap:{MAP}", f"feed:{FEED}"):
        dated = {each.url: each.changed_by_s for each in web.seeds(notation)}
        assert dated["http://a.test/1"] == day
        assert dated["http://b.test/2"] is None
        assert dated.get("http://A.test:80/3") is None


def test_without_robots_txt_the_sitemap_is_at_its_usual_place() -> None:
    """A sitemap of plain text is one, too."""
    web = Web({MAP: b"http://a.test/1\nhttp://a.test/2\n"})
    assert [each.url for each in web.seeds("sitemap:http://a.test/")] == [
        "http://a.test/1", "http://a.test/2",
    ]  # fmt: skip


def test_an_endless_index_of_sitemaps_ends() -> None:
    """Ten files are read."""

    def more(url: str) -> bytes:
        number = int(urlsplit(url).query or 0)
        return _sitemap(
            (f"http://a.test/sitemap.xml?{number + 1}", ""),
            (f"http://a.test/sitemap.xml?{number + 2}", ""),
            root="sitemapindex",
        )

    web = Web({MAP: more})
    assert web.seeds(f"sitemap:{MAP}") == []
    assert len(web.asked) == 10


def test_hostile_sitemaps_read_no_file_and_do_not_grow() -> None:
    """Entities that load, entities that multiply, and a bomb of gzip."""
    secret = b'<!DOCTYPE x [<!ENTITY e SYSTEM "file:///etc/hostname">]>'
    loading = b"<?xml version='1.0'?>" + secret + _sitemap(("http://a.test/&e;", ""))[21:]
    assert all("\n" not in each.url for each in Web({MAP: loading}).seeds(f"sitemap:{MAP}"))
    bomb = gzip.compress(b"<urlset>" + b" " * 200_000_000, 9)
    web = Web({MAP: bomb})
    assert web.seeds(f"sitemap:{MAP}") == []


ATOM = """<feed xmlns="http://www.w3.org/2005/Atom"><title>News</title>
<entry><title>Weather</title><link href="/weather"/></entry>
<entry><title>Coral bleaching in May</title><link href="http://b.test/coral"/></entry></feed>"""
RSS = """<rss><channel><item><title>Reefs bleaching</title><link>http://a.test/r</link></item>
<item><title>Other</title><link>javascript:alert(1)</link></item></channel></rss>"""


def test_a_feed_gives_its_entries_by_their_words() -> None:
    """Atom and RSS."""
    seeds = Web({FEED: ATOM.encode()}).seeds(f"feed:{FEED}")
    assert [each.url for each in seeds] == ["http://b.test/coral", "http://a.test/weather"]
    assert seeds[0].title == "Coral bleaching in May"
    assert [each.url for each in Web({FEED: RSS.encode()}).seeds(f"feed:{FEED}")] == [
        "http://a.test/r"
    ]


def test_a_file_gives_all_its_addresses(tmp_path: Path) -> None:
    """Comments, empty lines and what is no address are left out."""
    path = tmp_path / "urls.txt"
    lines = [f"https://a.test/{n}" for n in range(30)]
    path.write_text("# mine\n\n" + "\n".join(lines) + "\nhttps://b.test/ A title here\nmailto:x\n")
    seeds = Web({}).seeds(f"file:{path}", most=3)
    assert [each.url for each in seeds] == [*lines, "https://b.test/"]
    assert seeds[-1].title == "A title here"


def test_a_file_that_is_not_there_or_has_no_address_says_so(tmp_path: Path) -> None:
    """In a few words."""
    with pytest.raises(SeedError, match="No such file"):
        Web({}).seeds(f"file:{tmp_path}/none")
    with pytest.raises(SeedError, match="directory"):
        Web({}).seeds(f"file:{tmp_path}")
    (tmp_path / "binary").write_bytes(bytes(range(256)) * 20)
    with pytest.raises(SeedError, match="no http"):
        Web({}).seeds(f"file:{tmp_path}/binary")


@pytest.mark.parametrize("notation", ["stdin:", "file:-"])
def test_the_standard_input_is_a_list(notation: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """As ``cat urls.txt | scrapy crawl …``."""
    monkeypatch.setattr("sys.stdin", io.StringIO("http://a.test/1\nhttp://a.test/2"))
    assert len(Web({}).seeds(notation)) == 2


@pytest.mark.parametrize("notation", ALL_SOURCES)
@pytest.mark.parametrize("status", [204, 301, 403, 404, 429, 500, 503])
def test_a_status_without_results_is_named(notation: str, status: int) -> None:
    """For every source that asks a server."""
    address = notation.partition(":")[2].partition("?")[0]
    with pytest.raises(SeedError, match=f"status {status}"):
        Web({address: status}).seeds(notation)


HOSTILE = [
    b"", b"\0\xff" * 100, b"<html><p>Too many requests</html>", b"null", b"[]", b"{}", b"7",
    b'{"results": 7, "query": []}', b'{"results": [1, null, {"url": 7}, {"url": "ftp://x/"}]}',
    b'{"query": {"pages": [{"fullurl": {}, "title": []}, 3]}}', b"[[1], 2]", b'[["url"], [{}]]',
    b"[" * 100_000, b'{"a":' * 50_000, b'{"results": [{"url": "http://\x00/"}]}',
    b'{"url": 5}\n{"url": "javascript:x"}', _results("http://", "//a", "a" * 100_000),
]  # fmt: skip


@pytest.mark.parametrize("notation", ALL_SOURCES)
@pytest.mark.parametrize("body", HOSTILE, ids=range(len(HOSTILE)))
def test_a_hostile_answer_gives_nothing_or_is_named(notation: str, body: bytes) -> None:
    """No other exception leaves a source."""
    address = notation.partition(":")[2].partition("?")[0]
    try:
        assert Web({address: body}).seeds(notation) == []
    except SeedError as error:
        assert 0 < len(str(error)) < 200


@pytest.mark.parametrize("notation", ALL_SOURCES)
def test_a_huge_answer_is_not_read(notation: str) -> None:
    """The fetch is bounded by the source."""
    address = notation.partition(":")[2].partition("?")[0]
    with pytest.raises(SeedError, match="too large"):
        Web({address: b" " * 60_000_000}).seeds(notation)


_WORDS = st.one_of(st.none(), st.integers(), st.text(max_size=9), st.just("http://a.test/1"))
_TREES = st.recursive(
    _WORDS,
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(
            st.sampled_from(
                ["results", "query", "pages", "url", "title", "fullurl", "index", "error"]
            ),
            inner,
            max_size=4,
        )
    ),
    max_leaves=12,
)


@given(_TREES, st.sampled_from(JSON_SOURCES))
def test_any_json_is_survived(tree: object, notation: str) -> None:
    """What comes out are addresses on the web."""
    address = notation.partition(":")[2].partition("?")[0]
    try:
        seeds = Web({address: _json(tree)}).seeds(notation)
    except SeedError:
        return
    for each in seeds:
        identity(each.url)
        assert 0 < each.score <= 1


_ODD = [
    "javascript:alert(1)", "mailto:a@a.test", "data:text/html,x", "file:///etc/passwd", "//a.test",
    "http://", "http://[::1", "http://a.test/\ud800", "http://a.test/" + "x" * 3000, "", 5, None,
    [], {}, True,
]  # fmt: skip
_GOOD = ["http://a.test/a b", "http://bücher.test/ü", "  http://sp.test/  "]


@pytest.mark.parametrize(
    "notation", [f"searxng:{SEARX}", f"mediawiki:{WIKI}", f"cdx:{INDEX}?url=*.a.test"]
)
def test_what_is_no_address_of_the_web_is_no_seed(notation: str) -> None:
    """Nor is a page twice one; what a browser would mend is kept as it is."""
    urls = [*_ODD, *_GOOD, *_GOOD]
    web = Web(
        {
            SEARX: _results(*urls),
            WIKI: _json({"query": {"pages": [{"fullurl": each, "title": 5} for each in urls]}}),
            INDEX: b"\n".join(_json({"url": each, "timestamp": []}) for each in urls),
        }
    )
    assert {each.url for each in web.seeds(notation)} == {each.strip() for each in _GOOD}


def test_of_a_giant_answer_the_beginning_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    """What no source may send is not read; the event loop has its turns meanwhile."""
    turns: list[int] = []

    async def other() -> None:
        while True:
            turns.append(1)
            await asyncio.sleep(0.001)

    async def ask(notation: str, web: Web) -> list[str]:
        beside = asyncio.create_task(other())
        topic = Topic("coral", "en", TfIdf("coral", "en"), 100_000)
        found = await source_of("seeds", notation).source.seeds(topic, web.fetch)
        beside.cancel()
        return [each.url for each in found]

    monkeypatch.setattr(sitemaps, "_MOST_ENTRIES", 6_000)
    urls = [f"http://a.test/{n}" for n in range(8_000)]
    giant = Web({SEARX: _results(*urls), MAP: _sitemap(*((each, "") for each in urls))})
    assert len(asyncio.run(ask(f"searxng:{SEARX}", giant))) == 5_000
    turns.clear()
    assert len(asyncio.run(ask(f"sitemap:{MAP}", giant))) == 6_000
    assert len(turns) > 3
