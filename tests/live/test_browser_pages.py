"""Pages that scripts make are opened in a real Chromium, by the option `browser`."""

from __future__ import annotations

import asyncio
import signal
import threading
import time
from collections import Counter
from pathlib import Path

import psutil
import pytest
from appsite import HOST, START, app_site, article, data, texts_of
from livecrawl import QUERY, Crawl, page
from programs import needs_chromium
from redisserver import RedisServer
from warcio.archiveiterator import ArchiveIterator
from warcs import check_warcs
from workers import Fleet

from evocrawl.api import stored
from evocrawl.cli import main
from evocrawl.simulation.server.proxy import LoopbackProxy, Request, Response, Site

ARGUMENTS = {"query": QUERY, "seeds": START, "max_requests": 200, "relevance": "tfidf"}
AUTO = {**ARGUMENTS, "browser": "auto", "browser_timeout_s": 120}


def _paths(proxy: LoopbackProxy) -> list[str]:
    return [each.path for each in proxy.log]


@pytest.mark.takes_s(35)
@needs_chromium
def test_a_page_made_by_a_script_is_opened_once_and_its_links_are_followed(
    serve, crawl: Crawl, tmp_path: Path
) -> None:
    """Every request is counted; the page itself and its script are requested once.

    What the browser shows is stored: Markdown has its table and its list. After five pages a new
    browser takes the place of the old one, and no page is opened twice.
    """
    proxy = serve({HOST: app_site(8)})
    store = tmp_path / "crawl.sqlite"
    settings = {
        "EVOCRAWL_BROWSER_PAGES": 3,
        "EVOCRAWL_BROWSER_LIFETIME_PAGES": 5,
        "USER_AGENT": "reefbot/1",
    }
    kept = {"store": store, "store_bodies": "true"}
    crawled = crawl(proxy, arguments={**AUTO, **kept}, settings=settings)
    crawled.check_settled()
    texts = texts_of(crawled)
    assert set(texts) == {"/", *(f"/articles/{each}" for each in range(8))}
    assert all(QUERY in each for each in texts.values())
    paths = _paths(proxy)
    assert crawled.stat("requests") == len(paths)
    assert all(paths.count(path) == 1 for path in (*texts, "/app.js", "/api/articles/3"))
    assert "/icon.png" not in paths
    assert {each.headers["user-agent"] for each in proxy.log} == {"reefbot/1"}
    assert crawled.stat("browser/pages") == crawled.stats["playwright/context_count"] == 9
    assert crawled.stats["playwright/context_count/max_concurrent"] <= 3
    assert crawled.stat("browser/requests") == 10
    assert crawled.stat("browser/shared") == 8
    assert crawled.stat("browser/failed") == crawled.stat("browser/restarts") == 0
    assert crawled.stat("browser/replaced") == 1
    assert crawled.stats["playwright/browser_count"] == 2
    # Each page of the browser costs its agent all requests of the page.
    assert crawled.stat("energy/out") >= 9
    markdown = stored.page(str(store), f"{START}articles/3").markdown
    assert "# Reef 3" in markdown
    assert "| Year | Weeks |\n| --- | --- |\n| 3 | 12 |" in markdown
    assert "\n- In the year 3 the corals" in markdown
    out = tmp_path / "crawl.warc.gz"
    assert main(["export", str(store), "--format", "warc", "--out", str(out)]) == 0
    with out.open("rb") as file:
        kinds = Counter(each.rec_type for each in ArchiveIterator(file))
    assert kinds == {"warcinfo": 1, "resource": 9}
    check_warcs([out])


def test_without_a_browser_the_shells_stay_empty(serve, crawl: Crawl) -> None:
    """The default: no browser is started, and nothing of scrapy-playwright is loaded."""
    proxy = serve({HOST: app_site(12)})
    crawled = crawl(proxy, arguments=ARGUMENTS)
    assert texts_of(crawled) == {"/": ""}
    assert _paths(proxy) == ["/robots.txt", "/"]
    assert not any(name.startswith(("playwright", "evocrawl/browser")) for name in crawled.stats)


@pytest.mark.takes_s(20)
@needs_chromium
def test_slow_pages_take_no_place_of_fast_ones(serve, crawl: Crawl) -> None:
    """Requests of slow pages are answered when every fast page has been requested."""
    fast = {f"/fast/{each}": page(text=article(each)) for each in range(12)}
    waiting: set[str] = set(fast)
    gone = threading.Event()

    async def after_the_fast(request: Request) -> Response:
        until_s = time.monotonic() + 300
        while waiting and time.monotonic() < until_s:
            await asyncio.sleep(0.05)
        number = int(request.path.rpartition("/")[2])
        return data(f"Reef {number}", article(number) if not waiting else "too early", [])

    def seen(request: Request) -> Response:
        waiting.discard(request.path)
        if not waiting:
            gone.set()
        return fast[request.path]

    slow = [f"/articles/{each}" for each in range(6)]
    others = {f"/api{path}": after_the_fast for path in slow}
    start = page(*slow, *fast, text=f"{QUERY} " * 60)
    proxy = serve({HOST: app_site(6, {"/": start, **others, **dict.fromkeys(fast, seen)})})
    settings = {
        "CONCURRENT_REQUESTS": 2,
        "CONCURRENT_REQUESTS_PER_DOMAIN": 2,
        "EVOCRAWL_BROWSER_PAGES": 1,
        "EVOCRAWL_BROWSER_SHARE": 1,
        "EVOCRAWL_PROBE": False,
    }
    crawled = crawl(proxy, arguments=AUTO, settings=settings)
    crawled.check_settled()
    texts = texts_of(crawled)
    assert gone.is_set()
    assert set(texts) == {"/", *slow, *fast}
    assert all(QUERY in text and "early" not in text for text in texts.values())


