"""Kills crawls at random instants and lets them go on, beside other ways to go on with a crawl.

    python benchmarks/kills.py [--kills 100] [--pages 4000] [--peer-kills 20] [--seed 1]

The site is a binary tree on loopback: page n links to pages 2n + 1 and 2n + 2. A crawl is killed
(SIGKILL) after a random number of requests, or a random time after its start, and started again
on the same state, ten times; then it may end. That is a round; rounds follow each other until
there were enough kills. At most 16 requests are under way.

A page is *lost* when the last run of a round has ended and the page is not in the record: the
store, the feed of stock Scrapy, the items in Redis. *Repeated* are requests for pages that an
earlier run, or the same, had asked for; *the most* is that of the worst run. The peers are stock
Scrapy with a JOBDIR, and scrapy-redis, which gets a virtual environment of its own, made at the
first run under ``$XDG_CACHE_HOME/evocrawl-peers`` (``~/.cache``), and a redis-server that keeps
running while its workers are killed. Without redis-server on the path it is left out.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import signal
import socket
import sqlite3
import subprocess
import sys
import tempfile
import time
import venv
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from evocrawl.simulation.proxy import LoopbackProxy, Request, Response, not_found

ROOT = Path(__file__).resolve().parent.parent
CACHE = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "evocrawl-peers"

A_ROUND = 10
"""Kills in a round."""

SPIDER = """
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


@dataclass(frozen=True)
class Crawler:
    """A way to crawl: its command line for a directory, and the URLs that its record has after."""

    name: str
    line: Callable[[Path], list[str]]
    recorded: Callable[[Path], list[str]]
    python: str = sys.executable


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
    feed, job = directory / "feed.jsonl", directory / "job"
    return [*own_spider(directory), "-s", f"JOBDIR={job}", "-o", str(feed)]


def own_spider(directory: Path) -> list[str]:
    spider = directory / "tree_spider.py"
    spider.write_text(SPIDER)
    return ["runspider", str(spider)]


def stored(directory: Path) -> list[str]:
    database = sqlite3.connect(directory / "state.sqlite")
    urls = [url for (url,) in database.execute("SELECT url FROM pages")]
    database.close()
    return urls


def fed(directory: Path) -> list[str]:
    return [
        url for line in (directory / "feed.jsonl").read_text().splitlines() for url in _of(line)
    ]


def _of(line: str) -> list[str]:
    try:
        return [json.loads(line)["url"]]
    except ValueError:
        return []  # cut short by a kill


def redis_crawler(port: int) -> Crawler:
    """scrapy-redis as its documentation has it: scheduler, filter and items in Redis, kept."""
    settings = {
        "REDIS_URL": f"redis://127.0.0.1:{port}",
        "SCHEDULER": "scrapy_redis.scheduler.Scheduler",
        "DUPEFILTER_CLASS": "scrapy_redis.dupefilter.RFPDupeFilter",
        "SCHEDULER_PERSIST": True,
        "ITEM_PIPELINES": '{"scrapy_redis.pipelines.RedisPipeline": 300}',
    }
    options = [part for key, value in settings.items() for part in ("-s", f"{key}={value}")]

    def ask(*command: str) -> str:
        line = ["redis-cli", "-p", str(port), *command]
        return subprocess.run(line, check=True, capture_output=True, text=True).stdout

    def line(directory: Path) -> list[str]:
        ask("FLUSHALL")
        return [*own_spider(directory), *options]

    def items(_: Path) -> list[str]:
        return [
            url for each in ask("LRANGE", "tree:items", "0", "-1").splitlines() for url in _of(each)
        ]

    return Crawler("scrapy-redis", line, items, python=_redis_python())


def _redis_python() -> str:
    place = CACHE / "scrapy-redis"
    python = place / "bin" / "python"
    if not python.exists():
        venv.create(place, with_pip=True)
        wanted = ["scrapy-redis==0.9.1", "Scrapy==2.19.0"]
        subprocess.run([python, "-m", "pip", "install", "--quiet", *wanted], check=True)
    return str(python)


