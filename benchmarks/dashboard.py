"""What a dashboard costs a crawl: processor time with it closed, open, and with a dead viewer.

    python benchmarks/dashboard.py [--rounds 12] [--requests 250] [--delay 0] [--arms open unread]

The arms take turns, in an order that changes from round to round; each is a ``scrapy crawl`` of
`sqlite-docs` with the same seed, served by another process:

- closed: no dashboard
- idle: a dashboard without a viewer
- open: a viewer reads the stream of events, and asks for the curve and the results every 5 s
- unread: a viewer asks for the stream of events and never reads it
- no estimates: no dashboard, and no estimate of what is left

The table has the processor time of the crawl's process (user and system), the difference to
`closed` in the same round, in per cent, as the median of the rounds with a 90 % interval (order
statistics), and what is free of the noise of pairs: the time in the dashboard's own code, counted
in the crawl's process by the clock of its thread, as a share of all. Its parts are

- start: the server with its imports
- record: the record of the crawl, made from events, for each request
- viewers: connections, answers and the stream of events, for each second that it was open
"""

from __future__ import annotations

import argparse
import json
import os
import socket
import statistics
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request
from contextlib import suppress
from dataclasses import dataclass
from math import comb
from pathlib import Path

ARMS = ("idle", "open", "unread", "no estimates")
_PORT, _PROXY = 8931, 8932
_RUN = """
{patch}
from scrapy.cmdline import execute
execute()
"""
_OWN_TIME = """
import atexit, json, time
inside, spent = [], dict.fromkeys(("start", "record", "viewers"), 0.0)
def timed(owner, name, part):
    inner = getattr(owner, name)
    def outer(*arguments, **named):
        if inside:
            return inner(*arguments, **named)
        inside.append(name)
        began = time.thread_time()
        try:
            return inner(*arguments, **named)
        finally:
            spent[part] += time.thread_time() - began
            inside.clear()
    setattr(owner, name, outer)
from evocrawl.adapter.extensions import dashboard
from evocrawl.monitor.crawl_record import CrawlRecord
begin = dashboard.CrawlDashboard.__init__
def open_it(self, *arguments):
    from evocrawl.monitor.dashboard import connections, stream, turns
    for owner, names in ((turns.Turns, ["_slice"]), (stream.Stream, ["tick", "add"]),
                         (connections.Channel, ["dataReceived"])):
        for name in names:
            timed(owner, name, "viewers")
    begin(self, *arguments)
dashboard.CrawlDashboard.__init__ = open_it
timed(dashboard.CrawlDashboard, "__init__", "start")
for name in ("note", "note_outcome"):
    timed(CrawlRecord, name, "record")
began_s = time.monotonic()
def write():
    open("own", "w").write(json.dumps({**spent, "open_s": time.monotonic() - began_s}))
atexit.register(write)
"""
_PATCHES = {
    "no estimates": "from evocrawl.estimation.forecast import Forecast\n"
    "Forecast.note = lambda self, event: None",
    **dict.fromkeys(("idle", "open", "unread"), _OWN_TIME),
}
_EVERY_S = 5.0


def view(stop: threading.Event) -> None:
    """Read the events, and now and then the curve and the results, until the crawl ends."""
    url = f"http://127.0.0.1:{_PORT}/api/v1"

    def read(what: str) -> None:
        with suppress(OSError), urllib.request.urlopen(f"{url}/{what}", timeout=20) as answer:
            while not stop.is_set() and answer.read1(65536):
                pass

    def read_events() -> None:
        _until_open(stop)
        read("events")

    threading.Thread(target=read_events, daemon=True).start()
    while not stop.wait(_EVERY_S):
        read("curve")
        read("results?limit=50")


def never_read(stop: threading.Event) -> None:
    """Ask for the events and read none of them."""
    _until_open(stop)
    with suppress(OSError), socket.create_connection(("127.0.0.1", _PORT)) as connection:
        connection.sendall(
            f"GET /api/v1/events HTTP/1.1\r\nHost: 127.0.0.1:{_PORT}\r\n\r\n".encode()
        )
        stop.wait()


def _until_open(stop: threading.Event) -> None:
    while not stop.is_set():
        with suppress(OSError), socket.create_connection(("127.0.0.1", _PORT)):
            return
        stop.wait(0.1)


@dataclass(frozen=True, slots=True)
class Used:
    """Processor seconds of a crawl, and those of the parts; the seconds that it was open."""

    all_s: float
    start: float = 0.0
    record: float = 0.0
    viewers: float = 0.0
    open_s: float = 1.0

    @property
    def own_s(self) -> float:
        return self.start + self.record + self.viewers


