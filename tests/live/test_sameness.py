"""Requests of a user's own spider are filtered as Scrapy filters them, and by nothing else."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import sqlite3
from collections import Counter
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from livecrawl import HERE, QUERY, ROOT, Crawl, page
from processes import run
from redisserver import RedisServer
from samespider import HOSTS, LEAVES, PAGES, REPEATS, STARTS
from workers import Fleet

from evocrawl.simulation.server.proxy import LoopbackProxy, Request, Response

CONCURRENCY = 2
SITES = [f"same{number}.test" for number in range(HOSTS)]


def answer(request: Request) -> Response:
    """Answer with pages, redirects from ``…/to/X`` to ``…/X``, and 404 for missing pages."""
    head, to, target = request.path.partition("/to/")
    if to:
        return Response(302, b"", {"Location": f"{head}/{target.partition('?')[0]}"})
    if "/gone" in request.path or request.path == "/robots.txt":
        return Response(404)
    return page(text=f"coral {request.path}")


@pytest.fixture(scope="module")
def crawls() -> dict[str, dict[str, Any]]:
    """Run all spiders of `samecrawls.py`, with and without the add-on, in one process."""
    with LoopbackProxy({"127.0.0.1": answer}) as proxy:
        path = os.pathsep.join((str(ROOT), str(HERE)))
        environment = {**os.environ, "PYTHONPATH": path, "no_proxy": "127.0.0.1"}
        done = run("samecrawls", [proxy.url], cwd=ROOT, environment=environment)
    assert done.stdout, done.stderr
    return dict(json.loads(done.stdout))


ITEMS = {
    "Starts": 10, "Copies": 21, "Spellings": 17, "Redirects": 6, "Depths": 6, "Inner": 4,
    "Alike": 6, "NoFilter": 14, "ByHeader": 10, "Fragments": 8, "UnlessAgain": 8, "BySubclass": 6,
    "ByPath": 6,
}  # fmt: skip


@pytest.mark.parametrize("name", ITEMS)
def test_the_same_requests_give_the_same_items(crawls: dict[str, Any], name: str) -> None:
    """In any order; duplicates are counted and signalled, and depths kept, as in Scrapy."""
    assert crawls.keys() == ITEMS.keys()
    assert crawls[name]["addon"] == crawls[name]["stock"]
    assert len(crawls[name]["addon"]["items"]) == ITEMS[name]


def expected(by_path: bool) -> set[tuple[str, str]]:
    """Return everything that a `SameSpider` requests, each once: address and origin."""
    starts = {("/start", str(k)) for k in range(STARTS)}
    polls = {("/poll", f"{k}.{n}") for k in range(STARTS) for n in range(REPEATS)}
    pages = {(f"/page/{n}", "any") for n in range(PAGES)} | {("/to/page/0", "any")}
    queries = [""] if by_path else ["", *(f"?{n}" for n in range(1, PAGES, 2))]
    leaves = {(f"/leaf/{leaf}{query}", "any") for leaf in range(LEAVES) for query in queries}
    return starts | polls | pages | leaves


def asked(proxy: LoopbackProxy, *, by_path: bool) -> Counter[tuple[str, str]]:
    found = Counter[tuple[str, str]]()
    for request in proxy.log:
        path = request.path.partition("?")[0] if by_path else request.path
        if path != "/robots.txt":
            found[path, request.headers.get("x-who", "")] += 1
    return found


@pytest.mark.parametrize(
    ("dupefilter", "kills"),
    [("scrapy.dupefilters.RFPDupeFilter", (6, 20)), ("samefilters.ByPath", (18,))],
)
def test_a_kill_neither_loses_nor_doubles_explicit_requests(
    serve: Any, crawl: Crawl, tmp_path: Path, dupefilter: str, kills: tuple[int, ...]
) -> None:
    """Start requests for one address, duplicates and repeats are as in the run before.

    But for the requests under way at the kills, each is made once; `requests.seen` of Scrapy is
    not asked, which names those that were not made yet. The journal is compact but for a filter
    that gets each request of earlier runs again.
    """
    proxy = serve(dict.fromkeys(SITES, slow))  # a snapshot is complete before the kill
    by_path = dupefilter.endswith("ByPath")
    run: dict[str, Any] = {
        "command": ("runspider", str(HERE / "samespider.py")),
        "cwd": HERE,
        "settings": {
            "ADDONS": {"evocrawl.Addon": 300},
            "EVOCRAWL_QUERY": QUERY,
            "EVOCRAWL_NOVELTY": False,
            "CONCURRENT_REQUESTS": CONCURRENCY,
            "DUPEFILTER_CLASS": dupefilter,
            "EVOCRAWL_SNAPSHOT_VISITS": 5,
            "EVOCRAWL_JOURNAL": "whole" if by_path else "compact",
            "JOBDIR": tmp_path / "job",
        },
    }
    for requests in kills:
        crawl(proxy, **run, interrupt_at=requests, by=signal.SIGKILL)
    last = crawl(proxy, **run)
    last.check_settled()
    assert "store: read the snapshot after" in last.log
    made = asked(proxy, by_path=by_path)
    assert set(made) == expected(by_path)
    assert made.total() - len(made) <= 4 * CONCURRENCY


def test_workers_share_what_is_filtered(serve: Any, tmp_path: Path) -> None:
    """Each worker calls start(): no request is doubled by that, nor lost by a stop of all."""
    with RedisServer(tmp_path) as server:
        fleet = Fleet(serve(dict.fromkeys(SITES, slow)), server, tmp_path)
        own: dict[str, object] = {"max_requests": 0, "page_items": False, "novelty": False}
        settings = {"ADDONS": {"evocrawl.Addon": 300}, "CONCURRENT_REQUESTS": CONCURRENCY}
        try:
            fleet.start(2, own, ("runspider", "samespider.py"), **settings)
            fleet.wait_for_requests(12)
            for process in fleet.processes:
                process.send_signal(signal.SIGINT)
            assert fleet.wait() == [0, 0]
            fleet.start(3, own, ("runspider", "samespider.py"), **settings)
            assert fleet.wait() == [0] * 5
        finally:
            fleet.stop()
    made = asked(fleet.proxy, by_path=False)
    assert set(made) == expected(by_path=False)
    assert set(made.values()) == {1}


async def slow(request: Request) -> Response:
    """Answer late, so that the crawl can be stopped before its end."""
    await asyncio.sleep(0.05)
    return answer(request)


def test_the_stored_response_of_a_page_is_its_own(serve: Any, crawl: Crawl, tmp_path: Path) -> None:
    """Not that of a request of its callback; a failure of that does not affect the page."""
    proxy = serve(dict.fromkeys(SITES, answer))
    store = tmp_path / "inner.sqlite"
    crawled = crawl(
        proxy,
        command=("runspider", str(HERE / "innerspider.py")),
        cwd=HERE,
        settings={
            "ADDONS": {"evocrawl.Addon": 300},
            "EVOCRAWL_QUERY": QUERY,
            "EVOCRAWL_STORE": store,
            "EVOCRAWL_STORE_BODIES": True,
            "EVOCRAWL_NOVELTY": False,
        },
    )
    crawled.check_settled()
    assert len(crawled.pages) == 2
    assert crawled.stat("visits/fetched") == 2
    assert crawled.stat("requests") == len(proxy.log)
    with closing(sqlite3.connect(store)) as database:
        rows = database.execute("SELECT url, body FROM pages JOIN bodies USING (fingerprint)")
        kept = {url.rpartition("/")[2]: body.decode() for url, body in rows}
    assert kept.keys() == {"page", "more"}
    assert all(f"coral /{path}" in body for path, body in kept.items())
