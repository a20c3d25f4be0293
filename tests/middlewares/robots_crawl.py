"""A process that crawls lists of URLs: a job (JSON) a line on stdin, its result a line on stdout.

A job has: urls, settings, meta (of each request), allowed_domains, budget (how many requests a
counter nearest to the downloader lets out; None: all), stock (use Scrapy's own middleware), ask
("each": request each URL once `is_open` says so; "leave": ask once for
every URL, make no request and end as soon as every robots.txt has been asked for; "": do not ask),
arrived (a URL that is fetched when every request waits at the gate; "": none).
"""

from __future__ import annotations

import asyncio
import json
import logging
import sys
from collections.abc import AsyncIterator
from typing import Any
from urllib.request import urlopen

import scrapy
from scrapy.crawler import AsyncCrawlerRunner, Crawler
from scrapy.exceptions import IgnoreRequest
from scrapy.http import Response
from scrapy.utils.asyncio import run_in_thread
from scrapy.utils.reactor import install_reactor
from twisted.python.failure import Failure
from twisted.python.log import PythonLoggingObserver

from evocrawl.adapter.meta import REFUSED
from evocrawl.adapter.robots.directory import RobotsDirectory
from evocrawl.middlewares.robots import RobotsMiddleware

STOCK = "scrapy.downloadermiddlewares.robotstxt.RobotsTxtMiddleware"
COUNTER_PRIORITY = 10_000


class Problems(logging.Handler):
    """Keeps every message of level ERROR."""

    def __init__(self) -> None:
        super().__init__(logging.ERROR)
        self.messages: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.messages.append(self.format(record))


class Counter:
    """The innermost middleware: counts the requests that are sent and stops them at the budget."""

    def __init__(self, crawler: Crawler) -> None:
        self._crawler = crawler

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Counter:
        return cls(crawler)

    def process_request(self, request: scrapy.Request) -> None:
        spider = self._crawler.spider
        assert isinstance(spider, ListSpider)
        if (
            spider.job["budget"] is not None
            and len(spider.result["counted"]) >= spider.job["budget"]
        ):
            raise IgnoreRequest("budget")
        spider.result["counted"].append(request.url)


class Arrivals:
    """The middleware before the gate: fetches a URL once every request has reached it."""

    def __init__(self, crawler: Crawler) -> None:
        self._crawler = crawler
        self._arrived = 0

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Arrivals:
        return cls(crawler)

    async def process_request(self, request: scrapy.Request) -> None:
        spider = self._crawler.spider
        assert isinstance(spider, ListSpider)
        self._arrived += request.url in spider.job["urls"]
        if spider.job["arrived"] and self._arrived == len(spider.job["urls"]):
            await run_in_thread(urlopen, spider.job["arrived"])


class ListSpider(scrapy.Spider):
    """Requests the URLs of its job and records the results."""

    name = "list"

    def __init__(self, job: dict[str, Any], result: dict[str, Any]) -> None:
        super().__init__(allowed_domains=job["allowed_domains"])
        self.job = job
        self.result = result

    async def start(self) -> AsyncIterator[scrapy.Request]:
        waiting = list(self.job["urls"])
        gate = RobotsDirectory.of(self.crawler)
        if gate is not None:
            gate.on_known.append(self.result["known"].append)
        while waiting:
            if self.job["ask"]:
                assert gate is not None
                closed = [url for url in waiting if not gate.is_open(url)]
            else:
                closed = []
            for url in waiting:
                if url not in closed:
                    yield scrapy.Request(
                        url,
                        self.parse,
                        errback=self.failed,
                        dont_filter=True,
                        meta=self.job["meta"],
                    )
            waiting = closed
            if self.job["ask"] == "leave" and len(self.result["counted"]) == len(waiting):
                return
            await asyncio.sleep(0.01)

    def parse(self, response: Response) -> None:
        assert response.request is not None
        assert self.crawler.engine is not None
        self.result["pages"].append(response.request.url)
        for key, slot in self.crawler.engine.downloader.slots.items():
            self.result["delays"][key] = [slot.delay, slot.jitter]

    def failed(self, failure: Failure) -> None:
        request: scrapy.Request = failure.request
        self.result["failures"][request.url] = str(failure.value)
        if request.meta.get(REFUSED):
            self.result["refusals"].append(request.url)


def settings_of(job: dict[str, Any]) -> dict[str, Any]:
    around = {Arrivals: 99, Counter: COUNTER_PRIORITY}
    ours = {STOCK: None, RobotsMiddleware: 100}
    return {
        "ROBOTSTXT_OBEY": True,
        "USER_AGENT": "evocrawl/0.1 (test)",
        "TELNETCONSOLE_ENABLED": False,
        "CONCURRENT_REQUESTS_PER_DOMAIN": 16,
        "RETRY_ENABLED": False,
        "EVOCRAWL_QUERY": "anything",
        "EVOCRAWL_ROBOTS_RETRY_S": 0.05,
        "DOWNLOADER_MIDDLEWARES": around if job["stock"] else around | ours,
    } | job["settings"]


async def run(job: dict[str, Any]) -> dict[str, Any]:
    problems = Problems()
    logging.getLogger().addHandler(problems)
    result: dict[str, Any] = {name: [] for name in ("pages", "refusals", "known", "counted")}
    result |= {"failures": {}, "delays": {}, "problems": problems.messages}
    runner = AsyncCrawlerRunner(settings_of(job))
    crawler = runner.create_crawler(ListSpider)
    try:
        await runner.crawl(crawler, job=job, result=result)
    finally:
        logging.getLogger().removeHandler(problems)
    assert crawler.stats is not None
    stats = crawler.stats.get_stats()
    result["stats"] = {k: v for k, v in stats.items() if isinstance(v, int | float | str)}
    return result


async def serve() -> None:
    from twisted.internet import reactor

    while line := await run_in_thread(sys.stdin.readline):
        print(json.dumps(await run(json.loads(line))), flush=True)
    reactor.stop()


if __name__ == "__main__":
    install_reactor("twisted.internet.asyncioreactor.AsyncioSelectorReactor")
    from twisted.internet import reactor
    from twisted.internet.defer import Deferred

    PythonLoggingObserver("twisted").start()
    reactor.callWhenRunning(lambda: Deferred.fromFuture(asyncio.ensure_future(serve())))
    reactor.run()
