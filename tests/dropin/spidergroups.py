"""The program that runs a group of cases in one process, with stock Scrapy or with the add-on.

``python -m spidergroups GROUP VARIANT OUTPUT`` writes a JSON object to OUTPUT: the results
of each case, by its name.
"""

from __future__ import annotations

import asyncio
import gc
import importlib
import json
import os
import sys
from collections import Counter
from pathlib import Path
from typing import Any

from itemadapter import ItemAdapter
from scrapy import Spider, signals
from scrapy.core.scraper import Scraper
from scrapy.crawler import AsyncCrawlerRunner, Crawler
from scrapy.utils.log import configure_logging
from scrapy.utils.reactor import install_reactor
from smallspider import Case, kind_of
from twisted.python.failure import Failure

GROUPS = {
    "repeats": ("repeats", "fingerprints"),
    "lists": ("lists",),
    "failures": ("failures", "retries"),
    "waits": ("waits",),
    "documented": ("documented", "feeds"),
    "components": ("components", "signals", "settings"),
}
"""The files of each group: `repeats` is cases_repeats.py."""
SIDE_BY_SIDE = 10
TURN_S = 0.05
IDLE_TURNS = 500
"""Turns of the event loop, of TURN_S or longer, without a response: the crawl hangs.

On a busy machine the turns become longer, and the crawl has more time.
"""
MOST_RESPONSES = 500
"""A crawl with more does not end."""


def cases_of(group: str) -> dict[str, type[Case]]:
    """Return the cases of a group by name."""
    modules = [importlib.import_module(f"cases_{name}") for name in GROUPS[group]]
    return {
        name: each
        for module in modules
        for name, each in vars(module).items()
        if isinstance(each, type)
        and issubclass(each, Case)
        and each.__module__ == module.__name__
        and not name.startswith("_")
    }


class Record:
    """The results of a crawl: items, the number of calls of each function, and how it ended."""

    def __init__(self, crawler: Crawler) -> None:
        self.items: list[str] = []
        self.calls: Counter[str] = Counter()
        self.crawler = crawler
        self.moves = 0
        crawler.signals.connect(self._responded, signals.response_received)
        crawler.signals.connect(self._scraped, signals.item_scraped)

    def _scraped(self, item: Any) -> None:
        self.items.append(json.dumps(ItemAdapter(item).asdict(), sort_keys=True, default=str))

    def _responded(self) -> None:
        self.moves += 1

    def called(self, result: Any, request: Any) -> None:
        """Note that the scraper passes a response or failure to the spider."""
        if not isinstance(result, Failure):
            self.calls[getattr(request.callback, "__name__", "parse")] += 1
        else:
            errback = getattr(request.errback, "__name__", "no errback")
            self.calls[f"{errback}: {kind_of(result)}"] += 1

    def as_json(self) -> dict[str, Any]:
        """Return what is written for the test to read."""
        stats = self.crawler.stats.get_stats() if self.crawler.stats else {}
        return {
            "items": sorted(self.items),
            "calls": dict(sorted(self.calls.items())),
            "reason": stats.get("finish_reason", "does not end"),
            "requests": stats.get("downloader/request_count", 0),
            "seconds": stats.get("elapsed_time_seconds", 0),
        }


def _joined(runs: list[dict[str, Any]]) -> dict[str, Any]:
    """Return the joined results of the runs of one crawl; its end is that of the last run."""
    calls: Counter[str] = Counter()
    for each in runs:
        calls.update(each["calls"])
    items = sorted(item for each in runs for item in each["items"])
    return {**runs[-1], "items": items, "calls": dict(sorted(calls.items()))}


_records: dict[Spider, Record] = {}


def _watch_calls() -> None:
    call_spider = Scraper.call_spider_async

    async def watched(self: Scraper, result: Any, request: Any) -> Any:
        if (record := _records.get(self.crawler.spider)) is not None:
            record.called(result, request)
        return await call_spider(self, result, request)

    Scraper.call_spider_async = watched  # type: ignore[method-assign]


async def _run(runner: AsyncCrawlerRunner, case: type[Case], settings: dict[str, Any]) -> Record:
    crawler = runner.create_crawler(case)
    crawler.settings.setdict(settings, "cmdline")
    record = Record(crawler)

    def opened(spider: Spider) -> None:
        _records[spider] = record

    crawler.signals.connect(opened, signals.spider_opened)
    crawl = asyncio.ensure_future(runner.crawl(crawler))
    idle, moves = 0, -1
    while not crawl.done() and idle < IDLE_TURNS and moves < MOST_RESPONSES:
        await asyncio.wait({crawl}, timeout=TURN_S)
        idle = 0 if record.moves > moves else idle + 1
        moves = record.moves
    if crawl.done():
        if (error := crawl.exception()) is not None:
            record.calls[f"does not start: {type(error).__name__}"] += 1
    else:
        asyncio.ensure_future(crawler.stop_async())  # noqa: RUF006 - nothing waits for its end
        record.calls["does not end"] += 1
    return record


async def _run_all(group: str, variant: str) -> dict[str, Any]:
    addons = {"evocrawl.Addon": 300} if variant == "addon" else {}
    runner = AsyncCrawlerRunner({"ADDONS": addons, "LOG_LEVEL": "INFO"})
    gate = asyncio.Semaphore(SIDE_BY_SIDE)

    async def one(case: type[Case]) -> dict[str, Any]:
        async with gate:
            return _joined([(await _run(runner, case, each)).as_json() for each in case.runs])

    cases = cases_of(group)
    left = await asyncio.gather(*(one(case) for case in cases.values()))
    return dict(zip(cases, left, strict=True))


def main(group: str, variant: str, output: str) -> None:
    """Run the group, write its results, and end even if a crawl does not."""
    # The garbage is left: to collect it, as each crawl does at its start, visits all other crawls.
    gc.disable()
    gc.collect = lambda *_: 0
    configure_logging({"LOG_LEVEL": "INFO"})
    install_reactor("twisted.internet.asyncioreactor.AsyncioSelectorReactor")
    from twisted.internet import reactor

    _watch_calls()

    async def run() -> None:
        try:
            left = await _run_all(group, variant)
            Path(output).write_text(json.dumps(left))
        finally:
            reactor.stop()

    reactor.callWhenRunning(lambda: asyncio.ensure_future(run()))
    reactor.run(installSignalHandlers=False)
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(0)


if __name__ == "__main__":
    main(*sys.argv[1:])
