"""A real Chromium's own requests obey robots.txt, the address guard and the budget."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from chromium import launch_options
from listener import Listener
from livecrawl import QUERY, Crawl, Crawled, site

from evocrawl.simulation.server.proxy import LoopbackProxy, Response, redirect

PLAYWRIGHT = "scrapy_playwright.handler.ScrapyPlaywrightDownloadHandler"
INNER = "127.0.0.2"
RULES = b"User-agent: *\nDisallow: /private/\n"
SCRIPT = """
fetch('/data').catch(() => 0); fetch('/private/data').catch(() => 0);
fetch('/goes-private').catch(() => 0);
try { new WebSocket('ws://' + location.host + '/socket'); } catch (e) {}
navigator.serviceWorker && navigator.serviceWorker.register('/worker.js').catch(() => 0);
"""

RESTLESS = """<script>
let answered = 0;
const more = () => fetch('/more?' + Math.random()).then(() => answered++).finally(more);
addEventListener('load', () => { for (let i = 0; i < 12; i++) more(); });
</script>"""


@pytest.fixture
def inner() -> Iterator[Listener]:
    listener = Listener(INNER)
    yield listener
    listener.close()


def _page(text: str = "") -> Response:
    body = f"<html><head><title>{QUERY}</title></head><body><p>{QUERY}</p>{text}</body></html>"
    return Response(200, body.encode(), {"Content-Type": "text/html; charset=utf-8"})


def _site(inner: Listener):
    at = f"http://{INNER}:{inner.port}"
    busy = f"""<link rel=stylesheet href=/open.css><link rel=stylesheet href=/private/s.css>
        <img src=/open.png><img src=/unwanted.png><img src={at}/inner.png>
        <img src=/goes-inside><iframe src=/goes-private></iframe><iframe src=/framed></iframe>
        <script>{SCRIPT}</script>"""
    css = Response(200, b"p {color: red}", {"Content-Type": "text/css"})
    answer = site(
        {
            "/robots.txt": Response(200, RULES),
            "/busy": _page(busy),
            "/lands": redirect("/hop", 302),
            "/hop": redirect("/landing", 302),
            "/landing": _page("landed"),
            "/goes": redirect("/private/landing", 302),
            "/goes-inside": redirect(f"{at}/redirected.png", 302),
            "/goes-private": redirect("/private/data", 302),
            "/private/landing": _page("private"),
            "/framed": _page("framed"),
            "/open.css": css,
            "/private/s.css": css,
            "/restless": _page(RESTLESS),
        }
    )
    return lambda asked: Response(200) if asked.path.startswith("/more?") else answer(asked)


def _browse(
    serve, crawl: Crawl, inner: Listener, paths: str, **settings: object
) -> tuple[Crawled, LoopbackProxy]:
    proxy = serve({"reef.test": _site(inner), "127.0.0.1": _site(inner)})
    at = f"http://127.0.0.1:{proxy.port}"
    crawled = crawl(
        proxy,
        command=("crawl", "browses"),
        arguments={"urls": " ".join(f"{at}{each}" for each in paths.split())},
        settings={
            "SPIDER_MODULES": "browserspider",
            "HTTPPROXY_ENABLED": False,
            "DOWNLOAD_TIMEOUT": 120,
            "DOWNLOAD_HANDLERS": {"http": PLAYWRIGHT, "https": PLAYWRIGHT},
            "PLAYWRIGHT_LAUNCH_OPTIONS": launch_options(),
            "PLAYWRIGHT_ABORT_REQUEST": "browserspider.is_unwanted",
            "EVOCRAWL_QUERY": QUERY,
            "EVOCRAWL_ALLOW_NETWORKS": "127.0.0.1/32",
            "EVOCRAWL_TRUSTED_HANDLERS": PLAYWRIGHT,
            **settings,
        },
        timeout_s=240,
    )
    return crawled, proxy


def test_a_browsers_requests_are_those_of_the_crawl(serve, crawl: Crawl, inner: Listener) -> None:
    """Styles, images, fetch(), frames, sockets, workers, and redirects of each.

    Also of a page that never stops: what it is about to request when it is closed is not sent.
    """
    crawled, proxy = _browse(serve, crawl, inner, "/busy /lands /goes /restless")
    landed = {each["url"].partition("1:")[2].partition("/")[2]: each for each in crawled.pages}
    assert {name: each.get("failed") for name, each in landed.items()} == {
        "busy": None, "landing": None, "goes": "IgnoreRequest", "restless": None,
    }  # fmt: skip
    asked = [each.path for each in proxy.log]
    assert len([path for path in asked if path.startswith("/more?")]) > 12
    assert {"/open.css", "/open.png", "/data", "/framed", "/goes-private", "/hop"} <= set(asked)
    assert [each for each in asked if each.startswith(("/private", "/unwanted"))] == []
    assert {"/socket", "/worker.js"}.isdisjoint(asked)
    assert inner.calls == 0
    assert crawled.stat("requests") == len(asked), asked
    assert crawled.stat("browser/refused") >= 4
    assert crawled.stat("visits/refused") == 1
    assert crawled.stat("guard/address") >= 2


def test_a_browser_keeps_to_the_budget(serve, crawl: Crawl, inner: Listener) -> None:
    """The servers got as many requests as the stat has, and no more than allowed."""
    crawled, proxy = _browse(serve, crawl, inner, "/busy /landing", EVOCRAWL_MAX_REQUESTS=4)
    assert len(proxy.log) == crawled.stat("requests") == 4
