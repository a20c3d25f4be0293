"""A crawl finds its seeds by sources, through its own downloader and under its own rules."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from livecrawl import QUERY, ROOT, Crawl, page, site

from evocrawl.simulation.server.proxy import Request, Response, redirect

TEXT = f"{QUERY} " * 60
ARGUMENTS = {"query": QUERY, "max_requests": 100, "relevance": "tfidf"}


def _json(value: object) -> Response:
    return Response(200, json.dumps(value).encode(), {"content-type": "application/json"})


def _search(request: Request) -> Response:
    assert "format=json" in request.path
    results = [{"url": f"http://found.test/{n}", "title": f"{QUERY} {n}"} for n in range(3)]
    return _json({"results": results})


def _sites() -> dict:
    wiki = {"query": {"pages": [{"index": 1, "title": "C", "fullurl": "http://wiki.test/C"}]}}
    robots = Response(200, b"User-agent: *\nDisallow: /private\nSitemap: http://map.test/map.xml\n")
    places = "".join(f"<url><loc>http://map.test/{n}</loc></url>" for n in range(2))

    def answer(pages: dict):
        def by_path(request: Request) -> Response:
            return site(pages)(
                Request(request.method, request.host, request.path.partition("?")[0])
            )

        return by_path

    return {
        "searx.test": lambda each: _search(each) if "/search?" in each.path else Response(404),
        "wiki.test": answer({"/w/api.php": _json(wiki), "/C": page(text=f"C {TEXT}")}),
        "moved.test": answer({"/w/api.php": redirect("http://wiki.test/w/api.php?x=1", 302)}),
        "map.test": answer(
            {
                "/robots.txt": robots,
                "/map.xml": Response(200, f"<urlset>{places}</urlset>".encode()),
                "/0": page(text=f"0 {TEXT}"), "/1": page(text=f"1 {TEXT}"),
                "/private/feed": Response(200, b"<rss/>"),
            }
        ),
        "busy.test": lambda each: Response(404 if "robots" in each.path else 429, b"[]"),
        "inside.test": answer({"/feed": redirect("http://127.0.0.9:1/feed", 302)}),
        "broken.test": lambda _: Response(200, b"\0" * 1000),
        "found.test": answer({f"/{n}": page(text=f"found {n} {TEXT}") for n in range(3)}),
    }  # fmt: skip


def test_every_source_is_asked_through_the_crawl(
    serve, crawl: Crawl, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Redirects are followed, robots.txt and addresses are respected, each request is counted.

    Except requests of ddgs, which has its own client: a substitute for its network layer answers.
    """
    monkeypatch.setenv("PYTHONPATH", str(ROOT / "tests"))
    proxy = serve(_sites())
    (tmp_path / "urls.txt").write_text("http://found.test/2\n")
    sources = [
        "searxng:http://searx.test/", "mediawiki:http://moved.test/w/api.php",
        "sitemap:http://map.test", "feed:http://map.test/private/feed",
        "feed:http://127.0.0.9:1/feed", "cdx:http://broken.test/?url=a", "feed:http://none.test/x",
        f"file:{tmp_path}/urls.txt", "http://found.test/1",
        "ddgs:mojeek", "searxng:http://busy.test/", "feed:http://inside.test/feed",
    ]  # fmt: skip
    store = {
        "EVOCRAWL_STORE": tmp_path / "crawl.sqlite", "EXTENSIONS": {"search_engine.InCrawl": 1}
    }  # fmt: skip
    crawled = crawl(proxy, arguments={**ARGUMENTS, "seeds": " ".join(sources)}, settings=store)
    crawled.check_settled()
    assert {each["url"] for each in crawled.pages} == {
        "http://found.test/0", "http://found.test/1", "http://found.test/2", "http://wiki.test/C",
        "http://map.test/0", "http://map.test/1",
    }  # fmt: skip
    assert crawled.stat("requests") == len(proxy.log)
    assert {each.host for each in proxy.log} >= {"searx.test", "moved.test", "broken.test"}
    assert "/private/feed" not in [each.path for each in proxy.log]
    said = [line for line in crawled.log.splitlines() if "seeds: " in line]
    expected = {
        "searxng:": "gives 3", "mediawiki:": "gives 1", "sitemap:": "gives 2",
        "feed:http://map.test": "Forbidden by robots.txt", "feed:http://127": "gives none",
        "cdx:": "its answer is no", "feed:http://none": "robots.txt of", "file:": "gives 1",
        "searxng:http://busy": "gives none: status 429", "feed:http://inside": "gives none",
        "ddgs:": "gives 2", "ddgs makes its": "do not hold for them",
    }  # fmt: skip
    for name, words in expected.items():
        assert any(name in line and words in line for line in said), (name, said)

    # A resumed crawl asks no source again, and an earlier crawl is a source of the next one.
    again = crawl(proxy, arguments={**ARGUMENTS, "seeds": " ".join(sources)}, settings=store)
    assert again.stat("requests") == crawled.stat("requests")
    asked = len(proxy.log)
    other = {**ARGUMENTS, "query": f"found {QUERY}", "seeds": f"store:{tmp_path}/crawl.sqlite"}
    next_one = crawl(proxy, arguments={**other, "seeds_limit": 3})
    assert {each["url"] for each in next_one.pages} == {f"http://found.test/{n}" for n in range(3)}
    assert len(proxy.log) - asked == next_one.stat("requests")


def test_sources_are_tried_in_turn_then_the_templates(serve, crawl: Crawl) -> None:
    """The log names the sources that were tried; the second source is the last one."""
    proxy = serve(_sites())
    sources = "cdx:http://broken.test/?url=a searxng:http://searx.test sitemap:http://map.test"
    crawled = crawl(proxy, arguments=ARGUMENTS, settings={"EVOCRAWL_SEED_SOURCES": sources})
    assert {each["url"] for each in crawled.pages} == {f"http://found.test/{n}" for n in range(3)}
    assert "map.test" not in {each.host for each in proxy.log}
    template = {"EVOCRAWL_SEED_TEMPLATES": "http://found.test/0?q={query}"}
    none = {"EVOCRAWL_SEED_SOURCES": "cdx:http://broken.test/?url=a", **template}
    crawled = crawl(proxy, arguments=ARGUMENTS, settings=none)
    assert [each["url"] for each in crawled.pages] == ["http://found.test/0?q=coral%20bleaching"]
    assert "is made from the query" in crawled.log


def test_a_crawl_without_any_seed_has_failed(serve, crawl: Crawl) -> None:
    """Its exit code is 1, and each source's result is in the log."""
    proxy = serve(_sites())
    crawled = crawl(proxy, arguments={**ARGUMENTS, "seeds": "cdx:http://broken.test/?url=a"})
    assert crawled.code == 1
    assert crawled.stat("stop_reason") == "seeds_failed"
    assert "its answer is no" in crawled.log
    assert "no source (of 1) gives a seed" in crawled.log
