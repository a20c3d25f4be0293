"""A crawl asks each server once for ai.txt and tdmrep.json, and shows what they reserve."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

from livecrawl import QUERY, Crawl, page, site

from evocrawl.cli import main
from evocrawl.simulation.server.proxy import Response

AI = b"User-Agent: *\nDisallow: /\n"
TDM = b'[{"location": "/2", "tdm-reservation": 1, "tdm-policy": "/terms"}]'


def _text(body: bytes, status: int = 200, **headers: str) -> Response:
    return Response(status, body, {"Content-Type": "text/plain", **headers})


def _sites() -> dict:
    """Five hosts that link to each other."""
    hosts = ("ai", "tdm", "moved", "plain", "shut")
    links = [f"http://{host}.test/{n} {QUERY}" for host in hosts for n in (1, 2)]
    pages = {f"/{n}": page(*links, text=f"{QUERY} {n} " * 30) for n in (1, 2)}
    huge = _text(b"#" * 1_000_000)
    redirect = Response(301, b"", {"Location": "http://files.test/ai.txt"})
    home = Response(302, b"", {"Location": "/"})
    return {
        "ai.test": site({**pages, "/ai.txt": _text(AI), "/.well-known/tdmrep.json": huge}),
        "tdm.test": site({**pages, "/.well-known/tdmrep.json": _text(TDM)}),
        "moved.test": site({**pages, "/ai.txt": redirect, "/.well-known/tdmrep.json": home}),
        "files.test": site({"/ai.txt": _text(AI)}),
        "plain.test": site({**pages, "/ai.txt": page(text="not found"),
                            "/.well-known/tdmrep.json": _text(b"[")}),
        "shut.test": site({**pages, "/robots.txt": _text(b"User-agent: *\nDisallow: /ai.txt\n"),
                           "/.well-known/tdmrep.json": _text(b"", 500)}),
    }  # fmt: skip


def test_each_server_is_asked_once_and_reservations_are_shown(
    serve, crawl: Crawl, tmp_path: Path
) -> None:
    """In the data sheet, in documents and in the report; a resumed crawl does not ask again."""
    store = tmp_path / "crawl.sqlite"
    arguments = {
        "query": QUERY, "relevance": "tfidf", "seeds": "http://ai.test/1", "store": store,
        "opt_out_files": "true", "probe": "false", "warc": tmp_path / "warcs",
    }  # fmt: skip
    proxy = serve(_sites())
    for budget in (14, 100):
        crawled = crawl(proxy, arguments={**arguments, "max_requests": budget})
        crawled.check_settled()
        assert crawled.stat("requests") <= budget
    assert crawled.stat("requests") == len(proxy.log)
    pages = ("/1", "/2", "/robots.txt")
    asked = Counter(f"{each.host}{each.path}" for each in proxy.log if each.path not in pages)
    assert set(asked) == {
        "ai.test/ai.txt", "ai.test/.well-known/tdmrep.json", "tdm.test/ai.txt",
        "tdm.test/.well-known/tdmrep.json", "moved.test/ai.txt", "files.test/ai.txt",
        "moved.test/.well-known/tdmrep.json", "plain.test/ai.txt",
        "plain.test/.well-known/tdmrep.json", "shut.test/.well-known/tdmrep.json",
    }  # fmt: skip
    # The second run requests only files that have failed.
    assert {each for each, times in asked.items() if times > 1} <= {
        "ai.test/.well-known/tdmrep.json", "shut.test/.well-known/tdmrep.json",
    }  # fmt: skip

    exports, reports = ("croissant", "datatrove"), ("json", "md", "html")
    files = {name: tmp_path / f"out.{name}" for name in (*exports, *reports)}
    for name in exports:
        assert main(["export", str(store), "--format", name, "--out", str(files[name])]) == 0
    for name in reports:
        assert main(["report", str(store), "--out", str(files[name])]) == 0
    sheet = json.loads(files["croissant"].read_text())
    assert sheet["evocrawl:optOuts"] == {"ai.txt": 4, "tdmrep.json": 1}
    assert sheet["evocrawl:tdmPolicies"] == {"http://tdm.test/terms": 1}
    assert sheet["evocrawl:notFetched"] == []
    answers = {
        "ai.txt": {"found": 2, "none": 2, "refused": 1},
        "tdmrep.json": {"failed": 2, "found": 1, "none": 1, "unreadable": 1},
    }
    assert sheet["evocrawl:optOutFiles"] == answers
    documents = [json.loads(line) for line in files["datatrove"].read_text().splitlines()]
    found = {each["id"]: each["metadata"]["opt_outs"] for each in documents}
    assert {url: found[url] for url in found if found[url]} == {
        "http://ai.test/1": ["ai.txt"], "http://ai.test/2": ["ai.txt"],
        "http://moved.test/1": ["ai.txt"], "http://moved.test/2": ["ai.txt"],
        "http://tdm.test/2": ["tdmrep.json"],
    }  # fmt: skip
    report = json.loads(files["json"].read_text())["opt_outs"]
    assert report["servers"] == answers
    assert report["pages"] == {"ai.txt": 4, "tdmrep.json": 1}
    assert report["hosts"][0] == {"host": "ai.test", "ai.txt": 2, "tdmrep.json": 0}
    for name in reports[1:]:
        assert "Opt-outs of servers" in files[name].read_text()


def test_the_option_is_refused_without_a_store(serve, crawl: Crawl) -> None:
    """Before anything is requested, in one line that names what it needs."""
    proxy = serve({})
    arguments = {"query": QUERY, "seeds": "http://a.test/", "opt_out_files": "1"}
    crawled = crawl(proxy, arguments=arguments)
    assert crawled.code != 0
    assert "opt_out_files is True; allowed: true with a store, a JOBDIR or a folder" in crawled.log
    assert proxy.log == []
