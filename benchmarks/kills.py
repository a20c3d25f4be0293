"""Kills crawls at random instants and continues them; does the same with other crawlers.

    python benchmarks/kills.py [--kills 100] [--pages 4000] [--peer-kills 20] [--seed 1]
                               [--workers 4] [--only PART_OF_A_NAME]

The site is a binary tree on loopback: page n links to pages 2n + 1 and 2n + 2. A crawl is killed
(SIGKILL) after a random number of requests, or a random time after its start, and started again
with the same state, ten times; then it runs to its end. That is a round; rounds repeat until the
number of kills is reached. At most 16 requests are under way.

Several workers (`--workers`, 0 for none) share a crawl of the same tree on 60 hosts, and divide
these requests among them. A random worker is killed, and another one starts at once. The other
workers continue, and take over its hosts when its lease of 3 s ends.

A page is *lost* if it is not in the record after the last run of a round: the store, the feed of
stock Scrapy, the items in Redis. *Repeated* counts requests for pages that an earlier request
fetched; *the most* is the number of the worst run, or, for workers, of the worst time between two
kills, which may include effects of earlier kills. The peers are stock Scrapy with a JOBDIR, and
scrapy-redis in its own virtual environment, created at the first run in
``$XDG_CACHE_HOME/evocrawl-peers`` (``~/.cache``). The redis-server is not killed. Without a
redis-server on the PATH, the parts that need it are skipped.
"""

from __future__ import annotations

import argparse
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from crawled_tree import sites, start
from killed_crawlers import (
    Crawler,
    of_workers,
    scrapy_redis,
    with_a_compact_journal,
    with_a_store,
    with_jobdir,
)
from redis_beside import program, redis_server

from evocrawl.simulation.server.proxy import LoopbackProxy

A_ROUND = 10
"""Kills in a round."""
MOST_S = 900
"""Time-out of the last run of a round in seconds."""


@dataclass
class Tally:
    """Totals of all rounds of one crawler."""

    kills: int = 0
    rounds: int = 0
    failed: int = 0
    lost: int = 0
    twice: int = 0
    repeated: int = 0
    most: int = 0


def kill_at_random(
    crawls: list[subprocess.Popen[bytes]],
    proxy: LoopbackProxy,
    rng: np.random.Generator,
    pages: int,
) -> bool:
    """Kill one of the crawls at a random instant and remove it; return False if it had ended."""
    if rng.random() < 0.25:
        time.sleep(float(rng.uniform(0.5, 4.0)))
    else:
        until = len(proxy.log) + int(rng.integers(1, 2 * pages // A_ROUND))
        while len(proxy.log) < until and any(each.poll() is None for each in crawls):
            time.sleep(0.002)
    victim = crawls.pop(int(rng.integers(len(crawls))) if len(crawls) > 1 else 0)
    is_running = victim.poll() is None
    victim.send_signal(signal.SIGKILL)
    victim.wait()
    return is_running


def play_round(crawler: Crawler, pages: int, rng: np.random.Generator, tally: Tally) -> None:
    with (
        LoopbackProxy(sites(pages, crawler.hosts)) as proxy,
        tempfile.TemporaryDirectory() as name,
    ):
        directory = Path(name)
        line = crawler.line(directory)
        crawls: list[subprocess.Popen[bytes]] = []
        starts: list[int] = []
        for _ in range(A_ROUND):
            starts.append(len(proxy.log))
            _fill(crawls, crawler, line, proxy, directory)
            tally.kills += kill_at_random(crawls, proxy, rng, pages)
        starts.append(len(proxy.log))
        _fill(crawls, crawler, line, proxy, directory)
        codes = [exit_code(each) for each in crawls]
        numbers = Counter(url.rpartition("/")[2] for url in crawler.recorded(directory))
        repeats = repeats_by_run([each.path[1:] for each in proxy.log], starts)
    tally.rounds += 1
    tally.failed += any(codes)
    tally.lost += sum(str(number) not in numbers for number in range(pages))
    tally.twice += sum(times > 1 for times in numbers.values())
    tally.repeated += sum(repeats)
    tally.most = max(tally.most, *repeats)


def _fill(
    crawls: list[subprocess.Popen[bytes]],
    crawler: Crawler,
    line: list[str],
    proxy: LoopbackProxy,
    directory: Path,
) -> None:
    """Start the missing workers."""
    while len(crawls) < crawler.workers:
        crawls.append(start(line, proxy, directory, crawler.python, crawler.settings))


def exit_code(crawl: subprocess.Popen[bytes]) -> int:
    """Wait for the end of a crawl; it must end in time."""
    try:
        return crawl.wait(timeout=MOST_S)
    except subprocess.TimeoutExpired:
        crawl.kill()
        return crawl.wait()


def repeats_by_run(asked: list[str], starts: list[int]) -> list[int]:
    """Return the number of repeated requests of each run."""
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
    parser.add_argument("--workers", type=int, default=4)
    parser.add_argument("--only", default="")
    asked = parser.parse_args()
    print(
        "| crawler | kills | rounds | ended with an error | pages | lost | recorded twice | "
        "requests repeated | the most after one kill |"
    )
    print("| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |", flush=True)
    with ExitStack() as beside:
        makers: list[tuple[str, int, Callable[[], Crawler]]] = []
        if program() is not None:
            port = beside.enter_context(redis_server())
            makers.append(("scrapy-redis", asked.peer_kills, lambda: scrapy_redis(port)))
            if asked.workers:
                ours = lambda: of_workers(port, asked.workers)  # noqa: E731
                makers.append(("evocrawl workers", asked.kills, ours))
        makers.append(("Scrapy with JOBDIR", asked.peer_kills, with_jobdir))
        makers.append(("evocrawl with a store", asked.kills, with_a_store))
        makers.append(("evocrawl, compact journal", asked.kills, with_a_compact_journal))
        for name, kills, make in makers:
            if asked.only in name:
                measure(make(), kills, asked.pages, asked.seed)


if __name__ == "__main__":
    main()
