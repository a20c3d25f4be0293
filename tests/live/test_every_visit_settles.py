"""Every visit settles exactly once, for any end of its request."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

import pytest
from livecrawl import QUERY, Crawl, page, site

from evocrawl.simulation.server.proxy import Request, Reset, Response, redirect

WAYS = """
    fine not-there broken teapot forbidden/x redirected loop redirected-away redirected-home
    redirected-outside reset endless too-large cut-short binary text empty never-scheduled-first
    request-ignored request-raises request-answered request-replaced response-ignored
    response-raises response-replaced exception-answered input-raises output-swallowed
    output-raises item-dropped item-raises download-stopped
""".split()  # noqa: SIM905 - thirty quoted words read worse

FAULTS = {
    "DOWNLOADER_MIDDLEWARES": {"faults.Downloads": 950},
    "SPIDER_MIDDLEWARES": {"faults.Inputs": 60},
    "ITEM_PIPELINES": {"faults.Items": 500},
    "EXTENSIONS": {"faults.Signals": 0},
    "DOWNLOAD_MAXSIZE": 50_000,
}


async def _endless() -> AsyncIterator[bytes]:
    while True:
        await asyncio.sleep(0.2)
        yield b"<p>coral</p>"


async def _cut_short() -> AsyncIterator[bytes]:
    yield b"<p>coral</p>"
    raise Reset


def _reset(_: Request) -> Response:
    raise Reset


def _web() -> dict[str, object]:
    html = {"Content-Type": "text/html"}
    good = page(text="coral bleaching on the reef")
    pages = {f"/{way}": good for way in WAYS} | {
        "/": page(*(f"/{way} coral bleaching" for way in WAYS), text=QUERY),
        "/robots.txt": Response(200, b"User-agent: *\nDisallow: /forbidden/"),
        "/not-there": Response(404, b"", html),
        "/broken": Response(503, b"", html),
        "/teapot": Response(418, b"<p>coral</p>", html),
        "/redirected": redirect("/arrived"),
        "/arrived": good,
        "/loop": redirect("/loop"),
        "/redirected-away": redirect("http://away.test/page"),
        "/redirected-home": redirect("/"),
        "/redirected-outside": redirect("http://nowhere.invalid/"),
        "/never-scheduled-first": redirect("/never-scheduled"),
        "/reset": _reset,
        "/exception-answered": _reset,
        "/endless": lambda _: Response(200, _endless(), html),
        "/cut-short": lambda _: Response(200, _cut_short(), html),
        "/too-large": Response(200, b"x" * 60_000, html),
        "/binary": Response(200, b"%PDF-1.7\x00\x01", {"Content-Type": "application/pdf"}),
        "/text": Response(200, b"coral", {"Content-Type": "text/plain"}),
        "/empty": Response(200, b"", html),
    }
    return {"reef.test": site(pages), "away.test": site({"/page": good})}


@pytest.mark.parametrize("species", ["energy", "best_first", "breadth_first"])
@pytest.mark.parametrize("concurrency", [1, 16])
def test_all_failure_paths(serve, crawl: Crawl, species: str, concurrency: int) -> None:
    """R16: as many visits settle as are opened, for thirty ways in which a request can end."""
    proxy = serve(_web())
    crawled = crawl(
        proxy,
        arguments={"query": QUERY, "seeds": "http://reef.test/", "species": species},
        settings={**FAULTS, "CONCURRENT_REQUESTS": concurrency},
    )
    assert crawled.stat("visits/unsettled") == 0
    assert crawled.stat("visits/settled_twice") == 0
    # The seed, each way once, and the request that a middleware put in another's place; what
    # failed and may do better at a second try, or led to a host whose robots.txt is not known, is
    # a visit of its own then.
    assert crawled.stat("retries") > 0
    assert crawled.stat("put_off") >= 2
    later = crawled.stat("retries") + crawled.stat("put_off")
    assert crawled.stat("visits/opened") == len(WAYS) + 2 + later
    assert crawled.stat("visits/settled") == crawled.stat("visits/opened")
    # The forbidden page, and the host whose robots.txt cannot be fetched.
    assert crawled.stat("visits/refused") == 2
    assert crawled.stat("stop_reason") == "exhausted"
    assert crawled.stat("requests") == len(proxy.log)


def test_interrupted(serve, crawl: Crawl) -> None:
    """A crawl that is stopped settles the visits that were under way."""
    links = [f"/{number} coral" for number in range(200)]
    pages = {"/": page(*links, text=QUERY)}
    pages |= {f"/{number}": page(text=QUERY) for number in range(200)}
    proxy = serve({"reef.test": site(pages)}, delays={"reef.test": 0.05})
    crawled = crawl(
        proxy,
        arguments={"query": QUERY, "seeds": "http://reef.test/"},
        interrupt_at=40,
    )
    crawled.check_settled()
    assert crawled.stat("stop_reason") == "shutdown"
    assert 0 < len(crawled.pages) < 200
