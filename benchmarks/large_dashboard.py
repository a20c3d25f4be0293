"""The dashboard of a crawl of many pages: times of its answers, blocks of the event loop, Chromium.

    python benchmarks/large_dashboard.py [--pages 100000] [--species energy] [--browser]

A bare population crawls generated pages (see `memory.py`), each on one of many hosts, and writes a
store. Then it goes on in the process of its dashboard, some visits in each turn of the event loop,
so that no answer can be kept for long. For each address the table has the time until it was
answered, and the longest processor time of a turn of the event loop, less that of its visits. With
`--browser` a real Chromium opens the view Results of this crawl, and of the store by `evocrawl
dashboard`: the time is from the call to the first row. The median of three rounds is shown.
"""

from __future__ import annotations

import argparse
import http.client
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from time import thread_time
from typing import Any

import memory
from resume import HOST_LIMIT, crawl
from twisted.internet import asyncioreactor

asyncioreactor.install()

from twisted.internet import reactor  # noqa: E402

from evocrawl.core.config.config import Config  # noqa: E402
from evocrawl.monitor.crawl_record import CrawlRecord  # noqa: E402
from evocrawl.monitor.dashboard.server import Dashboard  # noqa: E402
from evocrawl.monitor.dashboard.source import ReadOnly, Source  # noqa: E402
from evocrawl.population.assembly import assemble  # noqa: E402
from evocrawl.store.journal.host_limits import JournaledHostLimits  # noqa: E402
from evocrawl.store.journal.journal import Journal, NoJournal  # noqa: E402
from evocrawl.store.journal.journaled_population import JournaledPopulation  # noqa: E402
from evocrawl.store.journal.operations import RunStarted  # noqa: E402
from evocrawl.store.journal.sqlite_journal import SqliteJournal  # noqa: E402

READS = (
    "status", "curve", "results?limit=50", "results?limit=200&offset=50000",
    "results?q=reef+word7", "results?q=nowhere", "results?host=h3.test", "results?min=0.5",
    "results?marked=true", "results?agent=5", "agents?limit=100", "agents?alive=true&limit=100",
    "agents/5", "hosts?limit=100", "hosts?limit=100&offset=1000", "/metrics",
)  # fmt: skip
ROUNDS = 3
_AT_ONCE = 2
_NOT_KEPT = ("max_requests", "max_unsettled", "store", "memory_links", "record", "learn_to")
_CODE = "import sys; from evocrawl.cli import main; sys.exit(main())"


class Grown:
    """A crawl of generated pages with its record."""

    def __init__(self, species: str, store: Path | None) -> None:
        config = Config.read(
            {}, {"query": "coral reef", "species": species, "seeds": "http://a.b/"}
        )
        limits = JournaledHostLimits(lambda _: HOST_LIMIT, HOST_LIMIT)
        made = assemble(config, concurrency=1, host_limit=limits, timeout_s=180.0)
        self.record = CrawlRecord(made.population, made.ledger, made.forecast)
        kept = {name: each for name, each in asdict(config).items() if name not in _NOT_KEPT}
        about = {**kept, "learnt": "", "spider": "evospider", "DOWNLOAD_TIMEOUT": 180.0}
        self.journal: Journal = SqliteJournal(store, about) if store else NoJournal()
        self.journaled = JournaledPopulation(made.population, limits, self.journal)
        self.web = memory.Web()
        self.journaled.begin(RunStarted(None, 1, HOST_LIMIT))
        self.journaled.place(self.web.seeds())
        self.source = Source(
            self.record, ReadOnly("running", "a benchmark"), config.query, species, 0.5
        )

    def go_on(self, visits: int) -> None:
        crawl(self.web, self.journaled, visits)


class Turns:
    """The crawl on the event loop: each turn makes some visits and notes the time of the others."""

    def __init__(self, grown: Grown) -> None:
        self._grown = grown
        self._last_s = thread_time()
        self.longest_s = 0.0

    def turn(self) -> None:
        self.longest_s = max(self.longest_s, thread_time() - self._last_s)
        self._grown.go_on(_AT_ONCE)
        self._last_s = thread_time()
        reactor.callLater(0.002, self.turn)


def asked(port: int, what: str) -> float:
    """Return the seconds until an answer is read."""
    began_s = time.perf_counter()
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=100)
    connection.request("GET", what if what.startswith("/") else f"/api/v1/{what}")
    answer = connection.getresponse()
    answer.read()
    assert answer.status == 200, (what, answer.status)
    connection.close()
    return time.perf_counter() - began_s


def measure(port: int, turns: Turns) -> None:
    """Print the table."""
    print("| address | answered, ms | longest block, ms |\n| --- | ---: | ---: |")
    for what in READS:
        times, blocks = [], []
        for _ in range(ROUNDS):
            time.sleep(0.2)
            turns.longest_s = 0.0
            times.append(asked(port, what))
            time.sleep(0.05)
            blocks.append(turns.longest_s)
        print(f"| {what} | {1e3 * statistics.median(times):.0f} | {1e3 * max(blocks):.0f} |")


def paint(url: str, name: str) -> None:
    """Print the time of the view Results in Chromium."""
    from playwright.sync_api import sync_playwright

    options: dict[str, Any] = {"executable_path": "/usr/bin/chromium", "args": ["--no-sandbox"]}
    times = []
    with sync_playwright() as driver:
        browser = driver.chromium.launch(**options)
        for _ in range(ROUNDS):
            tab = browser.new_page()
            began_s = time.perf_counter()
            tab.goto(f"{url}#/results")
            tab.wait_for_selector("tbody tr")
            times.append(time.perf_counter() - began_s)
            tab.close()
        browser.close()
    print(f"Results of {name} in Chromium: {statistics.median(times):.2f} s to the first row")


def served(store: Path) -> None:
    """Open the store in another process, and its Results."""
    began_s = time.perf_counter()
    line = [sys.executable, "-c", _CODE, "dashboard", str(store), "--port", "0"]
    with subprocess.Popen(line, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        url = server.stdout.readline().split()[-1].partition("#")[0]
        print(f"evocrawl dashboard listens after {time.perf_counter() - began_s:.1f} s")
        paint(url, "the store")
        server.kill()


def in_thread(work: Callable[[], None]) -> None:
    """Do the work beside the event loop, which ends with it."""

    def done() -> None:
        try:
            work()
        finally:
            reactor.callFromThread(reactor.stop)

    threading.Thread(target=done, daemon=True).start()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--pages", type=int, default=100_000)
    parser.add_argument("--species", default="energy")
    parser.add_argument("--browser", action="store_true")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        store = Path(folder) / "state.sqlite"
        memory._LINKS, memory._NEW, memory._PER_HOST = 10, 8, 50
        grown = Grown(given.species, store if given.browser else None)
        grown.go_on(given.pages)
        record = grown.record
        print(
            f"{len(record.results)} pages, {len(record.agents)} agents, {len(record.hosts)} hosts"
        )
        dashboard, turns = Dashboard(grown.source, "127.0.0.1", 0), Turns(grown)

        def work() -> None:
            measure(dashboard.port, turns)
            if given.browser:
                paint(f"http://127.0.0.1:{dashboard.port}/", "the running crawl")

        reactor.callWhenRunning(turns.turn)
        in_thread(work)
        reactor.run()
        if given.browser:
            grown.journaled.commit()
            served(store)


if __name__ == "__main__":
    main()
