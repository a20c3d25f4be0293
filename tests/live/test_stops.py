"""A crawl that is stopped and resumed loses no request and repeats none."""

from __future__ import annotations

import time
from collections import Counter
from pathlib import Path
from typing import Any

from livecrawl import QUERY, ROOT, Crawl, page

from evocrawl.simulation.server.proxy import Request, Response, not_found, redirect

PAGES = 24


def _redirecting(request: Request) -> Response:
    """Return a site: /n leads by two redirects to /page/n; the start page links to all."""
    time.sleep(0.05)
    name = request.path.strip("/")
    if name == "robots.txt":
        return not_found(request)
    if not name:
        return page(*(f"/{number} coral {number}" for number in range(PAGES)), text=QUERY)
    if name.startswith("page/"):
        return page(text=f"{QUERY} {' '.join(f'{name[5:]}th{n}' for n in range(30))}")
    onward = f"page/{name[4:]}" if name.startswith("via/") else f"via/{name}"
    return redirect(f"/{onward}", 302)


def _asked(proxy: Any) -> Counter[str]:
    """Return how often each address was asked for, robots.txt aside."""
    return Counter(
        f"{each.method} {each.path} {each.body.decode()}".strip()
        for each in proxy.log
        if each.path != "/robots.txt"
    )


def test_redirects_under_way_at_a_stop_are_followed_in_the_next_run(
    serve, crawl: Crawl, tmp_path: Path
) -> None:
    """Their pages are recorded, and no request is repeated."""
    proxy = serve({"reef.test": _redirecting})
    arguments = {
        "query": QUERY,
        "seeds": "http://reef.test/",
        "max_requests": 0,
        "store": tmp_path / "state.sqlite",
    }
    stops = (12, 30, 48)
    for interrupt_at in (*stops, 0):
        last: Any = crawl(proxy, arguments=arguments, interrupt_at=interrupt_at)
        assert "Traceback" not in last.log
        last.check_settled()
    assert last.stat("stop_reason") == "exhausted"
    assert last.stat("store/runs") == len(stops) + 1
    asked = _asked(proxy)
    assert {path: times for path, times in asked.items() if times > 1} == {}
    assert {f"GET /page/{number}" for number in range(PAGES)} <= asked.keys()


def _site(request: Request) -> Response:
    time.sleep(0.05)
    if request.path == "/robots.txt":
        return not_found(request)
    if request.path.startswith("/go/"):
        return redirect(f"/went/{request.path[4:]}", 302)
    return page(text=f"{QUERY} {request.path} {request.body.decode()}")


def test_requests_that_are_no_links_are_sent_in_a_later_run(
    serve, crawl: Crawl, tmp_path: Path
) -> None:
    """Also forms, data: URLs and redirects, once each; parts that JSON cannot hold are named."""
    proxy = serve({"reef.test": _site})
    items: list[dict[str, Any]] = []
    for interrupt_at in (4, 16, 30, 0):
        last: Any = crawl(
            proxy,
            command=("crawl", "kept"),
            cwd=ROOT / "examples" / "reefs",
            settings={
                "SPIDER_MODULES": "keptspider",
                "ITEM_PIPELINES": {},
                "CONCURRENT_REQUESTS": 2,
                "JOBDIR": tmp_path / "job",
            },
            interrupt_at=interrupt_at,
        )
        items += last.pages
        if interrupt_at == 4:
            assert "callback '<lambda>' is no method of the spider" in last.log
            assert last.stats["scheduler/unserializable"] == 1
    assert last.stats["finish_reason"] == "finished"
    asked = _asked(proxy)
    assert {what: times for what, times in asked.items() if times > 1} == {}
    numbers = Counter(each["number"] for each in items if "number" in each)
    assert numbers == Counter([*range(12), *range(100, 112), *range(200, 212)])
    data = Counter(each["data"] for each in items if "data" in each)
    # start() yields its request in each run, with dont_filter: Scrapy alone does the same.
    assert data.pop("start") == 4
    assert data == Counter(map(str, range(12)))
