"""Crawls of difficult pages: each is read, in part or in a process, and delays no other."""

from __future__ import annotations

import asyncio
import gzip
from collections.abc import Callable
from io import BytesIO
from zlib import MAX_WBITS, compress, compressobj

import brotli
import pytest
from livecrawl import QUERY, Crawl, Crawled, page, site

from evocrawl.simulation.server.proxy import Request, Response, not_found

HTML = {"Content-Type": "text/html; charset=utf-8"}
SEEDS = {
    "bomb": Response(200, b"<p " + b"a=1 " * 60_000 + b">coral bleaching<a href=/ok>k</a>", HTML),
    "deep": Response(200, b"<div>" * 2100 + b"coral<a href=/after>after</a>", HTML),
    "many": page(*(f"/links/{number} coral" for number in range(3000)), text="coral"),
    "giant": Response(200, b"<p>coral bleaching</p>" * 200_000, HTML),
    "feed": Response(
        200,
        b"<rss><channel><title>coral</title><item><link>/item</link></item></channel></rss>",
        {"Content-Type": "application/rss+xml"},
    ),
    "text": Response(200, b"Coral bleaching\n\nin plain words", {"Content-Type": "text/plain"}),
    "json": Response(200, b'{"coral": 1}', {"Content-Type": "text/plain"}),
    "codec": Response(200, b"<meta charset=hex><p>coral</p>", {"Content-Type": "text/html"}),
}


def run(crawl: Crawl, serve: Callable[..., object], **settings: object) -> Crawled:
    pages = {f"/{name}": response for name, response in SEEDS.items()}
    pages["/pdf"] = Response(200, pdf(), {"Content-Type": "application/pdf"})
    proxy = serve({"hard.test": site(pages)})
    return crawl(
        proxy,
        arguments={
            "query": QUERY,
            "species": "breadth_first",
            "seeds": " ".join(f"http://hard.test{path}" for path in pages),
            "max_requests": len(pages) + 1,
        },
        settings=settings,
    )


def pdf() -> bytes:
    pypdf = pytest.importorskip("pypdf")
    writer = pypdf.PdfWriter()
    writer.add_blank_page(100, 100)
    writer.add_metadata({"/Title": "Coral bleaching"})
    file = BytesIO()
    writer.write(file)
    return file.getvalue()


@pytest.mark.takes_s(14)
def test_b020_r14_r15_hard_pages_are_read_and_cuts_are_reported(crawl: Crawl, serve) -> None:
    """B020, B017, B018, R14, R15, R16: cuts are in the item and the stats.

    Costly pages are read aside.
    """
    crawled = run(crawl, serve)
    crawled.check_settled()
    cut = {each["url"].rpartition("/")[2]: each["truncated"] for each in crawled.pages}
    assert cut == {
        "bomb": ["attributes"], "deep": ["depth"], "many": ["links"], "codec": [], "feed": [],
        "giant": ["body_bytes", "tags", "text_chars"], "text": [], "pdf": [],
    }  # fmt: skip
    assert crawled.stat("pages/truncated") == 4
    assert crawled.stat("pages/read_aside") == 4
    assert crawled.stat("pages/unreadable") == 0
    assert crawled.stat("visits/dead") == 1


def test_r15_pages_that_take_too_long_are_dead_and_the_crawl_goes_on(crawl: Crawl, serve) -> None:
    """R15, R16: given up after their time, and counted."""
    crawled = run(crawl, serve, EVOCRAWL_READ_TIMEOUT_S=0.0001)
    crawled.check_settled()
    assert crawled.stat("pages/unreadable") == 4
    assert crawled.stat("visits/dead") == 5
    read = {each["url"].rpartition("/")[2] for each in crawled.pages}
    assert read == {"deep", "codec", "feed", "text"}


def test_large_and_slow_pages_of_one_host_delay_no_other_host(crawl: Crawl, serve) -> None:
    """No large page is read, and no slow one ends, before all of another host have come.

    Each large page is more than SCRAPER_SLOT_MAX_ACTIVE_SIZE, at which Scrapy asks for nothing.
    """
    others = 20
    paths = ["/", *(f"/{number}" for number in range(1, others))]
    large = gzip.compress(b"<p>coral bleaching</p>" * 300_000)
    headers = {**HTML, "Content-Encoding": "gzip"}
    seen_before_slow = []

    def other(request: Request) -> Response:
        links = paths[1:] if request.path == "/" else []
        return page(*links, text="coral") if request.path in paths else not_found(request)

    async def slow(request: Request) -> Response:
        if request.path == "/robots.txt":
            return not_found(request)
        for _ in range(1200):
            asked = {each.path for each in proxy.log if each.host == "other.test"}
            if asked >= set(paths):
                break
            await asyncio.sleep(0.05)
        seen_before_slow.append(len(asked & set(paths)))
        return page(text="coral")

    giants = {f"/{number}": Response(200, large, headers) for number in range(4)}
    proxy = serve({"large.test": site(giants), "slow.test": slow, "other.test": other})
    crawled = crawl(
        proxy,
        arguments={
            "query": QUERY,
            "seeds": " ".join(
                [*(f"http://large.test{path}" for path in giants),
                 *(f"http://slow.test/{number}" for number in range(3)), "http://other.test/"]
            ),
        },
        settings={
            "EXTENSIONS": {"slowread.SlowRead": 1}, "SLOWREAD_UNTIL": others,
            "CONCURRENT_REQUESTS": 12, "CONCURRENT_REQUESTS_PER_DOMAIN": 4, "DOWNLOAD_TIMEOUT": 200,
        },
    )  # fmt: skip
    crawled.check_settled()
    assert crawled.stat("pages/read_aside") == len(giants)
    assert crawled.log.count(f"reading aside after {others} pages of other.test") == len(giants)
    assert seen_before_slow == [others] * 3
    assert len(crawled.pages) == others + len(giants) + 3


