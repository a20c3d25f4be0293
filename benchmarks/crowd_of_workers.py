"""Counts the requests of worker processes that join, leave, stall and are killed.

    python benchmarks/crowd_of_workers.py [--workers 16] [--pages 600] [--budget 0]
                                          [--lease 2] [--kills 4] [--stalls 4] [--leaves 4]

Each worker is a process with a population, a connection to a Redis on loopback, and the web in its
own memory: a fetch is a pause of 20 ms (`--fetch`). Its clocks are an hour ahead of those of the
worker before it. While they crawl, some are killed (SIGKILL), some stall for one and a half leases
(SIGSTOP, SIGCONT) and some leave in order; a new worker takes the place of each that is gone. Each
fetch is a line of a common file, by which the requests are counted; the records are those of Redis.

A request is *repeated* if its page was requested before. The bound is what was under way: for each
kill and each stall the visits of a worker (`AT_ONCE`), twice. *CPU* is that of a worker since it
joined, by the pages of all: waiting costs time, too.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from dataclasses import replace
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tests"))

import crowd
from redis_beside import redis_server
from tiny_webs import Web, random_web

from evocrawl.core.fetch import FetchDetails
from evocrawl.core.model import Fetched, Visit
from evocrawl.population.lifecycle import PopulationBounds
from evocrawl.store.cluster.redis.archive import SharedArchive

_HOUR_S = 3600.0


def web_of(pages: int, seed: int) -> Web:
    web = random_web(np.random.default_rng(seed), pages, hosts=max(pages // 8, 1))
    urls = [*web.links]
    # Each page leads to the next two too, so that a failing one hides few others.
    links = {
        url: [*web.links[url], *((each, "0.5") for each in urls[2 * n + 1 : 2 * n + 3])]
        for n, url in enumerate(urls)
    }
    few = {url: outcome for url, outcome in web.failing.items() if urls.index(url) > pages // 2}
    return replace(web, links=links, failing=few, moved={})


class Worker(crowd.Hand):
    """A worker that notes its requests in a file, and leaves when it gets SIGTERM."""

    log = -1
    fetch_s = 0.02
    leaves = False

    async def run(self) -> None:
        asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, self._leave)
        await super().run()

    def _leave(self) -> None:
        self.leaves = True
        self.population.stopped = "leaving"
        asyncio.get_running_loop().create_task(self._close())

    async def _close(self) -> None:
        while self.population.unsettled:
            await asyncio.sleep(0.02)
        await self.worker.close()
        done(self)

    async def _fetch(self, visit: Visit) -> None:
        lead = visit.lead
        is_sent = await self.worker.cleared(lead.host, is_visit=True)
        if is_sent and self.journaled.spend(visit.id):
            os.write(self.log, f"{os.getpid()} {lead.url}\n".encode())
            await asyncio.sleep(self.fetch_s)
        outcome = self._seen.web.answer(lead.url, self.population.price)
        details = FetchDetails(visit.agent, lead, 200, "2026-01-01T00:00:00+00:00")
        is_page = isinstance(outcome, Fetched)
        self.journaled.settle(visit.id, outcome, details if is_page else None)


_began_s = 0.0


def done(worker: Worker) -> None:
    """End the process of a worker; its CPU seconds are its last line."""
    print(json.dumps(time.process_time() - _began_s), flush=True)
    os._exit(1 if worker.failures else 0)


def work(asked: argparse.Namespace) -> None:
    """Be a worker until the crawl ends."""
    global _began_s
    real_s, clocks_s, ahead_s = time.time, time.clock_gettime, asked.ahead * _HOUR_S
    time.time = lambda: real_s() + ahead_s
    time.clock_gettime = lambda clock: clocks_s(clock) + ahead_s
    crowd.LEASE_S = asked.lease
    Worker.log = os.open(asked.log, os.O_WRONLY | os.O_APPEND)
    Worker.fetch_s = asked.fetch
    seen = crowd.Seen(web_of(asked.pages, asked.seed))
    bounds = PopulationBounds(64, 16, 256)

    async def play() -> None:
        global _began_s
        worker = Worker(asked.worker, seen, asked.species, {}, asked.budget or None, bounds)
        _began_s = time.process_time()
        await worker.run()
        done(worker)

    asyncio.run(play())


class Crowd:
    """The processes of a crawl."""

    def __init__(self, asked: argparse.Namespace, url: str, log: Path) -> None:
        self._asked, self._url, self._log = asked, url, log
        self._made = 0
        self.at_work: list[subprocess.Popen[str]] = []
        self.gone: list[subprocess.Popen[str]] = []

    def add(self) -> None:
        """Start a worker, whose clocks are an hour ahead of those of the last one."""
        asked = self._asked
        line = [sys.executable, __file__, "--worker", self._url, "--log", str(self._log),
                "--ahead", str(self._made)]  # fmt: skip
        for name in ("pages", "seed", "species", "budget", "lease", "fetch"):
            line += [f"--{name}", str(getattr(asked, name))]
        self._made += 1
        beside = (self._log.parent / f"errors-{self._made}").open("w")
        self.at_work.append(
            subprocess.Popen(line, stdout=subprocess.PIPE, stderr=beside, text=True)
        )
        beside.close()

    def lose(self, by: signal.Signals) -> None:
        """Send a signal to the worker that has been there for longest, and start another."""
        gone = self.at_work.pop(0)
        gone.send_signal(by)
        self.gone.append(gone)
        self.add()

    def requests(self) -> int:
        return self._log.read_bytes().count(b"\n")

    def wait_for(self, requests: int) -> bool:
        """Wait until so many requests were made; return False if the crawl has ended before."""
        while self.requests() < requests:
            if any(each.poll() is not None for each in self.at_work):
                return False
            time.sleep(0.02)
        return True


def play(asked: argparse.Namespace, url: str, log: Path) -> tuple[float, int, int]:
    """Run a crawl; return CPU seconds, bad ends, and what was done to workers."""
    workers = Crowd(asked, url, log)
    for _ in range(asked.workers):
        workers.add()
    acts = ["kill"] * asked.kills + ["stall"] * asked.stalls + ["leave"] * asked.leaves
    np.random.default_rng(asked.seed).shuffle(acts)
    total = min(asked.budget or asked.pages, asked.pages)
    happened = 0
    for number, act in enumerate(acts, 1):
        if not workers.wait_for(number * total * 3 // 4 // len(acts)):
            break
        happened += 1
        if act == "stall":
            stalled = workers.at_work[number % len(workers.at_work)]
            stalled.send_signal(signal.SIGSTOP)
            time.sleep(1.5 * asked.lease)
            stalled.send_signal(signal.SIGCONT)
        else:
            workers.lose(signal.SIGKILL if act == "kill" else signal.SIGTERM)
    cpu_s, bad = 0.0, 0
    for each in [*workers.at_work, *workers.gone]:
        out, _ = each.communicate(timeout=900)
        if each.returncode not in (0, -signal.SIGKILL):
            bad += 1
            print(f"the process {each.pid} ended with {each.returncode}", file=sys.stderr)
        cpu_s += float(out.split()[-1]) if out.split() else 0.0
    return cpu_s, bad, happened


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--workers", type=int, default=16)
    parser.add_argument("--pages", type=int, default=600)
    parser.add_argument("--budget", type=int, default=0)
    parser.add_argument("--species", default="energy")
    parser.add_argument("--lease", type=float, default=2.0)
    parser.add_argument("--fetch", type=float, default=0.02)
    parser.add_argument("--seed", type=int, default=1)
    for name in ("kills", "stalls", "leaves"):
        parser.add_argument(f"--{name}", type=int, default=4)
    for name in ("worker", "log"):
        parser.add_argument(f"--{name}", help=argparse.SUPPRESS)
    parser.add_argument("--ahead", type=int, default=0, help=argparse.SUPPRESS)
    asked = parser.parse_args()
    if asked.worker:
        work(asked)
        return
    web = web_of(asked.pages, asked.seed)
    pages = web.reachable([next(iter(web.links))]) - set(web.failing)
    with tempfile.TemporaryDirectory() as folder, redis_server(append_only=True) as port:
        url, log = f"redis://127.0.0.1:{port}/0", Path(folder) / "requests"
        log.touch()
        cpu_s, bad, happened = play(asked, url, log)
        with SharedArchive(url) as archive:
            recorded = Counter(page.url for page in archive.pages())
        for errors in sorted(Path(folder).glob("errors-*")):
            print(*errors.read_text().splitlines()[-1:], file=sys.stderr, sep="\n", end="")
        made = Counter(line.split()[1] for line in log.read_text().splitlines())
    repeated, most = made.total() - len(made), 2 * crowd.AT_ONCE * (asked.kills + asked.stalls)
    twice, lost = recorded.total() - len(recorded), len(pages - set(recorded))
    print(f"workers {asked.workers}, things done to them {happened}, ended badly {bad}")
    print(f"pages that can be reached {len(pages)}, recorded {len(recorded)}, "
          f"recorded twice {twice}, {'left' if asked.budget else 'lost'} {lost}")  # fmt: skip
    print(f"requests {made.total()}, budget {asked.budget or 'none'}, "
          f"repeated {repeated} of at most {most}")  # fmt: skip
    print(f"CPU of the workers that ended, ms a page {1e3 * cpu_s / max(len(recorded), 1):.1f}")


if __name__ == "__main__":
    main()