def crawl(arm: str, requests: int, delay_s: float, folder: Path) -> Used:
    """Crawl once."""
    code = _RUN.format(patch=_PATCHES.get(arm, ""))
    line = [sys.executable, "-c", code, "crawl", "evospider", "-a",
            "query=database transaction rollback commit", "-a", "seeds=http://www.sqlite.org/",
            "-a", f"max_requests={requests}", "-a", "progress_s=0", "-a", "seed=1",
            "-s", f"DOWNLOAD_DELAY={delay_s}", "-s", "RANDOMIZE_DOWNLOAD_DELAY=0",
            "-s", "CONCURRENT_REQUESTS=1", "-s", f"LOG_FILE={folder / 'log'}"]  # fmt: skip
    if arm in ("idle", "open", "unread"):
        line += ["-a", f"dashboard={_PORT}"]
    environment = {**os.environ, "http_proxy": f"http://127.0.0.1:{_PROXY}",
                   "SCRAPY_SETTINGS_MODULE": "evocrawl.adapter.settings"}  # fmt: skip
    stop = threading.Event()
    viewer = {"open": view, "unread": never_read}.get(arm)
    thread = threading.Thread(target=viewer, args=(stop,), daemon=True) if viewer else None
    process = subprocess.Popen(line, cwd=folder, env=environment)
    if thread is not None:
        thread.start()
    _, status, used = os.wait4(process.pid, 0)
    stop.set()
    if status:
        sys.exit(f"a crawl failed: {(folder / 'log').read_text()[-2000:]}")
    own = folder / "own"
    parts = json.loads(own.read_text()) if own.exists() else {}
    return Used(used.ru_utime + used.ru_stime, **parts)


def middle(values: list[float]) -> tuple[float, float, float]:
    """Return the median and its interval of at least 90 %, by the binomial distribution."""
    ordered, count = sorted(values), len(values)
    outside, rank = 0.0, 0
    while outside + comb(count, rank) / 2**count <= 0.05:
        outside += comb(count, rank) / 2**count
        rank += 1
    at = max(rank - 1, 0)
    return statistics.median(ordered), ordered[at], ordered[count - 1 - at]


def row_of(arm: str, used: list[Used], closed: list[Used], requests: int) -> str:
    """Return a row of the table."""
    more = [100 * (mine.all_s / base.all_s - 1) for mine, base in zip(used, closed, strict=True)]
    own = [
        (100 * each.own_s / each.all_s, 1e3 * each.start, 1e3 * each.record / requests,
         1e3 * each.viewers / each.open_s)
        for each in used
    ]  # fmt: skip
    share, start, record, viewers = map(statistics.median, zip(*own, strict=True))
    median, low, high = middle(more)
    return (
        f"| {arm} | {statistics.median(each.all_s for each in used):.2f} "
        f"| {median:+.1f} % ({low:+.1f} to {high:+.1f}) "
        f"| {share:.2f} % | {start:.0f} | {record:.2f} | {viewers:.2f} |"
    )


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--rounds", type=int, default=12)
    parser.add_argument("--requests", type=int, default=250)
    parser.add_argument("--delay", type=float, default=0.0, help="seconds between two requests")
    parser.add_argument("--arms", nargs="+", default=["idle", "open", "unread"], choices=ARMS)
    asked = parser.parse_args()
    code = "import sys; from evocrawl.cli import main; sys.exit(main(sys.argv[1:]))"
    server = subprocess.Popen(
        [sys.executable, "-c", code, "serve", "sqlite-docs", "--port", str(_PROXY)],
        stdout=subprocess.DEVNULL,
    )
    arms = ("closed", *asked.arms)
    used: dict[str, list[Used]] = {arm: [] for arm in arms}
    try:
        time.sleep(5)
        for number in range(asked.rounds):
            shift = number % len(arms)
            for arm in arms[shift:] + arms[:shift]:
                with tempfile.TemporaryDirectory() as folder:
                    used[arm].append(crawl(arm, asked.requests, asked.delay, Path(folder)))
            print(number + 1, *(f"{arm} {used[arm][-1].all_s:.2f} s" for arm in arms), flush=True)
    finally:
        server.terminate()
        server.wait()
    print(
        "| viewer | processor time, s | to closed | own code | start, ms | record, ms a request "
        "| viewers, ms a second |"
    )
    print("| --- |" + " ---: |" * 6)
    for arm in arms:
        print(row_of(arm, used[arm], used["closed"], asked.requests))


if __name__ == "__main__":
    main()