def _crawls_browsers() -> list[psutil.Process]:
    """Return the main processes of browsers that crawls of this test have started."""
    found = []
    for each in psutil.Process().children(recursive=True):
        try:
            line = each.cmdline()
        except psutil.Error:
            continue
        if any("chrom" in part for part in line[:2]) and not any("--type=" in p for p in line):
            found.append(each)
    return found


@pytest.mark.takes_s(60)
@needs_chromium
@pytest.mark.parametrize(
    ("by", "timeout_s", "strikes"),
    [(signal.SIGKILL, 120, 3), (signal.SIGSTOP, 30, 1)],
    ids=["dies each time", "hangs once"],
)
def test_a_browser_that_dies_or_hangs_is_restarted_and_no_page_is_lost(
    serve, crawl: Crawl, by: signal.Signals, timeout_s: int, strikes: int
) -> None:
    """While one page is open, the browser's process is killed or stopped.

    The page that kills it each time is read as received; the pages that are open beside it are
    opened.
    """
    hit: list[int] = []

    def strike(_: Request) -> Response:
        for each in _crawls_browsers() if len(hit) < strikes else ():
            hit.append(each.pid)
            each.send_signal(by)
        return data("Reef 3", article(3), [])

    proxy = serve({HOST: app_site(4, {"/api/articles/3": strike})})
    options = {"browser_timeout_s": timeout_s, "browser_pages": 4}
    crawled = crawl(proxy, arguments={**AUTO, **options})
    crawled.check_settled()
    assert len(hit) == crawled.stat("browser/restarts") == strikes
    texts = texts_of(crawled)
    assert set(texts) == {"/", *(f"/articles/{each}" for each in range(4))}
    without = {path for path, text in texts.items() if QUERY not in text}
    assert without == ({"/articles/3"} if strikes == 3 else set())
    assert crawled.stat("browser/failed") == len(without)
    assert not any(psutil.pid_exists(each) for each in hit)


@pytest.mark.takes_s(30)
@needs_chromium
def test_a_crawl_that_was_killed_opens_its_pages_again(serve, crawl: Crawl, tmp_path: Path) -> None:
    """Each page is settled once, with what the browser shows."""
    proxy = serve({HOST: app_site(6)})
    store = tmp_path / "crawl.sqlite"
    settings = {"EVOCRAWL_STORE": store}
    killed = crawl(proxy, arguments=AUTO, settings=settings, interrupt_at=8, by=signal.SIGKILL)
    assert killed.code == -signal.SIGKILL
    crawled = crawl(proxy, arguments=AUTO, settings=settings)
    assert crawled.code == 0
    assert crawled.stat("visits/unsettled") == crawled.stat("visits/settled_twice") == 0
    assert crawled.stat("pages") == 7
    assert crawled.stat("relevant_pages") == 7
    assert crawled.stat("store/runs") == 2


@pytest.mark.takes_s(35)
@needs_chromium
def test_a_browser_keeps_to_its_share_of_the_budget(serve, crawl: Crawl) -> None:
    """Nor does it exceed the budget when every page is to be opened."""
    proxy = serve({HOST: app_site(30)})
    small = {**AUTO, "max_requests": 40, "browser_share": 0.1}
    crawled = crawl(proxy, arguments=small, settings={"CONCURRENT_REQUESTS": 1})
    assert 1 <= crawled.stat("browser/requests") <= 4
    assert crawled.stat("browser/not_worth") > 0
    always = {**ARGUMENTS, "browser": "always", "max_requests": 15}
    proxy = serve({HOST: app_site(30)})
    crawled = crawl(proxy, arguments=always)
    assert crawled.stat("requests") == len(proxy.log) <= 15
    crawled.check_settled()


@pytest.mark.takes_s(20)
@needs_chromium
def test_workers_share_the_pages_that_scripts_make(serve, tmp_path: Path) -> None:
    """Each page is opened by one of them, and counts once."""

    def home(number: int) -> Site:
        links = [f"http://h{each}.test/" for each in (2 * number + 1, 2 * number + 2) if each < 8]
        return app_site(0, {"/api/": data(f"Reef {number}", article(number), links)})

    server = RedisServer(tmp_path)
    server.start()
    fleet = Fleet(serve({f"h{each}.test": home(each) for each in range(8)}), server, tmp_path)
    try:
        options = {"seeds": "http://h0.test/", "max_requests": 0, "browser": "auto"}
        fleet.start(2, {**options, "browser_timeout_s": 120, "browser_share": 1})
        assert fleet.wait() == [0, 0]
    finally:
        fleet.stop()
        server.stop(signal.SIGKILL)
    stats = [fleet.stats(number) for number in range(2)]
    for name in ("pages", "relevant_pages", "browser/pages"):
        assert sum(each.get(f"evocrawl/{name}", 0) for each in stats) == 8
    assert all(each["evocrawl/visits/unsettled"] == 0 for each in stats)
