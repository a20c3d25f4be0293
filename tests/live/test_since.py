"""A crawl reads pages that have not changed since an earlier crawl from that crawl's store."""

from __future__ import annotations

import json
import sqlite3
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from livecrawl import QUERY, Crawl, Crawled, page, site

from evocrawl.cli import main
from evocrawl.simulation.server.proxy import LoopbackProxy, Response

OLD = "2020-01-01"
AHEAD = (datetime.now(UTC) + timedelta(hours=1)).isoformat()
NAMES = ("old", "changed", "broken", "far", "entry", "published", "linked", "unlisted")


def _map(*entries: tuple[str, str]) -> Response:
    places = "".join(
        f"<url><loc>http://{url}</loc><lastmod>{date}</lastmod></url>" for url, date in entries
    )
    return Response(200, f"<urlset>{places}</urlset>".encode(), {"Content-Type": "text/xml"})


def _sites(version: str, **dates: str) -> dict:
    """Return sites whose pages have a text of `version`, and dates of their changes."""
    feed = (
        f"<feed><entry><title>e</title><link href='http://reef.test/entry'/><updated>{OLD}T00:00:00Z"
        "</updated></entry></feed>"
    )
    rss = (
        "<rss><channel><item><title>p</title><link>http://reef.test/published</link>"
        "<pubDate>Wed, 01 Jan 2020 00:00:00 GMT</pubDate></item></channel></rss>"
    )
    pages = {f"/{name}": page(text=f"{QUERY} {name} {version} " * 30) for name in NAMES}
    listed = {"old": OLD, "changed": AHEAD, "broken": "yesterday", "far": "2150-01-01", **dates}
    return {
        "reef.test": site(
            {
                **pages,
                "/map.xml": _map(
                    *((f"reef.test/{name}", date) for name, date in listed.items()),
                    ("other.test/x", OLD),
                ),
                "/feed.xml": Response(200, feed.encode(), {"Content-Type": "text/xml"}),
                "/rss.xml": Response(200, rss.encode(), {"Content-Type": "text/xml"}),
                "/more.xml": _map(("reef.test/linked", OLD)),
            }
        ),
        "other.test": site({"/x": page(text=f"{QUERY} x {version} " * 30)}),
    }  # fmt: skip


SEEDS = (
    "sitemap:http://reef.test/map.xml feed:http://reef.test/feed.xml feed:http://reef.test/rss.xml "
    "http://reef.test/more.xml http://reef.test/unlisted"
)
ARGUMENTS = {
    "query": QUERY, "relevance": "tfidf", "seeds": SEEDS, "store_bodies": "true", "probe": "false",
}  # fmt: skip


def _requested(proxy: LoopbackProxy) -> set[str]:
    return {each.path.strip("/") for each in proxy.log if "." not in each.path}


def test_pages_that_have_not_changed_are_not_requested_again(
    serve, crawl: Crawl, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """By sitemaps and feeds of their own site only, and by credible dates."""

    def run(proxy: LoopbackProxy, name: str, since: str = "") -> Crawled:
        files = {"store": tmp_path / f"{name}.sqlite", "warc": tmp_path / name}
        more = {"since": tmp_path / f"{since}.sqlite"} if since else {}
        crawled = crawl(proxy, arguments={**ARGUMENTS, **files, **more})
        crawled.check_settled()
        return crawled

    monday = run(serve(_sites("one")), "monday")
    assert monday.stat("pages") == 10
    between = datetime.now(UTC).isoformat()
    proxy = serve(_sites("two"))
    tuesday = run(proxy, "tuesday", since="monday")
    assert _requested(proxy) == {*NAMES, "x"} - {"old", "entry", "linked"}
    assert tuesday.stat("pages/unchanged") == 3
    assert tuesday.stat("requests") == len(proxy.log) == tuesday.stat("warc/responses")
    assert {each["url"] for each in tuesday.pages} == {each["url"] for each in monday.pages}
    texts = {each["url"].rpartition("/")[2]: each["text"] for each in tuesday.pages}
    assert {name for name in texts if "one" in texts[name]} == {"old", "entry", "linked"}

    stores = [str(tmp_path / f"{name}.sqlite") for name in ("monday", "tuesday")]
    main(["compare", *stores, "--format", "json"])
    found = json.loads(capsys.readouterr().out)
    assert (found["new"], found["gone"]) == ([], [])
    assert {url.rpartition("/")[2] for url in found["changed"]} == _requested(proxy)

    # A page that Tuesday's crawl took from Monday's store is as old as on Monday.
    proxy = serve(_sites("three", old=between, broken=OLD))
    run(proxy, "wednesday", since="tuesday")
    assert _requested(proxy) == {*NAMES, "x"} - {"broken", "entry", "linked"}


def test_a_store_without_responses_is_refused(serve, crawl: Crawl, tmp_path: Path) -> None:
    """In one line that names what it needs, before anything is requested."""
    sqlite3.connect(tmp_path / "other.sqlite").close()
    for name, words in (("none.sqlite", "there is no such state"), ("other.sqlite", "evocrawl")):
        proxy = serve({})
        crawled = crawl(proxy, arguments={**ARGUMENTS, "since": tmp_path / name})
        assert crawled.code != 0
        assert "the store of an earlier crawl with store_bodies=true: a file" in crawled.log
        assert words in crawled.log
        assert proxy.log == []
