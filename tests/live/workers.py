"""Shared by the tests of several workers: a web of many hosts, and real workers."""

from __future__ import annotations

import asyncio
import json
import math
import os
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import processes
from livecrawl import FAST, HERE, QUERY, ROOT, page
from redisserver import RedisServer

from evocrawl.simulation.server.proxy import LoopbackProxy, Request, Response, not_found


@dataclass
class ManyHosts:
    """A tree of `pages` pages on `hosts` hosts, each answered after `delay_s` seconds.

    Page n links to pages 2n + 1 and 2n + 2, and back to its parent. `at_once` is the most
    requests that each host has had under way at the server. No page is answered before `is_open`
    has once returned True, and after `most_answers` pages none until it is raised.
    """

    pages: int
    hosts: int
    delay_s: float = 0.02
    is_open: Callable[[], bool] = lambda: True
    most_answers: float = math.inf
    at_once: Counter[str] = field(default_factory=Counter)
    _answers: int = 0
    _under_way: Counter[str] = field(default_factory=Counter)
    _is_opened: bool = False

    def url(self, n: int) -> str:
        return f"http://h{n % self.hosts}.test/{n}"

    def linked(self, n: int) -> list[int]:
        """Return the pages that page n links to."""
        return [each for each in (2 * n + 1, 2 * n + 2, (n - 1) // 2) if 0 <= each < self.pages]

    def sites(self) -> Mapping[str, Callable[[Request], Any]]:
        return {f"h{host}.test": self._answer for host in range(self.hosts)}

    async def _answer(self, request: Request) -> Response:
        name = request.path[1:]
        if not name.isdecimal() or self.url(int(name)) != f"http://{request.host}{request.path}":
            return not_found(request)
        self._under_way[request.host] += 1
        self.at_once[request.host] = max(self.at_once[request.host], self._under_way[request.host])
        try:
            while not self._is_opened:
                await asyncio.sleep(0.05)
                self._is_opened = self.is_open()
            while self._answers >= self.most_answers:
                await asyncio.sleep(0.05)
            self._answers += 1
            await asyncio.sleep(self.delay_s)
        finally:
            self._under_way[request.host] -= 1
        n = int(name)
        links = [f"{self.url(each)} {QUERY} {each}" for each in self.linked(n)]
        return page(*links, text=f"{QUERY} number {n}", title=f"page {n}")


@dataclass
class Fleet:
    """Workers of one crawl; each is a process ``scrapy crawl``."""

    proxy: LoopbackProxy
    server: RedisServer
    folder: Path
    processes: list[processes.Process] = field(default_factory=list)

    def start(
        self,
        count: int,
        options: Mapping[str, object],
        command: Sequence[str] = ("crawl", "evospider"),
        **settings: object,
    ) -> None:
        """Start `count` more workers, with evocrawl's `options` and Scrapy's `settings`."""
        for _ in range(count):
            number = len(self.processes)
            given = {"query": QUERY, "store": self.server.url, **options}
            given["stats_file"] = self.folder / f"stats-{number}"
            merged: dict[str, object] = {
                **FAST, "CONCURRENT_REQUESTS_PER_DOMAIN": 1, "LOG_FILE": self.log_of(number),
                **settings, **{f"EVOCRAWL_{name.upper()}": given[name] for name in given},
            }  # fmt: skip
            feed = self.folder / f"items-{number}.jsonl"
            line = [*command, "-O", str(feed)]
            line += [part for name in merged for part in ("-s", f"{name}={_text(merged[name])}")]
            environment = {**os.environ, "http_proxy": self.proxy.url, "PYTHONPATH": str(ROOT)}
            self.processes.append(
                processes.start(
                    "scrapy",
                    line,
                    cwd=HERE if command[0] == "runspider" else ROOT,
                    environment=environment,
                    output=self.folder / f"out-{number}",
                )
            )

    def wait(self, timeout_s: float = 600) -> list[int]:
        """Wait for all; return their exit codes."""
        return [process.wait(timeout=timeout_s) for process in self.processes]

    def joined(self) -> int:
        """Return how many workers have joined the crawl and are alive, or were a moment ago."""
        with self.server.client() as client:
            return int(client.hlen("evocrawl:{evocrawl}:workers"))

    def wait_for_requests(self, count: int) -> None:
        """Wait until the server has had so many requests for pages."""
        self.server.wait_for(lambda: self.asked().total() >= count or None)

    def asked(self) -> Counter[str]:
        """Return how often each page was requested."""
        return Counter(
            f"http://{each.host}{each.path}"
            for each in list(self.proxy.log)
            if each.path != "/robots.txt"
        )

    def items(self) -> list[dict[str, Any]]:
        """Return the items in the feeds of all workers."""
        feeds = sorted(self.folder.glob("items-*.jsonl"))
        return [json.loads(line) for feed in feeds for line in feed.read_text().splitlines()]

    def log_of(self, number: int) -> Path:
        return self.folder / f"log-{number}"

    def log(self) -> str:
        """Return the logs of all workers."""
        return "\n".join(path.read_text() for path in sorted(self.folder.glob("log-*")))

    def stats(self, number: int) -> dict[str, Any]:
        return dict(json.loads((self.folder / f"stats-{number}").read_text()))

    def recorded(self) -> Counter[str]:
        """Return the URLs of all records in Redis."""
        with self.server.client() as client:
            rows = [
                row for key in client.scan_iter("*:pages:*", count=1000)
                for row in client.hvals(key)
            ]  # fmt: skip
        return Counter(json.loads(row)["url"] for row in rows)

    def stop(self) -> None:
        """End the workers that still run."""
        for process in self.processes:
            process.kill()
            process.wait()


def _text(value: object) -> str:
    return json.dumps(value) if isinstance(value, dict | list) else str(value)


def check_whole(fleet: Fleet, web: ManyHosts, twice: Collection[str] = ()) -> None:
    """Check that each page is recorded once, `twice` twice, and hosts had one request at once."""
    everything = {web.url(n) for n in range(web.pages)}
    recorded = fleet.recorded()
    assert set(recorded) == everything
    assert {url for url, times in recorded.items() if times != 1} == set(twice)
    assert {recorded[url] for url in twice} <= {2}
    assert set(web.at_once.values()) == {1}


def repeats(asked: Iterable[int]) -> int:
    """Return the number of requests beyond the first for each page."""
    return sum(times - 1 for times in asked)


Start = Callable[..., Fleet]
"""Begins a fleet without workers; see the fixture `fleet_for`."""


def options(web: ManyHosts, **more: object) -> dict[str, object]:
    """Return the arguments of a worker that crawls `web` without a limit."""
    return {"seeds": web.url(0), "max_requests": 0, **more}
