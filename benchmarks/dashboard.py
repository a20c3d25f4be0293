"""What a dashboard costs a crawl: processor time with it closed, open, and with a dead viewer.

    python benchmarks/dashboard.py [--pairs 5] [--requests 250]

Four arms take turns, in an order that changes from round to round; each is a ``scrapy crawl`` of
`sqlite-docs`, served by another process:

- closed: no dashboard
- open: a viewer reads the stream of events, and asks for the curve and the results every 5 s
- unread: a viewer asks for the stream of events and never reads it
- no estimates: no dashboard, and no estimate of what is left

The table has the median of the processor time of the crawl (user and system) relative to that of
`closed` in the same round, with the smallest and the greatest.
"""

from __future__ import annotations

import argparse
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
from pathlib import Path

ARMS = ("closed", "open", "unread", "no estimates")
_PORT, _PROXY = 8931, 8932
_RUN = """
{patch}
from scrapy.cmdline import execute
execute()
"""
_PATCHES = {
    "no estimates": "from evocrawl.estimation.forecast import Forecast\n"
    "Forecast.note = lambda self, event: None"
}
_EVERY_S = 5.0


def view(stop: threading.Event) -> None:
    """Read the events, and now and then the curve and the results, until the crawl ends."""
    url = f"http://127.0.0.1:{_PORT}/api/v1"

    def read(what: str) -> None:
        with suppress(OSError), urllib.request.urlopen(f"{url}/{what}", timeout=20) as answer:
            while not stop.is_set() and answer.read1(65536):
                pass

    reader = threading.Thread(target=lambda: [_until_open(stop), read("events")], daemon=True)
    reader.start()
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


def crawl(arm: str, requests: int, folder: Path) -> float:
    """Crawl once; return the processor seconds of the crawl."""
    code = _RUN.format(patch=_PATCHES.get(arm, ""))
    line = [sys.executable, "-c", code, "crawl", "evospider", "-a",
            "query=database transaction rollback commit", "-a", "seeds=http://www.sqlite.org/",
            "-a", f"max_requests={requests}", "-a", "progress_s=0", "-s", "DOWNLOAD_DELAY=0",
            "-s", f"LOG_FILE={folder / 'log'}"]  # fmt: skip
    if arm in ("open", "unread"):
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
        sys.exit(f"a crawl failed: {folder / 'log'}")
    return used.ru_utime + used.ru_stime


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--pairs", type=int, default=5)
    parser.add_argument("--requests", type=int, default=250)
    asked = parser.parse_args()
    code = "import sys; from evocrawl.cli import main; sys.exit(main(sys.argv[1:]))"
    server = subprocess.Popen(
        [sys.executable, "-c", code, "serve", "sqlite-docs", "--port", str(_PROXY)],
        stdout=subprocess.DEVNULL,
    )
    seconds: dict[str, list[float]] = {arm: [] for arm in ARMS}
    try:
        time.sleep(5)
        for number in range(asked.pairs):
            shift = number % len(ARMS)
            for arm in ARMS[shift:] + ARMS[:shift]:
                with tempfile.TemporaryDirectory() as folder:
                    seconds[arm].append(crawl(arm, asked.requests, Path(folder)))
            print(number + 1, *(f"{arm} {seconds[arm][-1]:.2f} s" for arm in ARMS), flush=True)
    finally:
        server.terminate()
        server.wait()
    print("| viewer | processor time, s | relative to closed |\n| --- | ---: | ---: |")
    for arm in ARMS:
        ratios = [mine / base for mine, base in zip(seconds[arm], seconds["closed"], strict=True)]
        print(
            f"| {arm} | {statistics.median(seconds[arm]):.2f} | {statistics.median(ratios):.3f} "
            f"({min(ratios):.3f} to {max(ratios):.3f}) |"
        )


if __name__ == "__main__":
    main()
