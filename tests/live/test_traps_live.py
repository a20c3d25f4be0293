"""Crawls that meet duplicates and traps."""

from __future__ import annotations

import random
from typing import Any

from livecrawl import QUERY, Crawl, page, site

from evocrawl.adapter.soft_404 import nowhere
from evocrawl.simulation.server.proxy import Request, Response

LOST = "Sorry, what you are looking for is not here. Try the search, or go to the front page."


def prose(name: str) -> str:
    """Return a different text for each page."""
    words = random.Random(name).choices([f"{a}{b}t" for a in "bdfgklm" for b in "aeiou"], k=60)
    return f"Coral bleaching. {' '.join(words)}"


def asked(proxy: Any, text: str) -> list[str]:
    """Return the paths requested from the server that contain `text`."""
    return [each.path for each in proxy.log if text in each.path]


def test_soft_404_responses_are_no_pages(serve, crawl: Crawl) -> None:
    """B112: one address that cannot exist is requested; the front page is always a page."""

    def answer(request: Request) -> Response:
        if request.path == "/robots.txt":
            return Response(404, b"")
        if request.path.startswith("/real"):
            return page(text=prose(request.path), title=request.path)
        if request.path == "/":
            links = [*(f"/lost/{name}" for name in "abcdefghij"), *(f"/real/{n}" for n in "abcde")]
            return page(*links, text=prose("/"), title="Front")
        return page("products/", text=LOST, title="Oh")

    proxy = serve({"a.test": answer})
    crawled = crawl(
        proxy,
        arguments={"query": QUERY, "seeds": "http://a.test/"},
        settings={"CONCURRENT_REQUESTS": 2},
    )
    crawled.check_settled()
    assert [f"http://a.test{path}" for path in asked(proxy, "no-such-page")] == [
        nowhere("http://a.test/lost/a")
    ]
    assert crawled.stat("soft_404/probes") == 1
    assert crawled.stat("visits/dead") == crawled.stat("soft_404/pages") > 3
    assert len(asked(proxy, "products")) < 10
    urls = {each["url"] for each in crawled.pages}
    assert {f"http://a.test/real/{name}" for name in "abcde"} | {"http://a.test/"} <= urls


def test_a_front_page_that_answers_every_address_is_a_page_once(serve, crawl: Crawl) -> None:
    """The front page that is sent for unknown addresses is a page; those addresses are not."""
    real = {f"/maps/{name}": page(text=prose(name), title=name) for name in ("old", "new")}
    scans = [f"/scan/{name} harbour map {name}" for name in "abcdefghijkl"]
    front = page(*scans, "/portal/start.jsp to the entrance", text=prose("/"), title="List")
    entrance = page(*real, text=LOST, title="The entrance")
    answers = {"/robots.txt": Response(404, b""), "/list": front, **real}
    proxy = serve({"a.test": lambda request: answers.get(request.path, entrance)})
    crawled = crawl(
        proxy,
        arguments={"query": QUERY, "seeds": "http://a.test/list"},
        settings={"CONCURRENT_REQUESTS": 1, "EVOCRAWL_SPECIES": "breadth_first"},
    )
    crawled.check_settled()
    urls = {each["url"].removeprefix("http://a.test") for each in crawled.pages}
    assert {"/portal/start.jsp", "/maps/old", "/maps/new"} <= urls
    assert [each for each in urls if each.startswith("/scan/")] == []
    assert crawled.stat("soft_404/pages") == 12
    assert crawled.stat("soft_404/probes") == 1


def test_no_probe_where_robots_txt_forbids_it(serve, crawl: Crawl) -> None:
    """The address then counts like any other."""
    answers = {f"/{name}": page(text=LOST, title="Oh") for name in "abcdefgh"}
    robots = Response(200, b"User-agent: *\nDisallow: /no-such", {"Content-Type": "text/plain"})
    front = page(*answers, text=prose("/"), title="Front")
    proxy = serve({"a.test": site({"/robots.txt": robots, "/": front, **answers})})
    crawled = crawl(proxy, arguments={"query": QUERY, "seeds": "http://a.test/"})
    crawled.check_settled()
    assert asked(proxy, "no-such-page") == []
    assert crawled.stat("visits/fetched") == 9


def test_a_calendar_is_left(serve, crawl: Crawl) -> None:
    """B110: at most twenty pages of its template are fetched, and all other pages."""

    def answer(request: Request) -> Response:
        if "?" not in request.path:
            return page("/?y=2026", "/b", "/c", text=prose(request.path))
        year = int(request.path.partition("=")[2])
        text = f"What is on at the reef, {year}: coral bleaching. Nothing was entered so far."
        return page(f"?y={year + 1} next", f"?y={year - 1} previous", text=text)

    proxy = serve({"a.test": answer})
    crawled = crawl(
        proxy, arguments={"query": QUERY, "seeds": "http://a.test/", "max_requests": 200}
    )
    crawled.check_settled()
    assert 2 < len(asked(proxy, "?y=")) <= 20
    assert {"/", "/b", "/c"} <= {each.path for each in proxy.log}
    assert crawled.stats["evocrawl/stop_reason"] == "exhausted"


def test_a_page_under_many_addresses_gives_energy_once_and_names_its_original(
    serve, crawl: Crawl
) -> None:
    """Sessions in paths: each of ten pages links to all of them with another session."""

    def answer(request: Request) -> Response:
        if request.path == "/robots.txt":
            return Response(404, b"")
        session = random.Random(request.path).randbytes(8).hex()
        links = [f"/s/{session}/{name} part" for name in "abcdefghij"]
        return page(*links, text=prose(request.path[-1]), title=request.path[-1])

    proxy = serve({"a.test": answer})
    crawled = crawl(
        proxy,
        arguments={"query": QUERY, "seeds": "http://a.test/", "max_requests": 60},
        settings={"CONCURRENT_REQUESTS": 1},
    )
    crawled.check_settled()
    copies = [each for each in crawled.pages if each["duplicate_of"]]
    assert len(crawled.pages) - len(copies) == 11
    assert crawled.stat("pages/nothing_new") == len(copies) > 5
    assert {each["energy"] for each in copies} == {0.0}
    assert all(each["duplicate_of"][-1] == each["url"][-1] for each in copies)


def test_a_farm_of_host_names_is_one_domain(serve, crawl: Crawl) -> None:
    """Wildcard DNS: of a thousand names few are visited while there are other links."""

    def answer(request: Request) -> Response:
        if request.path == "/robots.txt":
            return Response(404, b"")
        if request.host == "a.test":
            number = int(request.path[1:] or 0)
            links = [f"http://n{number}.farm.test/", *([f"/{number + 1}"] if number < 40 else [])]
            return page(*links, text=prose(request.path), title=request.path)
        names = random.Random(request.host).sample(range(1000), 6)
        links = [f"http://n{name}.farm.test/ coral bleaching" for name in names]
        return page(*links, text="Coral bleaching, coral bleaching. " * 30, title="Coral bleaching")

    hosts = {f"n{number}.farm.test": answer for number in range(1000)}
    proxy = serve({"a.test": answer, **hosts})
    crawled = crawl(
        proxy,
        arguments={"query": QUERY, "seeds": "http://a.test/", "max_requests": 120},
        settings={"EVOCRAWL_SPECIES": "best_first"},
    )
    crawled.check_settled()
    seen = ["farm" in each.host for each in proxy.log]
    assert seen.count(False) == 42
    until = max(number for number, is_farm in enumerate(seen) if not is_farm)
    assert seen[:until].count(True) < 30  # robots.txt of each included
