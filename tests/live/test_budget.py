"""max_requests counts every HTTP request at the server, and is never exceeded."""

from __future__ import annotations

import pytest
from livecrawl import QUERY, Crawl, page, site

from evocrawl.simulation.server.proxy import Request, Reset, Response, redirect


def _reset(_: Request) -> Response:
    raise Reset


def _web(hosts: int = 5, size: int = 60) -> dict[str, object]:
    """Hosts whose pages link to each other; every third path redirects, fails or resets."""
    web = {}
    for host in range(hosts):
        pages: dict[str, object] = {"/": page(*_links(hosts, size), text=QUERY)}
        for number in range(size):
            kind = number % 6
            path = f"/{number}"
            if kind == 1:
                pages[path] = redirect(f"http://h{(host + 1) % hosts}.test/{number + 2}")
            elif kind == 3:
                pages[path] = Response(503)
            elif kind == 5:
                pages[path] = _reset
            else:
                pages[path] = page(*_links(hosts, size), text=QUERY)
        web[f"h{host}.test"] = site(pages)
    return web


def _links(hosts: int, size: int) -> list[str]:
    return [f"http://h{n % hosts}.test/{n} coral" for n in range(size)]


@pytest.mark.parametrize("species", ["energy", "best_first"])
@pytest.mark.parametrize("concurrency", [1, 8, 64])
def test_requests_at_the_server(serve, crawl: Crawl, species: str, concurrency: int) -> None:
    """robots.txt, redirects, retries, errors and resets count."""
    proxy = serve(_web())
    crawled = crawl(
        proxy,
        arguments={
            "query": QUERY,
            "seeds": "http://h0.test/ http://h1.test/",
            "max_requests": 60,
            "species": species,
        },
        settings={"CONCURRENT_REQUESTS": concurrency, "CONCURRENT_REQUESTS_PER_DOMAIN": 32},
    )
    crawled.check_settled()
    assert len(proxy.log) == crawled.stat("requests") == 60
    assert crawled.stat("stop_reason") == "budget"


def test_a_budget_of_one(serve, crawl: Crawl) -> None:
    """It is used for robots.txt, so that no page can be requested, and the crawl ends."""
    proxy = serve(_web())
    crawled = crawl(
        proxy, arguments={"query": QUERY, "seeds": "http://h0.test/", "max_requests": 1}
    )
    assert {each.path for each in proxy.log} <= {"/robots.txt"}
    assert crawled.stat("stop_reason") == "budget"


def test_no_limit(serve, crawl: Crawl) -> None:
    """With max_requests=0 the crawl continues until no link is left."""
    proxy = serve({"h0.test": site({"/": page("/a", "/b"), "/a": page("/"), "/b": page("/a")})})
    crawled = crawl(
        proxy,
        arguments={
            "query": QUERY,
            "seeds": "http://h0.test/",
            "max_requests": 0,
            "species": "breadth_first",
        },
    )
    crawled.check_settled()
    assert proxy.requested("h0.test") == ["/robots.txt", "/", "/a", "/b"]
    assert crawled.stat("stop_reason") == "exhausted"
    assert "evocrawl/budget" not in crawled.stats


def test_a_response_that_is_cut_off_does_not_affect_another_page(serve, crawl: Crawl) -> None:
    """B065: a connection that was closed for a too large response gets no further request.

    Otherwise the next one fails on it: it counts, and the server never gets it.
    """
    large = Response(200, b"x" * 60_000, {"Content-Type": "text/html"})
    names = [f"{kind}{number}" for number in range(120) for kind in ("large", "good")]
    pages = {f"/{name}": large if "large" in name else page(text=QUERY) for name in names}
    pages["/"] = page(*(f"/{name} coral" for name in names), text=QUERY)
    proxy = serve({"reef.test": site(pages)})
    crawled = crawl(
        proxy,
        arguments={"query": QUERY, "seeds": "http://reef.test/", "species": "best_first"},
        settings={"CONCURRENT_REQUESTS": 16, "DOWNLOAD_MAXSIZE": 50_000},
    )
    assert crawled.stat("requests") == len(proxy.log)
    assert crawled.stat("pages") == 121
    assert crawled.stats.get("retry/count", 0) == 0