@contextmanager
def redis_server() -> Iterator[int]:
    """Run a redis-server that writes nothing; yield its port."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    line = ["redis-server", "--port", str(port), "--bind", "127.0.0.1", "--save", ""]
    with tempfile.TemporaryDirectory() as where:
        server = subprocess.Popen(line, cwd=where, stdout=subprocess.DEVNULL)
        try:
            while True:
                with socket.socket() as client:
                    if client.connect_ex(("127.0.0.1", port)) == 0:
                        break
                time.sleep(0.05)
            yield port
        finally:
            server.terminate()
            server.wait()


def start(
    line: list[str], proxy: LoopbackProxy, directory: Path, python: str = sys.executable
) -> subprocess.Popen[bytes]:
    settings = [part for key, value in SETTINGS.items() for part in ("-s", f"{key}={value}")]
    environment = {**os.environ, "http_proxy": proxy.url, "PYTHONPATH": str(ROOT)}
    where = ROOT
    if line[0] == "runspider":
        where = directory
        del environment["PYTHONPATH"]
    command = [python, "-m", "scrapy", *line, *settings]
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
        until = len(proxy.log) + int(rng.integers(1, 2 * pages // A_ROUND))
        while len(proxy.log) < until and process.poll() is None:
            time.sleep(0.002)
    is_running = process.poll() is None
    process.send_signal(signal.SIGKILL)
    process.wait()
    return is_running


def play_round(crawler: Crawler, pages: int, rng: np.random.Generator, tally: Tally) -> None:
    with LoopbackProxy({"tree.test": tree(pages)}) as proxy, tempfile.TemporaryDirectory() as name:
        directory, starts = Path(name), []
        line = crawler.line(directory)
        for _ in range(A_ROUND):
            starts.append(len(proxy.log))
            process = start(line, proxy, directory, crawler.python)
            tally.kills += kill_at_random(process, proxy, rng, pages)
        starts.append(len(proxy.log))
        last = start(line, proxy, directory, crawler.python)
        try:
            code = last.wait(timeout=900)
        except subprocess.TimeoutExpired:
            last.kill()
            code = last.wait()
        numbers = Counter(url.rpartition("/")[2] for url in crawler.recorded(directory))
        repeats = repeats_by_run([each.path[1:] for each in proxy.log], starts)
    tally.rounds += 1
    tally.failed += code != 0
    tally.lost += sum(str(number) not in numbers for number in range(pages))
    tally.twice += sum(times > 1 for times in numbers.values())
    tally.repeated += sum(repeats)
    tally.most = max(tally.most, *repeats)


def repeats_by_run(asked: list[str], starts: list[int]) -> list[int]:
    """Return how many requests of each run were for pages that had been asked for before."""
    seen: set[str] = set()
    repeats = []
    for first, end in zip(starts, [*starts[1:], len(asked)], strict=True):
        run = [path for path in asked[first:end] if path.isdecimal()]
        repeats.append(len(run) - len(set(run) - seen))
        seen.update(run)
    return repeats


def measure(crawler: Crawler, kills: int, pages: int, seed: int) -> None:
    rng, tally = np.random.default_rng(seed), Tally()
    while tally.kills < kills:
        play_round(crawler, pages, rng, tally)
        print(crawler.name, tally, file=sys.stderr)
    print(
        f"| {crawler.name} | {tally.kills} | {tally.rounds} | {tally.failed} | "
        f"{tally.rounds * pages} | {tally.lost} | {tally.twice} | {tally.repeated} | "
        f"{tally.most} |",
        flush=True,
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--kills", type=int, default=100)
    parser.add_argument("--peer-kills", type=int, default=20)
    parser.add_argument("--pages", type=int, default=4000)
    parser.add_argument("--seed", type=int, default=1)
    asked = parser.parse_args()
    print(
        "| crawler | kills | rounds | ended with an error | pages | lost | recorded twice | "
        "requests repeated | the most after one kill |"
    )
    print("| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |")
    peers = (asked.peer_kills, asked.pages, asked.seed)
    if shutil.which("redis-server"):
        with redis_server() as port:
            measure(redis_crawler(port), *peers)
    measure(Crawler("Scrapy with JOBDIR", stock, fed), *peers)
    ours = Crawler("evocrawl with a store", evocrawl, stored)
    measure(ours, asked.kills, asked.pages, asked.seed)


if __name__ == "__main__":
    main()
