"""The dashboard of a running crawl in a real Chromium: every view, and every change."""

from __future__ import annotations

import json
import os
import re
import time
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from chromium import launch_options
from livecrawl import FAST, HERE, QUERY, ROOT, page
from playwright.sync_api import Page, sync_playwright
from processes import Forked, start
from programs import needs_chromium
from served import Server, until_quiet

from evocrawl.monitor.explain import explain
from evocrawl.simulation.server.proxy import LoopbackProxy, Request, Response, Site, not_found

TOKEN = "a-token-of-the-tests"
EVIL = "<img src=x onerror=alert(1)><script>alert(2)</script>\u202e"
LONG = "longer" * 50
WAIT_MS = 300_000
LOOKS = ((1280, "light"), (390, "dark"))
"""A desktop and a phone."""
OUR_WORDS = """() => [...document.querySelectorAll("main li, main p")].map((each) => {
  const copy = each.cloneNode(true);
  for (const foreign of copy.querySelectorAll("bdi")) foreign.remove();
  return copy.textContent;
})"""
"""Lines of the view without the text of the web, whose direction marks would reverse ours."""


def endless(other: str) -> Site:
    """Return an endless tree: page n links to 2n + 1 here and to 2n + 2 on the other host."""

    def answer(request: Request) -> Response:
        number = request.path.removeprefix("/")
        if not number.isdecimal():
            return not_found(request)
        n = int(number)
        title = f"{EVIL.replace(chr(60), '&lt;')} {n}"
        title += f" {LONG}"
        links = (f"/{2 * n + 1} {QUERY} {n}", f"http://{other}/{2 * n + 2} reef {n} {LONG}")
        return page(*links, text=f"{QUERY} {n} " * (n % 5), title=title)

    return answer


def with_traits(port: int) -> int | None:
    """Return an agent that is alive and has chosen among links, so that it has its genome."""

    def read(what: str) -> Any:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/api/v1/{what}", timeout=60) as answer:
            return json.load(answer)

    alive = [each["id"] for each in read("agents?alive=true&limit=20")["agents"]]
    return next((each for each in alive if read(f"agents/{each}")["traits"]), None)


def until_found(look: Callable[[], int | None]) -> int:
    """Check repeatedly until there is a result."""
    while (found := look()) is None:
        time.sleep(0.5)
    return found


def open_mind(tab: Page, port: int) -> int:
    """Open the traits of a living agent; return its number."""
    while True:
        number = until_found(lambda: with_traits(port))
        tab.goto(f"http://127.0.0.1:{port}/?{number}#/agents?id={number}")  # loads the page again
        tab.wait_for_selector(f"h3 >> text='Agent {number}, evo'")
        if tab.query_selector("summary"):  # it has not died meanwhile
            tab.click("summary")
            return number


def exclude_line(tab: Page, port: int, number: int) -> int:
    """Exclude the line of the agent that is open, or of another one if it has died out."""
    while True:
        tab.click("button >> text='Exclude its line'")
        done = f"The line of agent {number} is excluded."
        shown = tab.wait_for_selector(f"#message >> text=/{done}|no agent of the line/")
        if done in (shown.text_content() or ""):
            return number
        number = open_mind(tab, port)


@contextmanager
def crawling(proxy: LoopbackProxy, folder: Path) -> Iterator[tuple[Forked, int, Path]]:
    """Run a crawl with a dashboard; return its process, the port, and the file of its stats."""
    stats, log = folder / "stats.json", folder / "log"
    line = ["crawl", "evospider"]
    arguments = {
        "query": QUERY, "seeds": "http://a.test/0", "max_requests": 0, "dashboard": 0,
        "dashboard_token": TOKEN, "store": folder / "s", "probe": "false",
    }  # fmt: skip
    for name, value in arguments.items():
        line += ["-a", f"{name}={value}"]
    settings = {**FAST, "DOWNLOAD_DELAY": 0.2, "CONCURRENT_REQUESTS_PER_DOMAIN": 1}
    settings |= {"LOG_FILE": log, "EVOCRAWL_STATS_FILE": stats}
    for name, value in settings.items():
        line += ["-s", f"{name}={value}"]
    environment = {**os.environ, "http_proxy": proxy.url, "PYTHONPATH": f"{ROOT}:{HERE}"}
    environment.pop("SCRAPY_PROJECT", None)
    process = start(
        "scrapy", line, cwd=ROOT, environment=environment, output=folder / "out", strict=True
    )
    try:
        found = None
        while found is None and process.poll() is None:
            text = log.read_text() if log.exists() else ""
            found = re.search(r"dashboard: http://127\.0\.0\.1:(\d+)/$", text, re.M)
            time.sleep(0.05)
        assert found is not None, (folder / "out").read_text()
        yield process, int(found[1]), stats
    finally:
        process.kill()


