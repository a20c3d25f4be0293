"""Crawls that really run: `scrapy` in a process of its own against a web served on loopback."""

from __future__ import annotations

import json
import os
import signal
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from certificates import Certificate
from livecrawl import FAST, HERE, ROOT, Crawl, Crawled
from processes import start
from redisserver import RedisServer
from workers import Fleet, ManyHosts, Start

from evocrawl.simulation.server.proxy import LoopbackProxy, Site


@pytest.fixture
def serve() -> Iterator[Callable[[Mapping[str, Site]], LoopbackProxy]]:
    """Serve sites by host name until the test is over."""
    running: list[LoopbackProxy] = []

    def start(sites: Mapping[str, Site], **options: Any) -> LoopbackProxy:
        proxy = LoopbackProxy(sites, **options)
        proxy.__enter__()
        running.append(proxy)
        return proxy

    yield start
    for proxy in running:
        proxy.__exit__(None, None, None)


@pytest.fixture
def fleet_for(serve, tmp_path: Path) -> Iterator[Start]:
    """Return a function that makes a fleet without workers, with its own Redis and web."""
    fleets: list[Fleet] = []

    def begin(web: ManyHosts, certificate: Certificate | None = None) -> Fleet:
        server = RedisServer(tmp_path, certificate=certificate)
        server.start()
        fleets.append(Fleet(serve(web.sites()), server, tmp_path))
        return fleets[-1]

    yield begin
    for fleet in fleets:
        fleet.stop()
        fleet.server.stop(signal.SIGKILL)


def read_items(feed: Path) -> list[dict[str, Any]]:
    """Return the items of a feed, without a line that a kill has cut."""
    whole, _, _ = feed.read_text().rpartition("\n")
    return [json.loads(each) for each in whole.splitlines()]


@pytest.fixture
def crawl(tmp_path: Path) -> Crawl:
    """Run ``scrapy crawl`` (or another command) through a proxy and return its results."""

    def run(
        proxy: LoopbackProxy,
        *,
        command: tuple[str, ...] = ("crawl", "evospider"),
        arguments: Mapping[str, object] | None = None,
        settings: Mapping[str, object] | None = None,
        cwd: Path = ROOT,
        interrupt_at: int = 0,
        by: signal.Signals = signal.SIGINT,
        timeout_s: float = 300,
        hash_seed: int | None = None,
    ) -> Crawled:
        left = [tmp_path / name for name in ("pages.jsonl", "stats.json", "log", "out")]
        for leftover in left:
            leftover.unlink(missing_ok=True)
        pages, stats, log, out = left
        line = list(command)
        for name, value in (arguments or {}).items():
            line += ["-a", f"{name}={value}"]
        merged = {**FAST, "EVOCRAWL_STATS_FILE": stats, "LOG_FILE": log, **(settings or {})}
        for name, value in merged.items():
            text = json.dumps(value) if isinstance(value, dict | list) else str(value)
            line += ["-s", f"{name}={text}"]
        path = os.pathsep.join((str(ROOT), str(HERE), os.environ.get("PYTHONPATH", "")))
        environment = {**os.environ, "http_proxy": proxy.url, "PYTHONPATH": path}
        environment.pop("SCRAPY_PROJECT", None)
        process = start(
            "scrapy",
            [*line, "-O", str(pages)],
            cwd=cwd,
            environment=environment,
            output=out,
            strict=True,
            hash_seed=hash_seed,
        )
        if interrupt_at:
            while len(proxy.log) < interrupt_at and process.poll() is None:
                time.sleep(0.02)
            process.send_signal(by)
        try:
            code = process.wait(timeout_s)
        finally:
            process.kill()
        return Crawled(
            json.loads(stats.read_text()) if stats.exists() else {},
            read_items(pages) if pages.exists() else [],
            "".join(each.read_text() for each in (log, out) if each.exists()),
            code,
        )

    return run
