"""A page in the browser follows the rules of the crawl."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import replace

import pytest
from appsite import HOST, START, javascript, shell, texts_of
from listener import Listener
from livecrawl import QUERY, Crawl, page, site
from programs import needs_chromium

from evocrawl.simulation.server.proxy import Request, Response, redirect

ARGUMENTS = {
    "browser": "always",
    "query": QUERY,
    "seeds": START,
    "max_requests": 600,
    "relevance": "tfidf",
}
LOOP = "for (;;) {}"
HOSTILE = {
    "/alert": "alert('hello'); document.body.innerHTML = '<p>alert is over';",
    "/huge": "for (let i = 0; i < 40; i++) document.body.append('x'.repeat(100000));",
    "/window": "open('/opened'); document.body.innerHTML = '<p>window is over';",
    "/socket": "new WebSocket(`ws://${location.host}/ws`); document.body.innerHTML = '<p>socket';",
    "/leaves": "location.href = '/landed';",
    "/leaves-private": "location.href = '/private/page';",
    "/leaves-known": "location.replace('/');",
    "/frame": "document.body.innerHTML = '<p>frame is over';"
    "const f = document.createElement('iframe'); f.src = '/framed'; document.body.append(f);"
    "setTimeout(() => f.remove(), 300);",
    "/asks-private": "fetch('/private/data').then(r => r.text()).catch(() => 'refused')"
    ".then(t => document.body.append(t));",
    "/asks-moved": "fetch('/moved').then(r => r.text()).then(t => document.body.append(t));",
    "/asks-moved-private": "fetch('/moved-private').then(r => r.text()).catch(() => 'refused')"
    ".then(t => document.body.append(t));",
    "/posts": "fetch('/form', {method: 'POST', body: 'reef', headers: {'X-Key': '7'}})"
    ".then(r => r.text()).then(t => document.body.append(t));",
    "/methods": "const ask = n => fetch('/form', {method: 'M' + n});"
    "Promise.allSettled([...Array(9).keys()].map(ask))"
    ".then(all => document.body.append(all.map(each => each.status).join(' ')));",
    "/cookie": "document.cookie = 'mine=1'; fetch('/needs-cookies').then(r => r.text())"
    ".then(t => document.body.append(t));",
    "/components": "document.cookie = 'later=1';"
    "class Reef extends HTMLElement { connectedCallback() { this.attachShadow({mode: 'open'})"
    ".innerHTML = '<h2>inside</h2><slot></slot><a href=/in-component>after</a>'; } }"
    "customElements.define('reef-view', Reef);"
    "document.body.innerHTML = '<reef-view>of the page </reef-view>' + document.cookie;"
    "new Worker('/worker.js').onmessage = sent => document.body.append(sent.data);",
    "/stays": "document.body.innerHTML = '<p>stays</p><form method=post action=/form></form>';"
    "location.reload(); setTimeout(() => document.forms[0].submit(), 50);"
    "setTimeout(() => location.href = '/file.zip', 100);",
    "/computes": "const until = Date.now() + 1500; while (Date.now() < until);"
    "fetch('/late').then(r => r.text()).then(t => document.body.append(t));",
    "/slow": "document.body.append('before '); fetch('/never').then(() => 0);",
    "/polls": "setInterval(() => fetch('/poll?' + Math.random()), 50);",
}


def _hostile_site(inner: Listener) -> Callable[[Request], Response]:
    async def never(_: Request) -> Response:
        await asyncio.sleep(200)
        return Response(200)

    async def late(_: Request) -> Response:
        await asyncio.sleep(2)
        return Response(200, b"late data")

    def posted(request: Request) -> Response:
        text = f"{request.method} {request.body.decode()} {request.headers.get('x-key')}"
        return Response(200, text.encode(), {"content-type": "text/plain"})

    def cookies(request: Request) -> Response:
        return Response(200, request.headers.get("cookie", "none").encode())

    inside = f"document.body.append('before '); fetch('http://127.0.0.2:{inner.port}/')"
    scripts = {**HOSTILE, "/asks-inside": f"{inside}.catch(() => document.body.append('refused'));"}
    start = page(*scripts, text=f"{QUERY} " * 60)
    pages: dict[str, Response | Callable[[Request], Response]] = {
        "/robots.txt": Response(200, b"User-agent: *\nDisallow: /private/\n"),
        "/": replace(start, headers={**start.headers, "set-cookie": "first=3"}),
        "/in-component": page(text=f"in a component {QUERY} " * 60),
        "/worker.js": javascript("importScripts('/imported.js');"),
        "/imported.js": javascript("fetch('/data').then(r => r.text()).then(postMessage);"),
        "/landed": page(text=f"landed {QUERY} " * 60),
        "/private/page": page(text="private"),
        "/private/data": Response(200, b"private"),
        "/moved": redirect("/data", 302),
        "/data": Response(200, b"moved data"),
        "/moved-private": redirect("/private/data", 302),
        "/form": posted,
        "/needs-cookies": cookies,
        "/never": never,
        "/late": late,
    }
    for path, script in scripts.items():
        pages[path] = shell(f"/js{path}.js")
        loaded = f"addEventListener('load', () => {{ {script} }});"
        pages[f"/js{path}.js"] = javascript(script if path == "/computes" else loaded)
    first = pages["/cookie"]
    assert isinstance(first, Response)
    pages["/cookie"] = Response(200, first.body, {**first.headers, "set-cookie": "theirs=2"})
    answer = site(pages)

    def poll(request: Request) -> Response:
        return Response(200) if request.path.startswith("/poll?") else answer(request)

    return poll


@pytest.mark.takes_s(100)
@needs_chromium
def test_a_page_in_the_browser_follows_the_rules_of_the_crawl(serve, crawl: Crawl) -> None:
    """robots.txt, addresses, redirects, cookies, sizes, times; scripts that never end."""
    inner = Listener("127.0.0.2")
    try:
        proxy = serve({HOST: _hostile_site(inner)})
        settings = {
            "EVOCRAWL_BROWSER_TIMEOUT_S": 40,
            "DOWNLOAD_MAXSIZE": 1_000_000,
            "EVOCRAWL_BROWSER_PAGES": 3,
            "EVOCRAWL_NOVELTY": False,
        }
        crawled = crawl(proxy, arguments=ARGUMENTS, settings=settings, timeout_s=600)
        inner_calls = inner.calls
    finally:
        inner.close()
    crawled.check_settled()
    texts = {path: " ".join(text.split()) for path, text in texts_of(crawled).items()}
    paths = [each.path for each in proxy.log]
    assert inner_calls == 0
    assert not [each for each in paths if each.startswith("/private")]
    assert {"/ws", "/opened", "/framed"}.isdisjoint(paths)
    assert crawled.stat("requests") == len(paths)
    assert texts["/alert"] == "alert is over"
    assert texts["/window"] == "window is over"
    assert texts["/frame"] == "frame is over"
    assert texts["/asks-private"] == texts["/asks-moved-private"] == "refused"
    assert texts["/asks-inside"] == "before refused"
    assert texts["/asks-moved"] == "moved data"
    assert texts["/computes"] == "late data"
    assert texts["/posts"] == "POST reef 7"
    assert texts["/methods"] == " ".join(9 * ["rejected"])
    assert not [name for name in crawled.stats if name.endswith(("/M0", "/M8"))]
    assert {"mine=1", "theirs=2", "first=3"} <= set(texts["/cookie"].split("; "))
    assert texts["/components"].startswith("inside of the page after")
    assert "first=3" in texts["/components"]
    assert texts["/components"].endswith("moved data")
    assert "/in-component" in texts
    assert texts["/stays"] == "stays"
    assert {"/form"} == {each.path for each in proxy.log if each.method == "POST"}
    assert paths.count("/stays") == 1
    assert "/file.zip" not in paths
    assert texts["/slow"] == "before"
    assert {"/huge", "/polls"} <= set(texts)
    assert "landed" in texts["/landed"]
    assert {"/leaves", "/leaves-private", "/leaves-known"}.isdisjoint(texts)
    assert crawled.stat("visits/refused") >= 1
    assert len([each for each in paths if each.startswith("/poll?")]) <= 100
    assert crawled.stat("browser/failed") == 1
    assert crawled.stat("browser/restarts") == 0


@pytest.mark.takes_s(20)
@needs_chromium
def test_a_script_that_never_ends_costs_its_own_page_alone(serve, crawl: Crawl) -> None:
    """The page is read as the server sent it, and the browser opens the next one."""
    text = f"{QUERY} " * 60
    pages = {"/": page("/loop", "/app", text=text), "/loop": shell("/loop.js")}
    pages |= {"/loop.js": javascript(LOOP), "/app": shell("/app.js")}
    pages["/app.js"] = javascript("document.body.append('the application');")
    proxy = serve({HOST: site(pages)})
    settings = {"EVOCRAWL_BROWSER_TIMEOUT_S": 5, "EVOCRAWL_BROWSER_PAGES": 1}
    crawled = crawl(proxy, arguments=ARGUMENTS, settings=settings, timeout_s=600)
    crawled.check_settled()
    assert set(texts_of(crawled)) == {"/", "/loop", "/app"}
    assert crawled.stat("browser/failed") >= 1
    assert crawled.stat("browser/restarts") == 0
