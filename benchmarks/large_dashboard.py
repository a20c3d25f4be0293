"""The dashboard of a crawl of many pages: times of its answers, blocks of the event loop, Chromium.

    python benchmarks/large_dashboard.py [--pages 100000] [--species energy] [--browser]

A bare population crawls 2 000 generated pages (see `memory.py`) and writes a store. Copies of
their records, under other addresses, make up the rest: 50 pages a host, and two agents for three
pages, as in a crawl by `energy`. Then the crawl goes on in the process of its dashboard, two visits
in each turn of the event loop, so that no answer can be kept for long. For each address the table
has the time until it was answered, and the longest processor time of a turn of the event loop, less
that of its visits. With `--browser` a real Chromium opens the view Results of this crawl, also
before the copies were made, and of the store by `evocrawl dashboard`: the time is from the call to
the first row. A time is the median of three rounds, a block the longest of them.
"""

from __future__ import annotations

import argparse
import http.client
import shutil
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from dataclasses import asdict, replace
from pathlib import Path
from time import thread_time
from typing import Any

import memory
from resume import HOST_LIMIT, crawl
from twisted.internet import asyncioreactor

asyncioreactor.install()

from twisted.internet import reactor as the_reactor  # noqa: E402

from evocrawl.core.config.config import Config  # noqa: E402
from evocrawl.monitor.crawl_record import CrawlRecord  # noqa: E402
from evocrawl.monitor.dashboard.server import Dashboard  # noqa: E402
from evocrawl.monitor.dashboard.source import ReadOnly, Source  # noqa: E402
from evocrawl.monitor.record import AgentRecord, HostRecord  # noqa: E402
from evocrawl.population.assembly import assemble  # noqa: E402
from evocrawl.store.journal.host_limits import JournaledHostLimits  # noqa: E402
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
_AT_ONCE, _CRAWLED, _FAR = 2, 2000, 10_000_000
_NOT_KEPT = ("max_requests", "max_unsettled", "store", "memory_links", "record", "learn_to")
reactor: Any = the_reactor
_CODE = "import sys; from evocrawl.cli import main; sys.exit(main())"


class Grown:
    """A crawl of generated pages with its record."""

    def __init__(self, species: str, store: Path) -> None:
        config = Config.read(
            {}, {"query": "coral reef", "species": species, "seeds": "http://a.b/"}
        )
        limits = JournaledHostLimits(lambda _: HOST_LIMIT, HOST_LIMIT)
        made = assemble(config, concurrency=1, host_limit=limits, timeout_s=180.0)
        self.record = CrawlRecord(made.population, made.ledger, made.forecast)
        kept = {name: each for name, each in asdict(config).items() if name not in _NOT_KEPT}
        about = {**kept, "learnt": "", "spider": "evospider", "DOWNLOAD_TIMEOUT": 180.0}
        self.journal = SqliteJournal(store, about)
        self.journaled = JournaledPopulation(made.population, limits, self.journal)
        self.web = memory.Web()
        self.journaled.begin(RunStarted(None, 1, HOST_LIMIT))
        self.journaled.place(self.web.seeds())
        self.source = Source(
            self.record,
            ReadOnly(made.population, "running", "a benchmark"),
            config.query,
            species,
            0.5,
        )

    def go_on(self, visits: int) -> None:
        crawl(self.web, self.journaled, visits)

    def copy(self, pages: int) -> None:
        """Add copies of results, agents and hosts until there are so many pages."""
        rng, record = self.web.rng, self.record
        known = [*record.results]
        for number in range(len(known), pages):
            one = known[number % len(known)]
            visit, agent = _FAR + number, 1 + _FAR + number * 2 // 3
            host = f"copy{number // 50}.test"
            relevance = float(rng.random() ** 4)
            record.results.add(
                replace(one, visit=visit, url=f"http://{host}/{number}", host=host, agent=agent,
                        relevance=relevance)
            )  # fmt: skip
            record.hosts.setdefault(host, HostRecord(host)).pages += 1
            if agent not in record.agents:
                parent = agent - int(rng.integers(1, 500)) if rng.random() < 0.9 else None
                parent = parent if parent in record.agents else None
                record.agents[agent] = AgentRecord(agent, parent, "energy", number, 1.0)
                if parent is not None:
                    record.agents[parent].children.append(agent)
            record.agents[agent].relevant += relevance >= 0.5


def copy_rows(store: Path, pages: int) -> None:
    """Copy the pages of a store until there are so many."""
    with sqlite3.connect(store) as database:
        names = [row[1] for row in database.execute("PRAGMA table_info(pages)")]
        values = {"url": "url || '?copy=' || ?", "fingerprint": "randomblob(16)",
                  "visit": "visit + 10000000 * ?"}  # fmt: skip
        chosen = ", ".join(values.get(name, name) for name in names)
        (count,) = database.execute("SELECT count(*) FROM pages").fetchone()
        for number in range(1, pages // count):
            database.execute(
                f"INSERT INTO pages ({', '.join(names)}) SELECT {chosen} FROM pages "
                "WHERE visit < 10000000",
                [number, number],
            )
    database.close()


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

    program = shutil.which("chromium-headless-shell") or "/usr/bin/chromium"
    options: dict[str, Any] = {"executable_path": program, "args": ["--no-sandbox"]}
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
        grown = Grown(given.species, store)
        grown.go_on(_CRAWLED)
        record = grown.record
        dashboard, turns = Dashboard(grown.source, "127.0.0.1", 0), Turns(grown)

        def work() -> None:
            url = f"http://127.0.0.1:{dashboard.port}/"
            if given.browser:
                paint(url, f"the running crawl of {len(record.results)} pages")
            reactor.callFromThread(grown.copy, given.pages)
            while len(record.results) < given.pages:
                time.sleep(0.1)
            agents, hosts = len(record.agents), len(record.hosts)
            print(f"{len(record.results)} pages, {agents} agents, {hosts} hosts", flush=True)
            if given.browser:
                paint(url, "the running crawl of so many pages")
            measure(dashboard.port, turns)

        reactor.callWhenRunning(turns.turn)
        in_thread(work)
        reactor.run()
        if given.browser:
            grown.journaled.commit()
            grown.journaled.close()
            copy_rows(store, given.pages)
            served(store)


if __name__ == "__main__":
    main()
