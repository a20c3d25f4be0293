"""Measures the processor time of a page, by the number of workers that share a crawl on Redis.

    python benchmarks/workers_cpu.py [--workers 1 4 16] [--each 300] [--delay 0.5] [--repeat 1]
                                     [--pages 400] [--hosts 40] [--words 600]

The work of a worker does not depend on their number: each has two requests under way on the web of
`latent_web.py`, where a page takes `--delay` seconds and has `--words` words. For each worker the
web has `--pages` pages and `--hosts` hosts, and the budget of all is `--each` pages.

Many processes on few processors take more processor time for the same work, since they share its
caches. So N workers of one crawl are compared with N crawls of one worker each, *apart*, each with
its own part of the same web and its own keys in the same Redis, right before.

The processor time of a worker is that of its process by the kernel (`/proc/PID/schedstat`), so
waiting for the processor does not count. All figures are of the middle of a crawl: from the request
at which a quarter of the budget is used up to that at nine tenths. The start and the end, when
programs are loaded and hosts are handed over, are left out.

*CPU* is the processor time of all workers by their pages, *of apart* divides it by that of as many
crawls apart. *Pages/s* are those of a worker. Of Redis, *batches* are what it reads at once, each
of one script or more, *scripts* those that it runs, *kB* what is sent to it and from it, and *CPU*
its processor time, all a page.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import threading
import time
from bisect import bisect_left
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from pathlib import Path

import redis
from redis_beside import redis_server
from workers import ROOT, command, ends, latent_web

_EVERY_S = 0.25
_FROM, _TO = 0.25, 0.9
"""The part of the budget that is measured."""
_COLUMNS = ("CPU, ms a page", "pages/s", "batches", "scripts", "kB in", "kB out", "Redis CPU, ms")


@dataclass(frozen=True)
class Sample:
    """What workers and Redis have used up to a time, by the clock of the web."""

    at_s: float
    cpu_s: float
    batches: int
    scripts: int
    bytes_in: int
    bytes_out: int
    redis_cpu_s: float


class Sampler(threading.Thread):
    """Looks at processes, and at a Redis, until they end."""

    def __init__(self, pids: list[int], port: int) -> None:
        super().__init__(daemon=True)
        self.samples: list[Sample] = []
        self._pids = pids
        self._redis = redis.Redis(port=port)
        self._ended = threading.Event()

    def run(self) -> None:
        while not self._ended.wait(_EVERY_S):
            with suppress(OSError, redis.RedisError):  # the crawl is about to end
                self.samples.append(self._look())

    def end(self) -> None:
        self._ended.set()
        self.join()

    def at(self, at_s: float) -> Sample:
        """Return the first sample since a time, or else the last one."""
        times = [each.at_s for each in self.samples]
        return self.samples[min(bisect_left(times, at_s), len(times) - 1)]

    def _look(self) -> Sample:
        info = self._redis.info("all")
        used = (Path(f"/proc/{pid}/schedstat").read_text() for pid in self._pids)
        return Sample(
            time.monotonic(), sum(int(each.split()[0]) for each in used) / 1e9,
            info["total_reads_processed"], info.get("cmdstat_evalsha", {}).get("calls", 0),
            info["total_net_input_bytes"], info["total_net_output_bytes"],
            info["used_cpu_user"] + info["used_cpu_sys"],
        )  # fmt: skip


def measure(
    workers: int, asked: argparse.Namespace, seed: int, *, are_apart: bool
) -> tuple[float, ...]:
    """Run one crawl of all workers, or one for each; return the figures of `_COLUMNS`."""
    parts, whole = workers if are_apart else 1, argparse.Namespace(**vars(asked))
    whole.pages, whole.hosts = (each * workers // parts for each in (asked.pages, asked.hosts))
    with ExitStack() as beside:
        web = beside.enter_context(latent_web(whole, seed, parts, asked.words))
        assert web.stdin is not None
        assert web.stdout is not None
        proxy, *begin = web.stdout.readline().split()
        port = beside.enter_context(redis_server(append_only=True))
        crawls = []
        for number in range(workers):
            part = number if are_apart else 0
            store = f"redis://127.0.0.1:{port}/0?crawl=part{part}"
            line = command(store, begin[part], asked, asked.each * workers // parts)
            environment = {**os.environ, "http_proxy": proxy}
            crawls.append(subprocess.Popen(line, cwd=ROOT, env=environment))
        sampler = Sampler([each.pid for each in crawls], port)
        sampler.start()
        ends(crawls)
        sampler.end()
        web.stdin.write("\n")
        web.stdin.flush()
        times = json.loads(web.stdout.readline())["times"]
    first, last = (sampler.at(times[int(part * len(times))]) for part in (_FROM, _TO))
    pages = bisect_left(times, last.at_s) - bisect_left(times, first.at_s)
    return (
        1e3 * (last.cpu_s - first.cpu_s) / pages, pages / (last.at_s - first.at_s) / workers,
        (last.batches - first.batches) / pages, (last.scripts - first.scripts) / pages,
        (last.bytes_in - first.bytes_in) / pages / 1e3,
        (last.bytes_out - first.bytes_out) / pages / 1e3,
        1e3 * (last.redis_cpu_s - first.redis_cpu_s) / pages,
    )  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--workers", type=int, nargs="+", default=[1, 4, 16])
    parser.add_argument("--each", type=int, default=300)
    parser.add_argument("--pages", type=int, default=400)
    parser.add_argument("--hosts", type=int, default=40)
    parser.add_argument("--at-once", type=int, default=2)
    parser.add_argument("--delay", type=float, default=0.5)
    parser.add_argument("--gap", type=float, default=0.5)
    parser.add_argument("--words", type=int, default=600)
    parser.add_argument("--repeat", type=int, default=1)
    asked = parser.parse_args()
    print(f"| workers | web | crawls | {' | '.join(_COLUMNS)} | of apart |")
    print(f"| ---: | ---: | ---: |{' ---: |' * (len(_COLUMNS) + 1)}", flush=True)
    ratios: dict[int, list[float]] = {}
    for seed in range(1, asked.repeat + 1):
        for workers in asked.workers:
            apart = 0.0
            for crawls in dict.fromkeys((workers, 1)):
                found = measure(workers, asked, seed, are_apart=crawls > 1)
                apart = apart or found[0]
                row = " | ".join(f"{each:.1f}" for each in found)
                of_apart = found[0] / apart
                print(f"| {workers} | {seed} | {crawls} | {row} | {of_apart:.2f} |", flush=True)
            ratios.setdefault(workers, []).append(of_apart)
    if asked.repeat > 1:
        for workers, each in ratios.items():
            print(f"{workers} workers: {statistics.median(each):.2f} of apart, the median")


if __name__ == "__main__":
    main()
