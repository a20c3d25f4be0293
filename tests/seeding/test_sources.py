"""The seeds that each source makes from the answers of servers, from files and from lists."""

from __future__ import annotations

import gzip
import io
import os
import re
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest
from answers import FEED, INDEX, MAP, SEARX, WIKI, Web, json_of, results, sitemap

from evocrawl.core.errors import SettingError
from evocrawl.seeding.base import SeedError
from evocrawl.seeding.registry import source_of
from evocrawl.store.journal.sqlite_journal import SqliteJournal


def test_searxng_gives_results_in_their_order_over_several_pages() -> None:
    """Duplicates count once; the request has the query, its language and the format."""
    pages = {
        "1": json_of({"results": [{"url": "http://a.test/1", "title": "<b>Coral</b> &amp; heat"},
                                {"url": "http://a.test/2"}]}),
        "2": results("http://a.test/2", "http://a.test/3"),
        "3": results("http://a.test/3"),
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


def test_searxng_requests_no_more_pages_than_it_needs() -> None:
    """A failure of a later page does not lose the results of the first."""
    full = Web({SEARX: results(*(f"http://a.test/{n}" for n in range(30)))})
    assert len(full.seeds(f"searxng:{SEARX}", most=5)) == 5
    assert len(full.asked) == 1
    first = results("http://a.test/1")
    web = Web({SEARX: lambda url: first if "pageno=1" in url else b"<html>"})
    assert [each.url for each in web.seeds(f"searxng:{SEARX}")] == ["http://a.test/1"]


def test_mediawiki_gives_articles_by_the_rank_of_its_search() -> None:
    """Its answer has another order."""
    pages = [
        {"index": 2, "title": "Reef", "fullurl": "http://wiki.test/wiki/Reef"},
        {"index": 1, "title": "Coral bleaching", "canonicalurl": "http://wiki.test/wiki/Coral"},
        {"index": None, "title": "Odd", "fullurl": "http://wiki.test/wiki/Odd"},
    ]
    web = Web({WIKI: json_of({"batchcomplete": True, "query": {"pages": pages}})})
    seeds = web.seeds(f"mediawiki:{WIKI}")
    assert [each.title for each in seeds] == ["Coral bleaching", "Reef", "Odd"]
    assert parse_qs(urlsplit(web.asked[0]).query)["gsrsearch"] == ["coral bleaching"]


def test_a_wiki_without_results_gives_no_seed_and_one_that_fails_gives_the_reason() -> None:
    """MediaWiki answers errors with status 200."""
    assert Web({WIKI: json_of({"batchcomplete": True})}).seeds(f"mediawiki:{WIKI}") == []
    wrong = Web({WIKI: json_of({"error": {"code": "badvalue", "info": "x"}})})
    with pytest.raises(SeedError, match="badvalue"):
        wrong.seeds(f"mediawiki:{WIKI}")


def _line(url: str, status: str = "200", mime: str = "text/html") -> bytes:
    return json_of({"urlkey": "k", "timestamp": "2026", "url": url, "status": status, "mime": mime})


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
    seeds = Web({INDEX: json_of(table)}).seeds(f"cdx:{INDEX}?url=a.test/*")
    assert [each.url for each in seeds] == ["http://a.test/reef"]
    assert Web({INDEX: b"[]"}).seeds(f"cdx:{INDEX}?url=a.test/*") == []
    assert Web({INDEX: b""}).seeds(f"cdx:{INDEX}?url=a.test/*") == []


def test_sitemaps_are_found_by_robots_txt_and_read_through_their_indexes() -> None:
    """Also compressed; pages that match come first, then the last changed."""
    web = Web(
        {
            "http://a.test/robots.txt": b"User-agent: *\nSITEMAP: /all.xml\nDisallow: /x\n",
            "http://a.test/all.xml": sitemap(
                ("http://a.test/old.xml", ""), ("http://a.test/new.xml.gz", ""),
                ("http://a.test/all.xml", ""), root="sitemapindex",
            ),
            "http://a.test/old.xml": sitemap(
                ("http://a.test/coral", "2020-01-01"), ("http://a.test/b", "2020-01-01"),
            ),
            "http://a.test/new.xml.gz": gzip.compress(
                sitemap(("http://a.test/c", "2026-05-01"), ("ftp://a.test/d", ""), ("", "")),
            ),
        }
    )  # fmt: skip
    seeds = web.seeds("sitemap:http://a.test")
    assert [each.url for each in seeds] == [f"http://a.test/{n}" for n in ("coral", "c", "b")]
    assert [each.changed_at for each in seeds] == ["2020-01-01", "2026-05-01", "2020-01-01"]
    assert len(web.asked) == len(set(web.asked)) == 4


def test_sitemaps_and_feeds_date_changes_of_pages_of_their_own_site() -> None:
    """Not those of other sites; a day ends at its end in the last zone."""
    day = 1_767_225_600.0 + 36 * 3600
    web = Web(
        {
            MAP: sitemap(("http://a.test/1", "2026-01-01"), ("http://b.test/2", "2026-01-01"),
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


RSS = b"<rss><channel><item><title>T</title><link>http://a.test/1?b=1&amp;c=2</link></item></channel></rss>"
XML = "<?xml version='1.0' encoding='{}'?><urlset><url><loc>{}</loc></url></urlset>"


@pytest.mark.parametrize(
    "body",
    [
        b"\xef\xbb\xbfhttp://a.test/1?b=1&c=2\nnone\n",
        b"none\rhttp://a.test/1?b=1&c=2 \r",
        b"\xef\xbb\xbf" + XML.format("utf-8", "\nhttp://a.test/1?b=1&amp;c=2\n").encode(),
        XML.format("utf-16", "http://a.test/1?b=1&amp;c=2").encode("utf-16"),
        XML.format("utf-8", "http://a.test/1?b=1&c=2").encode(),
        XML.format("utf-8", "<![CDATA[http://a.test/1?b=1&c=2]]>").encode(),
        RSS,
        gzip.compress(RSS),
    ],
    ids=["mark, text", "returns", "mark, XML", "UTF-16", "ampersand", "CDATA", "RSS", "gzip"],
)
def test_a_sitemap_is_read_in_each_form_in_which_servers_send_it(body: bytes) -> None:
    """With a byte order mark, with an ampersand that is not escaped, or as a feed."""
    seeds = Web({MAP: body}).seeds(f"sitemap:{MAP}")
    assert [each.url for each in seeds] == ["http://a.test/1?b=1&c=2"]


def test_an_endless_index_of_sitemaps_ends() -> None:
    """Ten files are read."""

    def more(url: str) -> bytes:
        number = int(urlsplit(url).query or 0)
        return sitemap(
            (f"http://a.test/sitemap.xml?{number + 1}", ""),
            (f"http://a.test/sitemap.xml?{number + 2}", ""),
            root="sitemapindex",
        )

    web = Web({MAP: more})
    assert web.seeds(f"sitemap:{MAP}") == []
    assert len(web.asked) == 10


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
    """Comments, empty lines, invalid addresses and a byte order mark are left out."""
    path = tmp_path / "urls.txt"
    lines = [f"https://a.test/{n}" for n in range(30)]
    text = "\n".join(lines) + "\n# mine\n\nhttps://b.test/ A title here\nmailto:x\n"
    path.write_text(text, "utf-8-sig")
    seeds = Web({}).seeds(f"file:{path}", most=3)
    assert [each.url for each in seeds] == [*lines, "https://b.test/"]
    assert seeds[-1].title == "A title here"


def test_a_missing_file_and_one_without_an_address_are_named(tmp_path: Path) -> None:
    """In one line."""
    with pytest.raises(SeedError, match="No such file"):
        Web({}).seeds(f"file:{tmp_path}/none")
    with pytest.raises(SeedError, match="directory"):
        Web({}).seeds(f"file:{tmp_path}")
    (tmp_path / "binary").write_bytes(bytes(range(256)) * 20)
    with pytest.raises(SeedError, match="no http"):
        Web({}).seeds(f"file:{tmp_path}/binary")


def test_a_source_on_this_machine_is_checked_before_the_crawl(tmp_path: Path) -> None:
    """The error names the option, the file and what is wrong with it; a pipe is not read."""
    (tmp_path / "words").write_text("www.a.test\n# http://a.test/\n")
    (tmp_path / "good").write_text("# seeds\n\nhttp://a.test/ A\n")
    SqliteJournal(tmp_path / "empty.sqlite", {}).close()
    os.mkfifo(tmp_path / "pipe")
    for notation, problem in (
        ("file:{}/none", "No such file"),
        ("file:{}", "Is a directory"),
        ("file:{}/words", "it has no http"),
        ("store:{}/none.sqlite", "there is no such state"),
        ("store:{}/words", "not a database"),
        ("store:{}/empty.sqlite", "it has no page"),
    ):
        text = notation.format(tmp_path)
        with pytest.raises(SettingError, match=f"^seeds is '{re.escape(text)}'; .*{problem}"):
            source_of("seeds", text).check("seeds")
    for notation in ("file:{}/good", "file:{}/pipe", "file:-", "feed:http://a.test/"):
        source_of("seeds", notation.format(tmp_path)).check("seeds")


@pytest.mark.parametrize("notation", ["stdin:", "file:-"])
def test_the_standard_input_is_a_list(notation: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """As in ``cat urls.txt | scrapy crawl …``; a daemon has none."""
    given = io.BytesIO(b"\xef\xbb\xbfhttp://a.test/1 R\xe9cif\nhttp://a.test/2")
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(given, "ascii"))
    assert [each.url for each in Web({}).seeds(notation)] == ["http://a.test/1", "http://a.test/2"]
    monkeypatch.setattr("sys.stdin", None)
    with pytest.raises(SeedError, match="no standard input"):
        Web({}).seeds(notation)