def until(is_true: Callable[[], bool]) -> None:
    end_s = time.monotonic() + WAIT_MS / 1000
    while not is_true():
        assert time.monotonic() < end_s
        time.sleep(0.1)


def asked_of(proxy: LoopbackProxy, host: str) -> int:
    return sum(each.host == host for each in list(proxy.log))


def check_accessible(tab: Page) -> None:
    """Check that axe finds no serious problem, and that nothing is wider than the window."""
    for width, scheme in LOOKS:
        tab.set_viewport_size({"width": width, "height": 800})
        tab.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]
        assert tab.evaluate("document.documentElement.scrollWidth") <= width
        found = Axe().run(tab, options={"resultTypes": ["violations"]}).response["violations"]
        serious = [each for each in found if each["impact"] in ("serious", "critical")]
        assert [(each["id"], each["nodes"][0]["html"]) for each in serious] == []


@pytest.mark.takes_s(50)
@needs_chromium
def test_every_view_and_every_change(serve, tmp_path: Path) -> None:
    """All pages of the web are hostile: none of their scripts runs, and no dialog opens."""
    proxy = serve({"a.test": endless("b.test"), "b.test": endless("a.test")})
    with crawling(proxy, tmp_path) as (process, port, stats), sync_playwright() as driver:
        browser = driver.chromium.launch(**launch_options())  # type: ignore[arg-type]
        tab = browser.new_page(viewport={"width": 390, "height": 800})
        tab.set_default_timeout(WAIT_MS)
        problems: list[str] = []
        asked: list[str] = []
        tab.on("pageerror", lambda error: problems.append(str(error)))
        tab.on("console", lambda line: problems.append(line.text) if line.type == "error" else None)
        tab.on("dialog", lambda dialog: (asked.append(dialog.message), dialog.accept()))
        tab.goto(f"http://127.0.0.1:{port}/#token={TOKEN}")

        tab.wait_for_selector(".chart canvas")
        tab.wait_for_selector(f"#query >> text='{QUERY}'")
        check_accessible(tab)

        until(lambda: len(proxy.log) > 30 and asked_of(proxy, "b.test") > 3)
        tab.click("nav >> text=Results")
        tab.wait_for_selector("tbody tr")
        assert EVIL in (tab.text_content("tbody") or "")
        assert tab.query_selector("tbody img, tbody script") is None
        check_accessible(tab)
        tab.click("tbody tr:first-child button >> text='Not relevant'")
        tab.wait_for_selector("tbody tr:first-child button[aria-pressed=true]")
        assert "has learnt" in (tab.text_content("#message") or "")

        tab.click("tbody tr:last-child >> text=Why?")
        tab.wait_for_selector("text=The way from the seed")
        check_accessible(tab)
        assert all("\u202e" not in each for each in tab.evaluate(OUR_WORDS))

        tab.click("nav >> text=Agents")
        tab.focus(".tree li:first-child button:not([aria-expanded])")
        tab.keyboard.press("Enter")
        tab.wait_for_selector(".panel table tbody tr >> visible=true")
        number = open_mind(tab, port)
        tab.wait_for_selector("td >> text=temperature")
        check_accessible(tab)
        number = exclude_line(tab, port, number)

        tab.click("nav >> text=Hosts")
        tab.wait_for_selector("td[data-name='delay, s'] >> text='0.20'")
        tab.click("[aria-label='Exclude b.test']")
        tab.wait_for_selector("text=No further link to b.test")
        check_accessible(tab)

        tab.click("nav >> text=Control")
        tab.wait_for_selector("li >> text=b.test")
        tab.wait_for_selector(f"li >> text=agent {number} and its line")
        tab.fill("[name=upper_bound]", "33")
        tab.click("button >> text='Change'")
        tab.wait_for_selector("text=The parameters are changed")
        check_accessible(tab)
        tab.click("button >> text='Pause'")
        tab.wait_for_selector("#state.paused")
        stopped_at = until_quiet(proxy.log, Server(port))
        seen = asked_of(proxy, "b.test")
        tab.click("button >> text='Resume'")
        until(lambda: len(proxy.log) > stopped_at + 5)
        assert asked_of(proxy, "b.test") == seen
        tab.click("button >> text='Stop the crawl'")
        assert process.wait(WAIT_MS / 1000) == 0
        browser.close()

    assert [each for each in problems if "net::" not in each and "fetch" not in each] == []
    # evocrawl's own dialogs: to exclude a line (again if it has died out) and a host, and to stop
    assert [*dict.fromkeys(each.split()[1] for each in asked)] == ["agent", "no", "this"]
    assert json.loads(stats.read_text())["evocrawl/stop_reason"] == "stopped_by_user"
    assert "Deprecat" not in (tmp_path / "log").read_text()
    found = explain(str(tmp_path / "s"), "http://a.test/0")
    assert (found.status, found.notes) == ("fetched", [])
