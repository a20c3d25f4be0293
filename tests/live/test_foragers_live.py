"""Foragers watch a real news site that changes meanwhile."""

from __future__ import annotations

from collections import Counter
from datetime import UTC, datetime
from email.utils import format_datetime

import pytest
from livecrawl import Crawl, page, site

from evocrawl.simulation.server.proxy import Request, Response, redirect
from evocrawl.species.foragers.species import KINDS

OLD = "2020-01-01T00:00:00Z"
APPEARS_AFTER = 4
"""Times that the front page is asked for before it names a new article."""


def dated(response: Response, date: str) -> Response:
    """Return the same page, published at `date`."""
    meta = f'<meta property="article:published_time" content="{date}">'.encode()
    assert isinstance(response.body, bytes)
    return Response(200, response.body.replace(b"</head>", meta + b"</head>"), response.headers)


class News:
    """A front page behind a redirect, old articles, and later a new one."""

    def __init__(self) -> None:
        self.asked = 0
        old = {f"/old{n}": dated(page("/front", text=f"old story {n}"), OLD) for n in range(4)}
        self.paths = {
            "/": redirect("/front"),
            "/front": self.front,
            "/new": self.new,
            "/undated": page("/front", text="a page about us"),
            **old,
        }

    def front(self, _: Request) -> Response:
        self.asked += 1
        new = ("/new",) if self.asked > APPEARS_AFTER else ()
        return page(*(f"/old{n}" for n in range(4)), "/undated", *new, text="front page")

    def new(self, _: Request) -> Response:
        return dated(page("/front", text="a story of today"), datetime.now(UTC).isoformat())


@pytest.mark.parametrize("species", KINDS)
def test_a_document_that_appears_during_the_crawl_is_found(
    serve, crawl: Crawl, species: str
) -> None:
    """Known pages are requested again, the front page through its redirect."""
    crawled = crawl(
        serve({"news.test": site(News().paths)}),
        arguments={"species": species, "seeds": "http://news.test/", "max_requests": 150},
    )
    crawled.check_settled()
    relevance = {each["url"]: each["relevance"] for each in crawled.pages}
    assert relevance["http://news.test/new"] == 1
    assert {url for url, score in relevance.items() if score} == {"http://news.test/new"}
    visits = Counter(each["url"] for each in crawled.pages)
    assert visits["http://news.test/front"] > APPEARS_AFTER
    assert visits["http://news.test/new"] > 1
    assert crawled.stat("relevant_pages") == 1
    assert crawled.stat("energy/in") == 1, "it pays once"
    assert crawled.stat("requests") == 150
    assert crawled.stat("stop_reason") == "budget"


def test_items_have_the_dates_of_pages(serve, crawl: Crawl) -> None:
    """From the markup, otherwise from a Last-Modified header; none is invented."""
    headers = {"content-type": "text/html", "date": format_datetime(datetime.now(UTC), usegmt=True)}
    stamped = Response(
        200,
        page(text="stamped").body,
        {**headers, "last-modified": "Wed, 01 Jan 2020 00:00:00 GMT"},
    )
    paths = {**News().paths, "/front": page("/old0", "/stamped", "/undated"), "/stamped": stamped}
    crawled = crawl(
        serve({"news.test": site(paths)}),
        arguments={"species": "weblog", "seeds": "http://news.test/front", "max_requests": 8},
    )
    dates = {
        each["url"].rpartition("/")[2]: (each["published_at"], each["changed_at"], each["age_s"])
        for each in crawled.pages
    }
    assert dates["old0"][:2] == ("2020-01-01T00:00:00+00:00", "")
    assert dates["stamped"][:2] == ("", "2020-01-01T00:00:00+00:00")
    assert dates["undated"] == ("", "", None)
    assert dates["old0"][2] > 5 * 365 * 86_400


def test_an_unlimited_crawl_goes_on_until_it_is_stopped(serve, crawl: Crawl) -> None:
    """Without a budget; visits that are under way at the stop are settled."""
    proxy = serve({"news.test": site(News().paths)})
    crawled = crawl(
        proxy,
        arguments={"species": "weblog", "seeds": "http://news.test/", "max_requests": 0},
        interrupt_at=200,
    )
    crawled.check_settled()
    assert len(proxy.log) >= 200
    assert crawled.stat("stop_reason") == "shutdown"


def test_unchanged_pages_are_not_sent_again_with_a_http_cache(
    serve, crawl: Crawl, tmp_path
) -> None:
    """Scrapy's HTTP cache makes conditional requests, and a 304 brings the page as it was."""

    def tagged(request: Request) -> Response:
        tag = {"etag": '"1"', "cache-control": "max-age=0"}
        if request.headers.get("if-none-match") == '"1"':
            return Response(304, headers=tag)
        fresh = dated(page("/", text="one story"), datetime.now(UTC).isoformat())
        return Response(200, fresh.body, {**fresh.headers, **tag})

    proxy = serve({"news.test": site({"/": tagged})})
    crawled = crawl(
        proxy,
        arguments={"species": "weblog", "seeds": "http://news.test/", "max_requests": 9},
        settings={
            "HTTPCACHE_ENABLED": True,
            "HTTPCACHE_DIR": str(tmp_path / "cache"),
            "HTTPCACHE_POLICY": "scrapy.extensions.httpcache.RFC2616Policy",
        },
    )
    crawled.check_settled()
    asked = [each.headers.get("if-none-match") for each in proxy.log if each.path == "/"]
    assert asked[0] is None
    assert set(asked[1:]) == {'"1"'}
    assert len(crawled.pages) == len(asked) > 3


def test_without_seeds_or_query_nothing_is_crawled(serve, crawl: Crawl) -> None:
    """No first page is invented."""
    proxy = serve({"news.test": site(News().paths)})
    crawled = crawl(proxy, arguments={"species": "weblog"})
    assert crawled.code != 0
    assert "seeds" in crawled.log
    assert proxy.log == []
