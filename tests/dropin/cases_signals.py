"""Spiders that listen to signals or close their crawl."""

from __future__ import annotations

import asyncio
from collections import Counter

from scrapy import Request, signals
from scrapy.downloadermiddlewares.retry import get_retry_request
from scrapy.exceptions import CloseSpider
from smallspider import path_of
from treecase import Picky, Tree


class Counting:
    """Extension that counts signals in the stats."""

    @classmethod
    def from_crawler(cls, crawler):
        extension = cls()
        extension.counts = Counter()
        extension.crawler = crawler
        extension.handlers = []
        for name in (
            "item_scraped", "item_dropped", "spider_error", "response_received", "spider_opened",
            "request_reached_downloader", "request_left_downloader", "bytes_received",
        ):  # fmt: skip
            handler = extension.handler(name)
            extension.handlers.append(handler)
            crawler.signals.connect(handler, getattr(signals, name))
        return extension

    def handler(self, name):
        def count(request=None, response=None):
            url = getattr(request or response, "url", "")
            if not url.endswith("robots.txt"):
                self.counts[name] += 1

        return count


class Signals(Tree):
    """An extension gets each signal as often as with stock Scrapy."""

    settings = {"EXTENSIONS": {Counting: 500}, "ITEM_PIPELINES": {Picky: 500}}

    @classmethod
    def from_crawler(cls, crawler, *args, **kwargs):
        spider = super().from_crawler(crawler, *args, **kwargs)
        spider.waits = True
        crawler.signals.connect(spider.idle, signals.spider_idle)
        return spider

    def idle(self):
        if self.waits:
            self.waits = False
            self.crawler.engine.crawl(Request(self.at("/last"), self.last))

    def last(self, response):
        counts = self.crawler.get_extension(Counting).counts
        assert counts.pop("bytes_received") > 0
        # The order of the last response's signals is not fixed.
        yield {"counts": {name: n for name, n in counts.items() if "request" not in name}}


class RequestSignals(Tree):
    """request_scheduled and request_dropped are sent for each request."""

    @classmethod
    def from_crawler(cls, crawler, *args, **kwargs):
        spider = super().from_crawler(crawler, *args, **kwargs)
        spider.counts = Counter()
        crawler.signals.connect(spider.scheduled, signals.request_scheduled)
        crawler.signals.connect(spider.dropped, signals.request_dropped)
        crawler.signals.connect(spider.idle, signals.spider_idle)
        return spider

    def scheduled(self, request):
        self.counts["scheduled"] += 1

    def dropped(self, request):
        self.counts["dropped"] += 1

    def idle(self):
        if "refused_once" not in self.counts:
            counts = dict(self.counts)
            self.counts["refused_once"] = 1
            request = Request(self.at("/last"), self.last, cb_kwargs=counts)
            self.crawler.engine.crawl(request)

    def last(self, response, **counts):
        yield counts


class SchedulerStats(RequestSignals):
    """Scrapy's scheduler counts, and has a length; a page that is retried by hand counts again."""

    def parse(self, response):
        if path_of(response) == "/p/1" and "retry_times" not in response.meta:
            yield get_retry_request(response.request, spider=self)
        yield from super().parse(response)

    def idle(self):
        if not self.counts["refused_once"]:
            self.counts["refused_once"] = 1
            stats = self.crawler.stats
            counts = {
                name: stats.get_value(name)
                for name in (
                    "scheduler/enqueued", "scheduler/dequeued", "dupefilter/filtered",
                    "item_scraped_count", "request_depth_max",
                )
            }  # fmt: skip
            counts["waiting"] = len(self.crawler.engine._slot.scheduler)
            request = Request(self.at("/last"), self.last, cb_kwargs={"counts": counts})
            self.crawler.engine.crawl(request)

    def last(self, response, counts):
        yield counts


class ClosedBySignal(Tree):
    """closed() is called with the reason, and CLOSESPIDER_ITEMCOUNT gives it."""

    settings = {"CLOSESPIDER_ITEMCOUNT": 1, "CONCURRENT_REQUESTS": 1}

    def parse(self, response):
        yield {"first": 1}


class ClosedByTheItem(Tree):
    """A handler of item_scraped closes the crawl."""

    @classmethod
    def from_crawler(cls, crawler, *args, **kwargs):
        spider = super().from_crawler(crawler, *args, **kwargs)
        crawler.signals.connect(spider.scraped, signals.item_scraped)
        return spider

    def parse(self, response):
        yield {"only": 1}

    def scraped(self, item):
        closing = self.crawler.engine.close_spider_async(reason="enough items")
        self.closing = asyncio.ensure_future(closing)


class ClosedAtAFailure(Tree):
    """CLOSESPIDER_ERRORCOUNT ends the crawl."""

    settings = {"CLOSESPIDER_ERRORCOUNT": 1}

    def parse(self, response):
        raise CloseSpiderLike("a fault of the spider")


class CloseSpiderLike(Exception):  # noqa: N818 - named after what it is not
    """An exception that is no CloseSpider."""


class ClosedByAPipeline(Tree):
    """A pipeline that ends the crawl by the engine."""

    class Ending:
        @classmethod
        def from_crawler(cls, crawler):
            pipeline = cls()
            pipeline.crawler = crawler
            return pipeline

        async def process_item(self, item):
            self.crawler.engine.spider.ends = True
            return item

    settings = {"ITEM_PIPELINES": {Ending: 500}}
    ends = False

    def parse(self, response):
        if path_of(response) != "/":
            raise CloseSpider("the pipeline said so" if self.ends else "too early")
        yield {"path": "/"}
        yield response.follow("/p/0")
