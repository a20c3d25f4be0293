"""Crawlers that can continue after a kill: evocrawl and others."""

from __future__ import annotations

import json
import os
import sqlite3
import subprocess
import sys
import venv
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from crawled_tree import IN_FLIGHT, SETTINGS, evocrawl

from evocrawl.store.cluster.redis.archive import SharedArchive

CACHE = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "evocrawl-peers"

SPIDER = """
import scrapy

class Tree(scrapy.Spider):
    name = "tree"
    start_urls = ["http://tree.test/0"]

    def parse(self, response):
        yield {"url": response.url}
        yield from response.follow_all(css="a")
"""

HOSTS, LEASE_S = 60, 3
"""Hosts of the web for several workers, and the duration of a lease in seconds."""


@dataclass(frozen=True)
class Crawler:
    """A crawler: its command line for a directory, and the URLs in its record.

    `workers` processes crawl a web of `hosts` hosts at the same time.
    """

    name: str
    line: Callable[[Path], list[str]]
    recorded: Callable[[Path], list[str]]
    python: str = sys.executable
    workers: int = 1
    hosts: int = 1
    settings: Mapping[str, object] = field(default_factory=lambda: SETTINGS)


def with_a_store() -> Crawler:
    """Return evocrawl with a store."""
    return _stored("evocrawl with a store", {})


def with_a_compact_journal() -> Crawler:
    """Return evocrawl with a store whose journal is compact, and a snapshot each 50 visits."""
    return _stored("evocrawl, compact journal", {"journal": "compact", "snapshot_visits": 50})


def _stored(name: str, options: dict[str, object]) -> Crawler:

    def stored(directory: Path) -> list[str]:
        database = sqlite3.connect(directory / "state.sqlite")
        urls = [url for (url,) in database.execute("SELECT url FROM pages")]
        database.close()
        return urls

    return Crawler(
        name, lambda where: evocrawl(f"{where / 'state.sqlite'}", options=options), stored
    )


def of_workers(port: int, workers: int) -> Crawler:
    """Return several workers of evocrawl on a Redis, which divide the requests under way."""

    def store(directory: Path) -> str:
        return f"redis://127.0.0.1:{port}/0?crawl={directory.name.replace('.', '-')}"

    def line(directory: Path) -> list[str]:
        return evocrawl(store(directory), HOSTS, {"lease_s": LEASE_S})

    def recorded(directory: Path) -> list[str]:
        with SharedArchive(store(directory)) as archive:
            return [page.url for page in archive.pages()]

    name = f"evocrawl, {workers} workers on Redis"
    settings = {**SETTINGS, "CONCURRENT_REQUESTS": max(IN_FLIGHT // workers, 1)}
    return Crawler(name, line, recorded, workers=workers, hosts=HOSTS, settings=settings)


def with_jobdir() -> Crawler:
    """Return stock Scrapy; its record is the feed."""

    def line(directory: Path) -> list[str]:
        feed, job = directory / "feed.jsonl", directory / "job"
        return [*_own_spider(directory), "-s", f"JOBDIR={job}", "-o", str(feed)]

    def fed(directory: Path) -> list[str]:
        lines = (directory / "feed.jsonl").read_text().splitlines()
        return [url for each in lines for url in _url_of(each)]

    return Crawler("Scrapy with JOBDIR", line, fed)


def scrapy_redis(port: int) -> Crawler:
    """Return scrapy-redis, set up as in its documentation: scheduler, filter and items in Redis."""
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
        return [*_own_spider(directory), *options]

    def items(_: Path) -> list[str]:
        rows = ask("LRANGE", "tree:items", "0", "-1").splitlines()
        return [url for each in rows for url in _url_of(each)]

    return Crawler("scrapy-redis", line, items, python=_redis_python())


def _own_spider(directory: Path) -> list[str]:
    spider = directory / "tree_spider.py"
    spider.write_text(SPIDER)
    return ["runspider", str(spider)]


def _url_of(line: str) -> list[str]:
    try:
        return [json.loads(line)["url"]]
    except ValueError:
        return []  # cut short by a kill


def _redis_python() -> str:
    place = CACHE / "scrapy-redis"
    python = place / "bin" / "python"
    if not python.exists():
        venv.create(place, with_pip=True)
        wanted = ["scrapy-redis==0.9.1", "Scrapy==2.19.0"]
        subprocess.run([python, "-m", "pip", "install", "--quiet", *wanted], check=True)
    return str(python)
