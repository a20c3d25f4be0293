"""Measures the processor time of a page, by the number of workers that share a crawl on Redis.

    python benchmarks/workers_cpu.py [--workers 4 16] [--each 300] [--delay 0.5] [--repeat 1]
                                     [--pages 400] [--hosts 40] [--words 600] [--turn 10]
                                     [--selectivity 0] [--other DIRECTORY]

Each worker has two agents at least, which may each have a request under way, on the web of
`latent_web.py`, where a page takes `--delay` seconds and has `--words` words. For each worker the
web has `--pages` pages and `--hosts` hosts, and as many requests may be sent as it has pages. With
a `--selectivity` above 0 workers wait for better links, those together more than those apart; so
what a worker costs a second is then a larger part of the cost of its pages.

The same work does not always take the same processor time: what else runs, the machine's host and
the frequency of the processor change it by a fifth from one minute to the next. And many processes
on few processors take more, since they share caches. So N workers of one crawl, *together*, take
turns with N crawls of one worker each, *apart*. Each of the two has its own Redis and its own web.
That of the crawls apart has N parts without links to each other, so that each of these crawls has
at any time fetched about the same share of its web as the workers together.

Once the workers of both have begun and have fetched a quarter of `--each` pages, both crawl in turn
for `--turn` seconds while a user's command pauses the other, until a crawl has two thirds. So the
start, when programs are loaded and hosts are handed over, and the end are left out. The first
seconds of a turn, in which a command takes effect, are not measured.

The processor time of a worker is that of its process by the kernel (`/proc/PID/schedstat`), so
waiting for the processor does not count. *CPU* is the processor time of all workers by their pages,
*idle* that of a paused worker a second: for news, heartbeats and leases. *Pages/s* are those of a
worker. Of Redis, *batches* are what it reads at once, each of one script or more, *scripts* those
that it runs, *kB* what is sent to it and from it, and *CPU* its processor time, all a page.
*Of apart* is the CPU together divided by that apart: the mean over the pairs of turns of a web with
an interval of 95 % (Student's t), and in the last line the mean over the webs (`--repeat`).

With `--other`, a checkout of another commit that the same Python can run, its workers together take
the place of the crawls apart.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import time
from bisect import bisect_left
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import astuple, dataclass
from pathlib import Path
from typing import TypeAlias

import numpy as np
import redis
from redis_beside import redis_server
from workers import ROOT, command, interval, latent_web

from evocrawl.store.cluster.redis.archive import SharedArchive
from evocrawl.store.cluster.redis.changes import RunState, StateChanged
from evocrawl.store.cluster.redis.keys import KeyNames
from evocrawl.store.cluster.redis.remote_steering import RemoteSteering
from evocrawl.store.cluster.redis.reports import unpack_report

_PAUSE_S = 0.5
_TAKES_EFFECT_S = 3.0
"""Time until a command has reached all workers, and their requests under way have ended."""
_MOST_TURNS = 10
_COLUMNS = (
    "CPU, ms a page", "idle, ms a second", "pages/s", "batches", "scripts", "kB in", "kB out",
    "Redis CPU, ms",
)  # fmt: skip


@dataclass(frozen=True)
class Used:
    """What workers and Redis have used up to a time, by the clock of the web."""

    at_s: float
    cpu_s: float
    batches: int
    scripts: int
    bytes_in: int
    bytes_out: int
    redis_cpu_s: float

    def __sub__(self, before: Used) -> Used:
        """Return what was used since a time before."""
        pairs = zip(astuple(self), astuple(before), strict=True)
        return Used(*(now - then for now, then in pairs))


Turn: TypeAlias = tuple[Used, Used]
"""What was used up to the beginning of a turn, and to its end."""


def total(turns: Sequence[Turn]) -> Used:
    """Return what was used in some turns."""
    parts = [astuple(to - at) for at, to in turns]
    return Used(*map(sum, zip(*parts, strict=True)))


class Crew:
    """Workers of one crawl, or of a crawl each, with their web and their Redis."""

    def __init__(
        self,
        beside: ExitStack,
        asked: argparse.Namespace,
        workers: int,
        seed: int,
        crawls: int,
        root: Path = ROOT,
    ) -> None:
        sizes = {each: getattr(asked, each) * workers // crawls for each in ("pages", "hosts")}
        whole = argparse.Namespace(**{**vars(asked), **sizes})
        self._web = beside.enter_context(latent_web(whole, seed, crawls, asked.words))
        proxy, *first = self._read().split()
        port = beside.enter_context(redis_server(append_only=True))
        self._redis = beside.enter_context(redis.Redis(port=port))
        self._each, budget = asked.each, asked.pages * workers // crawls
        stores = [f"redis://127.0.0.1:{port}/0?crawl=number{number}" for number in range(crawls)]
        self._archives = [beside.enter_context(SharedArchive(each)) for each in stores]
        environment = {**os.environ, "http_proxy": proxy}
        self._workers = list[subprocess.Popen[bytes]]()
        self._was_under_way = False
        beside.callback(self._kill)
        for number in range(workers):
            crawl = number % crawls
            line = command(stores[crawl], first[crawl], asked, budget)
            # Each worker has its share of the bounds, and an agent has one visit under way.
            agents = asked.at_once * workers // crawls
            line += ["-a", f"lower_bound={agents}", "-a", f"selectivity={asked.selectivity}"]
            self._workers.append(subprocess.Popen(line, cwd=root, env=environment))

    def has_begun(self) -> bool:
        """Return whether all workers crawl, and have fetched a quarter of their pages."""
        pages, workers = self._pages(), len(self._workers)
        self._was_under_way |= len(pages) == workers
        is_under_way = self._was_under_way and min(pages) >= self._each / 8
        return is_under_way and sum(pages) >= self._each * workers / 4

    def ends_soon(self) -> bool:
        """Return whether a crawl has fetched two thirds of its pages."""
        pages = self._pages()
        most = max(pages) if len(self._archives) > 1 else sum(pages) / len(pages)
        return bool(most >= 2 / 3 * self._each)

    def used(self) -> Used:
        info = self._redis.info("all")
        ran = (Path(f"/proc/{each.pid}/schedstat").read_text() for each in self._workers)
        return Used(
            time.monotonic(), sum(int(each.split()[0]) for each in ran) / 1e9,
            info["total_reads_processed"], info.get("cmdstat_evalsha", {}).get("calls", 0),
            info["total_net_input_bytes"], info["total_net_output_bytes"],
            info["used_cpu_user"] + info["used_cpu_sys"],
        )  # fmt: skip

    def set(self, state: RunState) -> None:
        """Let all workers go on, or finish what is under way and wait; wait until they do."""
        for each in self._archives:
            RemoteSteering(each).send(StateChanged(state))
        time.sleep(_TAKES_EFFECT_S)

    def figures(self, turns: Sequence[Turn], rests: Sequence[Turn]) -> list[list[float]]:
        """End the web; return the figures of `_COLUMNS` for all turns together, and for each.

        In `rests` the workers were paused.
        """
        assert self._web.stdin is not None
        self._web.stdin.write("\n")
        self._web.stdin.flush()
        times = json.loads(self._read())["times"]
        return [self._of(some, rests, times) for some in (turns, *([each] for each in turns))]

    def _of(self, turns: Sequence[Turn], rests: Sequence[Turn], times: list[float]) -> list[float]:
        used, rest = total(turns), total(rests)
        pages = sum(bisect_left(times, to.at_s) - bisect_left(times, at.at_s) for at, to in turns)
        of_redis = (used.batches, used.scripts, used.bytes_in / 1e3, used.bytes_out / 1e3)
        return [
            1e3 * used.cpu_s / pages,
            1e3 * rest.cpu_s / rest.at_s / len(self._workers),
            pages / used.at_s / len(self._workers),
            *(each / pages for each in (*of_redis, 1e3 * used.redis_cpu_s)),
        ]

    def _pages(self) -> list[int]:
        """Return how many pages each worker has reported, of those that have joined."""
        pipe = self._redis.pipeline(transaction=False)
        for each in self._archives:
            pipe.hvals(KeyNames(each.path.name).whole("status"))
        pages = [unpack_report(row).pages for rows in pipe.execute() for row in rows]
        if self._was_under_way and len(pages) < len(self._workers):
            raise SystemExit("a crawl has ended too early: give it more pages (--pages)")
        return pages

    def _read(self) -> str:
        assert self._web.stdout is not None
        return self._web.stdout.readline()

    def _kill(self) -> None:
        for each in self._workers:
            each.kill()
        for each in self._workers:
            each.wait()


def measure(workers: int, asked: argparse.Namespace, seed: int) -> list[list[list[float]]]:
    """Run workers apart, or of the other checkout, and together on a web.

    Return the figures of both, see `Crew.figures`.
    """
    with ExitStack() as beside:
        crews = list[Crew]()
        first = (workers, ROOT) if asked.other is None else (1, asked.other)
        for crawls, root in (first, (1, ROOT)):
            crew = Crew(beside, asked, workers, seed, crawls, root)
            while not crew.has_begun():
                time.sleep(_PAUSE_S)
            crew.set("paused")
            crews.append(crew)
        turns: list[list[Turn]] = [[], []]
        rests: list[list[Turn]] = [[], []]
        while len(turns[0]) < _MOST_TURNS and not any(crew.ends_soon() for crew in crews):
            for number in (0, 1) if len(turns[0]) % 2 else (1, 0):
                crews[number].set("running")
                began = [crew.used() for crew in crews]
                time.sleep(asked.turn)
                ended = [crew.used() for crew in crews]
                crews[number].set("paused")
                turns[number].append((began[number], ended[number]))
                rests[1 - number].append((began[1 - number], ended[1 - number]))
        return [crew.figures(*parts) for crew, *parts in zip(crews, turns, rests, strict=True)]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--workers", type=int, nargs="+", default=[4, 16])
    parser.add_argument("--each", type=int, default=300)
    parser.add_argument("--pages", type=int, default=400)
    parser.add_argument("--hosts", type=int, default=40)
    parser.add_argument("--at-once", type=int, default=2)
    parser.add_argument("--delay", type=float, default=0.5)
    parser.add_argument("--gap", type=float, default=0.5)
    parser.add_argument("--words", type=int, default=600)
    parser.add_argument("--turn", type=float, default=10.0)
    parser.add_argument("--repeat", type=int, choices=range(1, 11), default=1)
    parser.add_argument("--selectivity", type=float, default=0.0)
    parser.add_argument("--other", type=Path)
    asked = parser.parse_args()
    other = "apart" if asked.other is None else "the other"
    print(f"| workers | web | crawls | {' | '.join(_COLUMNS)} | of {other} |")
    print(f"| ---: | ---: | --- |{' ---: |' * (len(_COLUMNS) + 1)}", flush=True)
    ratios: dict[int, list[float]] = {each: [] for each in asked.workers}
    for seed in range(1, asked.repeat + 1):
        for workers, found in ratios.items():
            apart, together = measure(workers, asked, seed)
            pairs = zip(apart[1:], together[1:], strict=True)
            of_apart = [now[0] / alone[0] for alone, now in pairs]
            found.append(float(np.mean(of_apart)))
            for kind, figures in ((other, apart[0]), ("together", together[0])):
                row = " | ".join(f"{each:.2f}" for each in figures)
                ratio = _mean(of_apart) if kind == "together" else ""
                print(f"| {workers} | {seed} | {kind} | {row} | {ratio} |", flush=True)
    for workers, found in ratios.items():
        print(f"{workers} workers: {_mean(found)} of {other}")


def _mean(values: Sequence[float]) -> str:
    """Return the mean of one to ten values, with its interval if there are two or more."""
    return interval(values).removeprefix("+") if len(values) > 1 else f"{values[0]:.3f}"


if __name__ == "__main__":
    main()
