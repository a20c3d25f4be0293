"""A request that may not be sent now takes no place of the crawl; others are sent meanwhile.

Each crawl ends only then: the host recovers when the pages of the others are fetched.
"""

from __future__ import annotations

import asyncio
import json
from collections import Counter

import pytest
from livecrawl import QUERY, ROOT, Crawl, page, site

from evocrawl.simulation.server.proxy import LoopbackProxy, Request, Response, redirect

WAYS = 16
GOOD = 50


def _web(last: str, waited_for: dict[str, object]) -> dict[str, object]:
    """Sixteen hosts that redirect to b, the host waited for, and c with fifty good pages."""
    ways = {
        f"way{number}.test": site({"/": redirect(f"http://b.test/{number}")})
        for number in range(WAYS)
    }
    links = [f"http://{name}/ coral bleaching" for name in ways]
    good = [f"http://c.test/{number} coral" for number in range(GOOD)]
    pages = {f"/{number}": page(text=f"{QUERY} {number}") for number in range(GOOD)}
    pages["/"] = page(*links, *good, last, text=QUERY)
    return {"c.test": site(pages), "b.test": site(waited_for), **ways}


def _pages_of(proxy: LoopbackProxy, host: str) -> list[str]:
    return [path for path in proxy.requested(host) if path != "/robots.txt"]


@pytest.mark.parametrize("concurrency", [1, 16])
def test_a_redirect_to_a_host_in_back_off(serve, crawl: Crawl, concurrency: int) -> None:
    """The host answers 503 with Retry-After until every other page is fetched."""
    asked = Counter[str]()

    def busy(request: Request) -> Response:
        asked[request.path] += 1
        if len(_pages_of(proxy, "c.test")) <= GOOD:
            return Response(503, b"", {"retry-after": "2"})
        return page(text=f"{QUERY} at {request.path}")

    proxy = serve(_web("", {f"/{number}": busy for number in range(WAYS)}))
    crawled = crawl(
        proxy,
        arguments={"query": QUERY, "seeds": "http://c.test/"},
        settings={"CONCURRENT_REQUESTS": concurrency, "RETRY_TIMES": 20},
        timeout_s=300,
    )
    crawled.check_settled()
    assert crawled.stat("pages") == 1 + GOOD + WAYS
    assert crawled.stat("stop_reason") == "exhausted"
    # A visit that was put off continues where it was: no redirect is requested twice.
    assert [len(_pages_of(proxy, f"way{number}.test")) for number in range(WAYS)] == [1] * WAYS


@pytest.mark.takes_s(60)
@pytest.mark.parametrize("concurrency", [1, 16])
def test_a_redirect_to_a_host_whose_robots_txt_is_awaited(
    serve, crawl: Crawl, concurrency: int
) -> None:
    """Its robots.txt comes after the last page of the others."""

    async def late(_: Request) -> Response:
        while len(_pages_of(proxy, "c.test")) <= GOOD:
            await asyncio.sleep(0.01)
        return Response(404)

    there = {f"/{number}": page(text=f"{QUERY} there {number}") for number in range(WAYS)}
    proxy = serve(_web("", {"/robots.txt": late, **there}))
    crawled = crawl(
        proxy,
        arguments={"query": QUERY, "seeds": "http://c.test/"},
        settings={"CONCURRENT_REQUESTS": concurrency, "EVOCRAWL_ROBOTS_TIMEOUT_S": 300},
        timeout_s=300,
    )
    crawled.check_settled()
    assert crawled.stat("pages") == 1 + GOOD + WAYS
    assert [len(_pages_of(proxy, f"way{number}.test")) for number in range(WAYS)] == [1] * WAYS


def test_requests_that_are_no_visits(serve, crawl: Crawl) -> None:
    """Sixteen for a slow host, sixteen for one whose robots.txt is late, at concurrency four."""

    async def slow(request: Request) -> Response:
        while len(_pages_of(proxy, "c.test")) < GOOD:
            await asyncio.sleep(0.01)
        return page(text=request.path)

    async def late(request: Request) -> Response:
        return Response(404) if (await slow(request)) else Response(500)

    paths = [f"/{number}" for number in range(WAYS)]
    quick = site({f"/{number}": page(text=QUERY) for number in range(GOOD)})
    late_pages = {path: page(text=path) for path in paths}
    proxy = serve(
        {
            "slow.test": site(dict.fromkeys(paths, slow)),
            "late.test": site({"/robots.txt": late, **late_pages}),
            "c.test": quick,
        }
    )
    plain = {"meta": {"evocrawl": False}}
    urls: list[object] = [
        [f"http://{name}.test{path}", plain] for name in ("slow", "late") for path in paths
    ]
    urls += [f"http://c.test/{number}" for number in range(GOOD)]
    crawled = crawl(
        proxy,
        command=("crawl", "outcomes"),
        cwd=ROOT / "examples" / "reefs",
        arguments={"urls": json.dumps(urls)},
        settings={
            "SPIDER_MODULES": "outcomespider",
            "ITEM_PIPELINES": {},
            "CONCURRENT_REQUESTS": 4,
            "CONCURRENT_REQUESTS_PER_DOMAIN": 2,
            "EVOCRAWL_ROBOTS_TIMEOUT_S": 300,
        },
        timeout_s=300,
    )
    crawled.check_settled()
    assert len({each["asked"] for each in crawled.pages}) == len(crawled.pages) == len(urls)
    assert all(each["status"] == 200 for each in crawled.pages)
