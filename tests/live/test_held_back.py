"""Links that were held back are released: all that a spider requests, and lists."""

from __future__ import annotations

import random
from collections import Counter
from typing import Any

import pytest
from livecrawl import QUERY, Crawl, page

from evocrawl.simulation.server.proxy import Request, Response

SAME = " ".join(["one and the same words on each page of this house, coral bleaching too"] * 4)


def html(text: str, *links: tuple[str, str]) -> Response:
    anchors = "".join(f'<a class={kind} href="{href}">{kind}</a>' for kind, href in links)
    body = f"<html><body><p>{text}</p>{anchors}</body></html>"
    return Response(200, body.encode(), {"Content-Type": "text/html"})


def number_of(request: Request) -> int:
    return int(request.path.rpartition("=")[2].rpartition("/")[2] or 0)


def sheets(request: Request) -> Response:
    """Return forty sheets, each with a link to the next one only."""
    number = number_of(request)
    following = [("next", f"/list?page={number + 1}")] if number < 39 else []
    return html(f"{SAME} SKU {number} price {7 * number}", *following)


def app(request: Request) -> Response:
    """Return the same shell at every address, and its data."""
    if request.path.startswith(("/api/", "/form/")):
        return Response(200, b'{"n": 1}', {"Content-Type": "application/json"})
    if request.path == "/":
        return html("All of it", *(("shell", f"/view/{number}") for number in range(40)))
    return html(SAME)


def parts(request: Request) -> Response:
    """Return ten categories, each with fifteen parts that differ in their numbers."""
    number = number_of(request)
    if request.path.startswith("/part"):
        return html(f"{SAME} part {number}, {7 * number} euro")
    of_it = [("part", f"/part?id={15 * number + n}") for n in range(15)]
    following = [("next", f"/cat/{number + 1}")] if number < 9 else []
    return html(f"{SAME} category {number}", *of_it, *following)


def no_robots(answer: Any) -> Any:
    """Answer 404 to robots.txt and, except in the app, to unknown addresses."""

    def with_gaps(request: Request) -> Response:
        is_gap = "/no-such-page" in request.path and request.host != "app.test"
        return Response(404, b"") if is_gap or request.path == "/robots.txt" else answer(request)

    return with_gaps


@pytest.mark.parametrize("species", ["evo", "energy"])
def test_all_that_a_spider_requests_is_fetched_even_if_it_looks_like_a_trap(
    species: str, serve, crawl: Crawl
) -> None:
    """Lists by "next", shells of an app, similar parts: as with stock Scrapy, in any order."""
    hosts = {"list.test": sheets, "app.test": app, "parts.test": parts}
    proxy = serve({host: no_robots(answer) for host, answer in hosts.items()})
    crawled = crawl(
        proxy,
        command=("crawl", "shop"),
        settings={
            "SPIDER_MODULES": "shopspider",
            "ITEM_PIPELINES": {},
            "EVOCRAWL_QUERY": QUERY,
            "EVOCRAWL_SPECIES": species,
            "CONCURRENT_REQUESTS_PER_DOMAIN": 16,
            "CONCURRENT_ITEMS": 4,  # Scrapy starts as many tasks for each page
        },
    )
    crawled.check_settled()
    found = Counter(
        key for item in crawled.pages for key in item if key in ("sheet", "api", "part")
    )
    assert found == {"sheet": 40, "api": 80, "part": 150}
    assert len({str(item) for item in crawled.pages}) == 270


@pytest.mark.parametrize(("address", "budget"), [("/katalog?blatt={}", 200), ("/seite/{}", 1000)])
def test_a_numbered_list_and_all_its_links_are_fetched(
    address: str, budget: int, serve, crawl: Crawl
) -> None:
    """Thirty similar sheets, linked by "next" only, with four different links on each."""

    def answer(request: Request) -> Response:
        if request.path == "/":
            return page(address.format(1), text="A house of coral")
        if request.path.startswith("/stueck/"):
            words = random.Random(request.path).choices(
                [f"{a}{b}t" for a in "bdfgk" for b in "aeiou"], k=30
            )
            return page("/", text=f"coral {' '.join(words)}", title=request.path)
        number = number_of(request)
        things = [f"/stueck/{4 * number + n}" for n in range(4)]
        following = [f"{address.format(number + 1)} weiter"] if number < 30 else []
        text = f"Blatt {number} von 30. Alle Stücke des Hauses, nach Nummern geordnet"
        return page(*things, *following, text=text)

    proxy = serve({"a.test": no_robots(answer)})
    crawled = crawl(
        proxy,
        arguments={"query": QUERY, "seeds": "http://a.test/", "max_requests": budget},
        settings={"CONCURRENT_REQUESTS_PER_DOMAIN": 16},
    )
    crawled.check_settled()
    asked = Counter(each.path.lstrip("/").partition("/")[0].partition("?")[0] for each in proxy.log)
    sheet = address.format("").lstrip("/").partition("/")[0].partition("?")[0]
    assert (asked[sheet], asked["stueck"]) == (30, 120)
