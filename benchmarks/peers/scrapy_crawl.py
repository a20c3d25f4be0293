"""Runs a plain Scrapy spider with Scrapy's own scheduler through a proxy.

    python scrapy_crawl.py JOB.json OUT.json

JOB has `proxy`, `seeds`, `query`, `budget` and `order`: "dfo", Scrapy's default; "bfo", the
settings its FAQ gives for breadth-first; "relevance", with the relevance of the linking
page as priority of a request, the usual focused crawl. The proxy counts the requests.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import scrapy
from peak_memory import peak_rss_bytes
from scrapy.crawler import CrawlerProcess
from scrapy.http import Response

from evocrawl.core.model import Content
from evocrawl.relevance import create

_BFO = {
    "DEPTH_PRIORITY": 1,
    "SCHEDULER_DISK_QUEUE": "scrapy.squeues.PickleFifoDiskQueue",
    "SCHEDULER_MEMORY_QUEUE": "scrapy.squeues.FifoMemoryQueue",
}


class Plain(scrapy.Spider):
    """Follows every link."""

    name = "plain"

    def __init__(self, job: dict[str, Any]) -> None:
        super().__init__()
        self.job = job
        self.model = create("tfidf", job["query"])

    async def start(self) -> AsyncIterator[scrapy.Request]:
        for url in self.job["seeds"]:
            yield self.request(url, 2_000_000)

    def request(self, url: str, priority: int) -> scrapy.Request:
        return scrapy.Request(url, priority=priority, meta={"proxy": self.job["proxy"]})

    def parse(self, response: Response, **_: Any) -> Iterator[scrapy.Request]:
        priority = 0
        if self.job["order"] == "relevance":
            title = response.css("title::text").get("")
            text = response.css("main::text").get("")
            priority = round(1_000_000 * self.model.page(Content(title, text, "en")))
        for link in response.css("a::attr(href)").getall():
            yield self.request(response.urljoin(link), priority)


def main() -> None:
    """Read the job, crawl, write the measurements."""
    job = json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))
    process = CrawlerProcess(
        {
            "CONCURRENT_REQUESTS": 1,
            "DOWNLOAD_DELAY": 0,
            "CLOSESPIDER_PAGECOUNT": job["budget"],
            "RETRY_ENABLED": False,
            "LOG_LEVEL": "ERROR",
            "TELNETCONSOLE_ENABLED": False,
            **(_BFO if job["order"] == "bfo" else {}),
        }
    )
    started_s = time.perf_counter()
    process.crawl(Plain, job=job)
    process.start()
    answer = {
        "seconds": time.perf_counter() - started_s,
        "peak_rss_bytes": peak_rss_bytes(),
    }
    Path(sys.argv[2]).write_text(json.dumps(answer), encoding="utf-8")


if __name__ == "__main__":
    main()
