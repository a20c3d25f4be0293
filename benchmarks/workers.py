"""Measures throughput and harvest of 1, 2 and 4 workers that share a crawl on Redis.

    python benchmarks/workers.py [--workers 1 2 4] [--pages 600] [--hosts 300] [--delay 0.2]
                                 [--at-once 2] [--gap 0.5] [--seeds 1]
                                 [--stores memory sqlite redis]

The web is that of `latent_web.py`: every page takes `--delay` seconds. Each worker has `--at-once`
requests under way, so few that the crawl waits for responses and not for the processor. A host gets
one request at a time, and their starts are `--gap` seconds apart (DOWNLOAD_DELAY). The script
starts the redis-server on the PATH.

*Pages a second* counts from the first page to the last, without the start. *At once* is the most
concurrent requests at one host, and *gap* the least time between the starts of two requests at one
host, measured at the server over all workers; *handed over* is the gap between requests of
different workers. On a busy machine a gap may be slightly shorter than requested, since requests
need time from the worker to the server. *Harvest* is the share of relevant pages, by the labels of
the server, among the first fetched half of the web. *CPU* is that of all workers, without the CPU
time of a crawl of one page by each of them.

With several `--seeds`, each for one web, harvest and speed are compared with those of one worker on
the same web: the mean of the differences, and its interval of 95 % (Student's t).
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from redis_beside import redis_server

ROOT = Path(__file__).resolve().parent.parent
T_95 = (12.71, 4.30, 3.18, 2.78, 2.57, 2.45, 2.36, 2.31, 2.26)
"""Student's t for 1 to 9 degrees of freedom, two-sided."""


@dataclass(frozen=True)
class Figures:
    """Figures of one crawl; `cpu_s` includes the start."""

    pages_a_second: float
    at_once: int
    gap_s: float
    handover_s: float
    repeated: int
    fetched: int
    harvest: float
    cpu_s: float


def command(store: str, begin: str, asked: argparse.Namespace, most: int = 0) -> list[str]:
    """Return the command line of a worker; `most` is its budget (0: none)."""
    arguments = {
        "query": "coral bleaching", "seeds": begin, "max_requests": most, "store": store,
        "upper_bound": 256, "agents": 64, "progress_s": 0,
    }  # fmt: skip
    settings = {
        "CONCURRENT_REQUESTS": asked.at_once, "CONCURRENT_REQUESTS_PER_DOMAIN": 1,
        "DOWNLOAD_DELAY": asked.gap, "DOWNLOAD_DELAY_JITTER": 0, "LOG_LEVEL": "WARNING",
        "TELNETCONSOLE_ENABLED": False, "REMOTE_CONTROL_ENABLED": False,
    }  # fmt: skip
    line = [sys.executable, "-m", "scrapy", "crawl", "evospider"]
    given = [f"{name}={value}" for name, value in arguments.items() if value != ""]
    line += [part for each in given for part in ("-a", each)]
    return line + [part for name in settings for part in ("-s", f"{name}={settings[name]}")]


