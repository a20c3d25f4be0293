"""Crawls that are started, get signals, and are examined afterwards."""

from __future__ import annotations

import json
import os
import signal
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import processes
from livecrawl import FAST, ROOT, Crawled
from livecrawl import HERE as LIVE

from evocrawl.simulation.server.proxy import LoopbackProxy

HERE = Path(__file__).parent


@dataclass
class Running:
    """A running crawl, and the files that it writes."""

    process: processes.Process
    directory: Path
    proxy: LoopbackProxy

    def hit(self, after: int, *signals: signal.Signals) -> Running:
        """Send `signals`, one directly after the other, when `after` more requests have come."""
        until = len(self.proxy.log) + after
        while len(self.proxy.log) < until and self.process.poll() is None:
            time.sleep(0.01)
        for each in signals:
            self.process.send_signal(each)
        return self

    def end(self, timeout_s: float = 300) -> Crawled:
        """Wait for the end; return the results."""
        try:
            code = self.process.wait(timeout_s)
        finally:
            self.process.kill()
            self.process.wait()
        stats, pages, log = (self.directory / name for name in ("stats.json", "pages.jsonl", "log"))
        return Crawled(
            json.loads(stats.read_text()) if stats.exists() else {},
            [json.loads(line) for line in pages.read_text().splitlines()] if pages.exists() else [],
            "".join(each.read_text() for each in (log, self.directory / "out") if each.exists()),
            code,
        )


def start(
    proxy: LoopbackProxy,
    directory: Path,
    *,
    command: tuple[str, ...] = ("crawl", "evospider"),
    arguments: Mapping[str, object] | None = None,
    settings: Mapping[str, object] | None = None,
    program: str = "scrapy",
) -> Running:
    """Start ``scrapy`` with a feed, stats and a log in `directory`, through `proxy`.

    `program` is the module that is run as if it were Scrapy.
    """
    directory.mkdir(exist_ok=True)
    for leftover in ("stats.json", "pages.jsonl", "log", "out"):
        (directory / leftover).unlink(missing_ok=True)
    line = [*command, "-O", str(directory / "pages.jsonl")]
    for name, value in (arguments or {}).items():
        line += ["-a", f"{name}={value}"]
    merged = {
        **FAST,
        "EVOCRAWL_STATS_FILE": directory / "stats.json",
        "LOG_FILE": directory / "log",
        **(settings or {}),
    }
    for name, value in merged.items():
        line += ["-s", f"{name}={json.dumps(value) if isinstance(value, dict) else value}"]
    path = os.pathsep.join((str(ROOT), str(HERE), str(LIVE), os.environ.get("PYTHONPATH", "")))
    environment = {**os.environ, "http_proxy": proxy.url, "PYTHONPATH": path}
    environment.pop("SCRAPY_PROJECT", None)
    cwd = ROOT if command[0] == "crawl" else HERE
    process = processes.start(
        program, line, cwd=cwd, environment=environment, output=directory / "out"
    )
    return Running(process, directory, proxy)
