"""Kills crawls at random instants and lets them go on, beside stock Scrapy with a JOBDIR.

    python benchmarks/kills.py [--kills 20] [--pages 1000] [--stock-kills 4] [--seed 1]

The site is a binary tree on loopback: page n links to pages 2n + 1 and 2n + 2. A crawl is killed
(SIGKILL) after a random number of requests, or a random time after its start, and started again
on the same state, four times; then it may end. That is a round; rounds follow each other until
there were enough kills. A page is *lost* when the last run of a round has ended, with exit code
0, and the page is not in the record: the store, or the feed of stock Scrapy. *Repeated* are
requests for pages beyond the first for each. At most 16 requests are under way.
"""

from __future__ import annotations

import argparse
import json
import os
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from evocrawl.simulation.proxy import LoopbackProxy, Request, Response, not_found

ROOT = Path(__file__).resolve().parent.parent

A_ROUND = 4
"""Kills in a round."""

STOCK = """
import scrapy

class Tree(scrapy.Spider):
    name = "tree"
    start_urls = ["http://tree.test/0"]

    def parse(self, response):
        yield {"url": response.url}
        yield from response.follow_all(css="a")
"""

SETTINGS = {
    "CONCURRENT_REQUESTS": 16,
    "CONCURRENT_REQUESTS_PER_DOMAIN": 16,
    "DOWNLOAD_DELAY": 0,
    "LOG_LEVEL": "ERROR",
    "TELNETCONSOLE_ENABLED": False,
    "REMOTE_CONTROL_ENABLED": False,
    "EVOCRAWL_PROGRESS_S": 0,
}


@dataclass
class Tally:
    """What all rounds of one crawler came to."""

    kills: int = 0
    rounds: int = 0
    failed: int = 0
    lost: int = 0
    twice: int = 0
    repeated: int = 0
    most: int = 0


def tree(pages: int) -> Callable[[Request], Response]:
    def answer(request: Request) -> Response:
        number = request.path[1:]
        if not number.isdecimal() or int(number) >= pages:
            return not_found(request)
        links = [2 * int(number) + 1, 2 * int(number) + 2]
        anchors = "".join(f'<p><a href="/{n}">coral {n}</a>' for n in links if n < pages)
        return Response(200, f"<html><p>coral reef {number}{anchors}".encode())

    return answer


def evocrawl(directory: Path) -> list[str]:
    return [
        "crawl", "evospider", "-a", "query=coral reef", "-a", "seeds=http://tree.test/0",
        "-a", "max_pages=0", "-a", f"store={directory / 'state.sqlite'}",
    ]  # fmt: skip


def stock(directory: Path) -> list[str]:
    spider = directory / "tree_spider.py"
    spider.write_text(STOCK)
    feed, job = directory / "feed.jsonl", directory / "job"
    return ["runspider", str(spider), "-s", f"JOBDIR={job}", "-o", str(feed)]


def stored(directory: Path) -> list[str]:
    database = sqlite3.connect(directory / "state.sqlite")
    urls = [url for (url,) in database.execute("SELECT url FROM pages")]
    database.close()
    return urls


def fed(directory: Path) -> list[str]:
    urls = []
    for line in (directory / "feed.jsonl").read_text().splitlines():
        try:
            urls.append(json.loads(line)["url"])
        except ValueError:
            continue  # cut short by a kill
    return urls


def start(line: list[str], proxy: LoopbackProxy, directory: Path) -> subprocess.Popen[bytes]:
    settings = [part for key, value in SETTINGS.items() for part in ("-s", f"{key}={value}")]
    environment = {**os.environ, "http_proxy": proxy.url, "PYTHONPATH": str(ROOT)}
    where = directory if line[0] == "runspider" else ROOT
    command = [sys.executable, "-m", "scrapy", *line, *settings]
    return subprocess.Popen(
        command, cwd=where, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )


def kill_at_random(
    process: subprocess.Popen[bytes], proxy: LoopbackProxy, rng: np.random.Generator, pages: int
) -> bool:
    """Kill the process at a random instant; False when it has ended before."""
    if rng.random() < 0.25:
        time.sleep(float(rng.uniform(0.5, 4.0)))
    else:
        until = len(proxy.log) + int(rng.integers(1, pages // 3))
        while len(proxy.log) < until and process.poll() is None:
            time.sleep(0.002)
    is_running = process.poll() is None
    process.send_signal(signal.SIGKILL)
    process.wait()
    return is_running


def play_round(
    make: Callable[[Path], list[str]],
    recorded: Callable[[Path], list[str]],
    pages: int,
    rng: np.random.Generator,
    tally: Tally,
) -> None:
    with LoopbackProxy({"tree.test": tree(pages)}) as proxy, tempfile.TemporaryDirectory() as name:
        directory, kills = Path(name), 0
        line = make(directory)
        for _ in range(A_ROUND):
            kills += kill_at_random(start(line, proxy, directory), proxy, rng, pages)
        last = start(line, proxy, directory)
        try:
            code = last.wait(timeout=600)
        except subprocess.TimeoutExpired:
            last.kill()
            code = last.wait()
        numbers = Counter(url.rpartition("/")[2] for url in recorded(directory))
        asked = Counter(each.path[1:] for each in proxy.log if each.path[1:].isdecimal())
        repeated = asked.total() - len(asked)
        tally.kills += kills
        tally.rounds += 1
        tally.failed += code != 0
        tally.lost += sum(str(number) not in numbers for number in range(pages))
        tally.twice += sum(times > 1 for times in numbers.values())
        tally.repeated += repeated
        tally.most = max(tally.most, round(repeated / max(kills, 1)))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--kills", type=int, default=20)
    parser.add_argument("--stock-kills", type=int, default=4)
    parser.add_argument("--pages", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    asked = parser.parse_args()
    print(
        "| crawler | kills | rounds | ended with an error | pages | lost | recorded twice | "
        "requests repeated | a kill, in the worst round |"
    )
    print("| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |")
    crawlers = (
        ("evocrawl with a store", evocrawl, stored, asked.kills),
        ("Scrapy with JOBDIR", stock, fed, asked.stock_kills),
    )
    for name, make, recorded, kills in crawlers:
        rng, tally = np.random.default_rng(asked.seed), Tally()
        while tally.kills < kills:
            play_round(make, recorded, asked.pages, rng, tally)
        print(
            f"| {name} | {tally.kills} | {tally.rounds} | {tally.failed} | "
            f"{tally.rounds * asked.pages} | {tally.lost} | {tally.twice} | {tally.repeated} | "
            f"{tally.most} |",
            flush=True,
        )


if __name__ == "__main__":
    main()