def test_b097_a_page_that_redirects_to_itself_with_a_cookie_is_fetched(crawl: Crawl, serve) -> None:
    """B097: the answer to the second try is the page."""

    def door(request: Request) -> Response:
        if "seen=1" in request.headers.get("cookie", ""):
            return page(text="coral bleaching")
        return Response(302, b"", {"Location": "/p", "Set-Cookie": "seen=1"})

    proxy = serve({"door.test": site({"/p": door})})
    arguments = {"query": QUERY, "seeds": "http://door.test/p", "max_requests": 10}
    crawled = crawl(proxy, arguments=arguments)
    crawled.check_settled()
    assert [each["url"] for each in crawled.pages] == ["http://door.test/p"]


def test_b099_many_links_that_redirect_to_one_page_fetch_it_once(crawl: Crawl, serve) -> None:
    """B099, B098: the redirect's target is claimed; loops end."""

    def answer(request: Request) -> Response:
        if request.path == "/":
            return page(*(f"/x/{number}" for number in range(20)), "/loop/1", text="coral")
        if request.path == "/login":
            return page(text="log in")
        if request.path.startswith("/loop"):
            other = "/loop/2" if request.path == "/loop/1" else "/loop/1"
            return Response(302, b"", {"Location": other})
        if request.path == "/robots.txt":
            return Response(404, b"")
        return Response(302, b"", {"Location": "/login"})

    proxy = serve({"login.test": answer})
    arguments = {"query": QUERY, "seeds": "http://login.test/", "max_requests": 60}
    crawled = crawl(proxy, arguments=arguments)
    crawled.check_settled()
    asked = [each.path for each in proxy.log]
    assert asked.count("/login") == 1
    assert sum(path.startswith("/x/") for path in asked) == 20
    assert sum(path.startswith("/loop") for path in asked) <= 4
    assert crawled.stat("stop_reason") == "exhausted"


CORAL = b"<title>Coral</title><p>" + b" ".join(b"coral %d" % each for each in range(3_000))
_RAW = compressobj(wbits=-MAX_WBITS)
PACKED = {
    "gzip": ("gzip", gzip.compress(CORAL)),
    "identity-first": ("identity, gzip", gzip.compress(CORAL)),
    "identity-last": ("GZIP, identity,", gzip.compress(CORAL)),
    "twice": ("gzip, br", brotli.compress(gzip.compress(CORAL))),
    "deflate": ("deflate", compress(CORAL)),
    "raw-deflate": ("deflate", _RAW.compress(CORAL) + _RAW.flush()),
    "cut-gzip": ("gzip", gzip.compress(CORAL)[:-2_000]),
    "cut-br": ("br", brotli.compress(CORAL)[:-500]),
    "unknown-plain": ("utf-8", CORAL),
}
GARBLED = {
    "plain-gzip": ("gzip", CORAL),
    "plain-x-gzip": ("x-gzip", b"<p>coral"),
    "plain-deflate": ("deflate", CORAL),
    "plain-br": ("br", CORAL),
    "plain-zstd": ("zstd", CORAL),
    "once-for-twice": ("gzip, gzip", gzip.compress(CORAL)),
    "twice-for-once": ("gzip", gzip.compress(gzip.compress(CORAL))),
    "other": ("br", gzip.compress(CORAL)),
    "nothing-of-it": ("gzip", gzip.compress(CORAL)[:12]),
    "unknown": ("\x1b[2Jlzma", b"\x1b" + gzip.compress(CORAL)),
    "too-large": ("gzip", gzip.compress(bytes(30_000_000))),
}


def test_a_body_that_is_not_what_its_header_says_is_a_dead_visit(crawl: Crawl, serve) -> None:
    """The part that browsers show is read; otherwise the visit has a reason."""
    pages = {
        f"/{name}": Response(200, body, {**HTML, "Content-Encoding": coding})
        for name, (coding, body) in (PACKED | GARBLED).items()
    }
    robots = b"User-agent: *\nDisallow: /forbidden"
    pages["/robots.txt"] = Response(200, robots, {"Content-Encoding": "gzip"})
    seeds = [*PACKED, *GARBLED, "forbidden"]
    crawled = crawl(
        serve({"packed.test": site(pages)}),
        arguments={"query": QUERY, "seeds": " ".join(f"http://packed.test/{n}" for n in seeds)},
        settings={"DOWNLOAD_MAXSIZE": 20_000_000},
    )
    crawled.check_settled()
    assert {each["url"].rpartition("/")[2] for each in crawled.pages} == set(PACKED)
    assert all(each["title"] == "Coral" for each in crawled.pages)
    assert crawled.stat("visits/dead") == len(GARBLED)
    assert crawled.stat("visits/dropped") == 0
    assert crawled.stat("visits/refused") == 1
