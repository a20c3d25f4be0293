"""Runs one crawl for the program that started this process: `python -m evocrawl.adapter.hosted`.

The first line of standard input is the job: a JSON object with `arguments` of the spider, Scrapy's
`settings`, `path` (more folders to import modules from) and `pages_ahead`. Messages go to standard
output (see `evocrawl.adapter.hosted.host`); what the crawl logs or prints goes to standard error.
"""

from __future__ import annotations

import json
import os
import sys
from typing import Any

# Its modules read the call stack when they are imported, which takes 0.5 s in a deep stack.
import scrapy.core.downloader.contextfactory  # noqa: F401
from scrapy.crawler import AsyncCrawlerProcess
from scrapy.settings import Settings

from evocrawl.adapter import log_records
from evocrawl.adapter.hosted.host import CrawlHost, PageOutlet, error_message, hosts
from evocrawl.core.errors import EvocrawlError

_SPIDER = "evospider"
_OUTLET_ORDER = 980
"""Before RewardPipeline: a visit is settled only after its page is sent."""


def main() -> int:
    """Run the crawl; return 0 if it has run to an end, 1 otherwise."""
    messages = os.dup(1)
    os.dup2(2, 1)
    job = json.loads(_first_line(0))
    sys.path[:] = [*sys.path, *(each for each in job["path"] if each not in sys.path)]
    try:
        _crawl(job, messages)
    except EvocrawlError as error:
        _write(messages, error_message(error))
        return 1
    except Exception as error:
        _write(messages, error_message(error))
        raise
    return 0


def _crawl(job: dict[str, Any], messages: int) -> None:
    log_records.install()
    process = AsyncCrawlerProcess(_settings(job["settings"]))
    crawler = process.create_crawler(_SPIDER)
    hosts[crawler] = CrawlHost(crawler, messages, job["pages_ahead"])
    task = process.crawl(crawler, **job["arguments"])
    process.start()
    error = None if not task.done() or task.cancelled() else task.exception()
    if error is not None:
        raise error


def _settings(given: dict[str, Any]) -> Settings:
    settings = Settings()
    settings.setmodule("evocrawl.adapter.settings", "project")
    settings.update(given, "cmdline")
    parts = {"EXTENSIONS": (CrawlHost, 0), "ITEM_PIPELINES": (PageOutlet, _OUTLET_ORDER)}
    for name, (part, order) in parts.items():
        settings.set(name, {**settings.getdict(name), part: order}, "cmdline")
    return settings


def _first_line(descriptor: int) -> bytes:
    """Read up to the first line feed and not a byte more: commands follow it."""
    with os.fdopen(os.dup(descriptor), "rb", buffering=0) as raw:
        return raw.readline()


def _write(descriptor: int, message: bytes) -> None:
    os.set_blocking(descriptor, True)
    try:
        while message:
            message = message[os.write(descriptor, message) :]
    except BrokenPipeError:
        pass  # the program no longer reads


if __name__ == "__main__":
    sys.exit(main())