@contextmanager
def latent_web(
    asked: argparse.Namespace, seed: int, parts: int = 1, words: int = 0
) -> Iterator[subprocess.Popen[str]]:
    """Run the web, with `parts` without links to each other and `words` more words on a page."""
    arguments = [str(each) for each in (asked.pages, asked.hosts, asked.delay, seed, parts, words)]
    line = [sys.executable, str(Path(__file__).with_name("latent_web.py")), *arguments]
    web = subprocess.Popen(line, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    try:
        yield web
    finally:
        web.kill()
        web.wait()


def ends(crawls: Sequence[subprocess.Popen[bytes]]) -> float:
    """Wait until all have ended with success; return their CPU seconds."""
    cpu_s = 0.0
    for each in crawls:
        _, status, usage = os.wait4(each.pid, 0)
        each.returncode = os.waitstatus_to_exitcode(status)
        cpu_s += usage.ru_utime + usage.ru_stime
    codes = [each.returncode for each in crawls]
    if any(codes):
        raise SystemExit(f"the crawls ended with {codes}")
    return cpu_s


def crawl(store: str, workers: int, asked: argparse.Namespace, seed: int, most: int = 0) -> Figures:
    """Run one crawl to its end."""
    with ExitStack() as beside:
        folder = beside.enter_context(tempfile.TemporaryDirectory())
        web = beside.enter_context(latent_web(asked, seed))
        assert web.stdin is not None
        assert web.stdout is not None
        proxy, begin = web.stdout.readline().split()
        url = ""
        if store == "redis":
            url = f"redis://127.0.0.1:{beside.enter_context(redis_server(append_only=True))}/0"
        elif store == "sqlite":
            url = str(Path(folder) / "state.sqlite")
        line, environment = command(url, begin, asked, most), {**os.environ, "http_proxy": proxy}
        names = (["-s", f"USER_AGENT=worker-{number}"] for number in range(workers))
        crawls = [subprocess.Popen([*line, *name], cwd=ROOT, env=environment) for name in names]
        cpu_s = ends(crawls)
        web.stdin.write("\n")
        web.stdin.flush()
        seen = json.loads(web.stdout.readline())
    times, pages, half = seen["times"], seen["pages"], asked.pages // 2
    lasted_s = times[-1] - times[0] or 1.0
    return Figures(
        (len(times) - 1) / lasted_s,
        seen["at_once"],
        seen["gap_s"],
        seen["handover_s"],
        len(pages) - len(Counter(pages)),
        len(set(pages)),
        sum(seen["relevant"][:half]) / half,
        cpu_s,
    )


def interval(values: Sequence[float]) -> str:
    """Return mean and half-width of the interval of two to ten values."""
    spread = T_95[len(values) - 2] * np.std(values, ddof=1) / np.sqrt(len(values))
    return f"{np.mean(values):+.3f} ± {spread:.3f}"


def compare(found: dict[tuple[str, int, int], Figures]) -> None:
    """Print the differences of more workers and other stores to one worker on the same web."""
    print("\n| state | workers | webs | pages/s of one worker's | harvest, less one worker's |")
    print("| --- | ---: | ---: | ---: | ---: |")
    for store, workers in dict.fromkeys((store, workers) for store, workers, _ in found):
        pairs = [
            (got, found["redis", 1, seed])
            for (its, many, seed), got in found.items()
            if (its, many) == (store, workers) and ("redis", 1, seed) in found
        ]
        if (store, workers) == ("redis", 1) or len(pairs) < 2:
            continue
        speed = np.mean([got.pages_a_second / one.pages_a_second for got, one in pairs])
        harvest = interval([got.harvest - one.harvest for got, one in pairs])
        print(f"| {store} | {workers} | {len(pairs)} | {speed:.2f} | {harvest} |")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--workers", type=int, nargs="+", default=[1, 2, 4])
    parser.add_argument("--pages", type=int, default=600)
    parser.add_argument("--hosts", type=int, default=300)
    parser.add_argument("--at-once", type=int, default=2)
    parser.add_argument("--delay", type=float, default=0.2)
    parser.add_argument("--gap", type=float, default=0.5)
    parser.add_argument("--seeds", type=int, choices=range(1, 11), default=1)
    parser.add_argument("--stores", nargs="+", default=["memory", "sqlite", "redis"])
    asked = parser.parse_args()
    start_s = crawl("memory", 1, asked, 1, most=2).cpu_s
    print(f"starting takes a worker {start_s:.1f} s of CPU\n")
    print(
        "| state | workers | web | pages/s | at once | gap, s | handed over, s | fetched | "
        "repeated | harvest | CPU ms a page | cores a worker |"
    )
    print(f"| --- |{' ---: |' * 11}", flush=True)
    found: dict[tuple[str, int, int], Figures] = {}
    for seed in range(1, asked.seeds + 1):
        for store in asked.stores:
            for workers in asked.workers if store == "redis" else [1]:
                got = found[store, workers, seed] = crawl(store, workers, asked, seed)
                page_s = (got.cpu_s - workers * start_s) / got.fetched
                print(
                    f"| {store} | {workers} | {seed} | {got.pages_a_second:.1f} | {got.at_once} | "
                    f"{got.gap_s:.3f} | {got.handover_s:.3f} | {got.fetched} | {got.repeated} | "
                    f"{got.harvest:.3f} | {1000 * page_s:.0f} | "
                    f"{page_s * got.pages_a_second / workers:.2f} |",
                    flush=True,
                )
    if asked.seeds > 1:
        compare(found)


if __name__ == "__main__":
    main()
