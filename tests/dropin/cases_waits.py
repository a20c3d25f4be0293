"""Spiders that wait: for requests that they yielded, for a download, or until the crawl is idle."""

from __future__ import annotations

import asyncio

from scrapy import Request, signals
from scrapy.exceptions import CloseSpider, DontCloseSpider
from smallspider import Paged, html, number, numbered, path_of, prose


class AwaitsWhatItYielded(Paged):
    """A callback yields a request and awaits the result of its callback."""

    async def parse(self, response):
        found = asyncio.get_running_loop().create_future()
        yield Request(self.at("/inner"), self.inner, cb_kwargs={"found": found})
        yield {"got": await found}

    def inner(self, response, found):
        found.set_result(path_of(response))


class AwaitsWhatAnErrbackFinds(AwaitsWhatItYielded):
    """The same with a request that fails, between items and other requests."""

    @staticmethod
    def answer(request, times):
        return None if request.path == "/inner" else html(prose(request.path))

    async def parse(self, response):
        found = asyncio.get_running_loop().create_future()
        yield {"first": 1}
        yield response.follow("/before", self.parse_item)
        yield Request(
            self.at("/inner"), self.parse_item, errback=lambda failure: found.set_result("failed")
        )
        yield {"got": await found}
        yield response.follow("/after", self.parse_item)


class WorksUntilDone(Paged):
    """A callback yields requests until another callback has had three responses."""

    seen = 0

    async def parse(self, response):
        k = 0
        while self.seen < 3:
            k += 1
            yield Request(self.at(f"/p/{k}"), self.inner)
            while self.seen < min(k, 3):
                await asyncio.sleep(0.01)
        yield {"seen": self.seen}

    def inner(self, response):
        self.seen += 1


class PausesAfterRequests(Paged):
    """Callbacks yield requests, pause for a tenth of a second, and end without another request."""

    async def parse(self, response):
        for path in numbered("/p/", 12):
            yield Request(self.at(path), self.page, dont_filter=True)
        await asyncio.sleep(0.1)

    async def page(self, response):
        yield {"path": path_of(response)}
        yield Request(response.url + "0", self.parse_item, dont_filter=True)
        await asyncio.sleep(0.1)
        yield {"after": path_of(response)}


class DownloadsInACallback(Paged):
    """A callback downloads by itself (the documentation's inline requests)."""

    async def parse(self, response):
        for path in ("/a", "/b"):
            found = await self.crawler.engine.download_async(Request(self.at(path)))
            yield {"path": path_of(found), "words": len(found.css("p::text").get())}
        yield response.follow("/c", self.parse_item)


class DownloadsSideBySide(Paged):
    """A callback downloads several at once, and fails with one."""

    async def parse(self, response):
        wanted = [Request(self.at(path)) for path in numbered("/p/", 4)]
        wanted.append(Request("foo://nothing"))
        engine = self.crawler.engine
        found = await asyncio.gather(
            *(engine.download_async(each) for each in wanted), return_exceptions=True
        )
        for each in found:
            yield {"path": type(each).__name__ if isinstance(each, Exception) else path_of(each)}


class DownloadsInStart(Paged):
    """start() logs in by its own download and then yields what it found."""

    @staticmethod
    def answer(request, times):
        return {"token": "t1"} if request.path == "/token" else html(request.headers.get("x", "-"))

    async def start(self):
        answer = await self.crawler.engine.download_async(Request(self.at("/token")))
        for path in numbered("/p/", 3):
            headers = {"X": answer.json()["token"]}
            yield Request(self.at(path), self.page, headers=headers)

    def page(self, response):
        yield {"path": path_of(response), "says": response.css("p::text").get()}


class StartYieldsItems(Paged):
    """start() yields an item and waits between requests."""

    async def start(self):
        yield {"begun": 1}
        for path in numbered("/p/", 3):
            yield Request(self.at(path), self.parse_item)
            await asyncio.sleep(0.01)


class StartWaitsForTheCrawl(Paged):
    """start() waits until a callback has found the next address."""

    async def start(self):
        self.found = asyncio.get_running_loop().create_future()
        yield Request(self.at("/first"), self.first)
        yield Request(self.at(await self.found), self.parse_item)

    def first(self, response):
        self.found.set_result("/second")


class StartIsLazy(Paged):
    """start() goes on when the scheduler is empty (the documentation's recipe)."""

    async def start(self):
        for path in numbered("/p/", 4):
            while self.crawler.engine.needs_backout():
                await asyncio.sleep(0.01)
            if path != "/p/0":
                await self.crawler.signals.wait_for(signals.scheduler_empty)
            yield Request(self.at(path))

    def parse(self, response):
        yield {"path": path_of(response)}
        yield response.follow(path_of(response) + "/child", self.parse_item)


class CrawlsByTheEngine(Paged):
    """A callback gives requests to the engine."""

    def parse(self, response):
        for path in ("/a", "/b", "/a"):
            self.crawler.engine.crawl(Request(self.at(path), self.parse_item))
        self.crawler.engine.crawl(Request(self.at("/a"), self.parse_item, dont_filter=True))


class FedWhenIdle(Paged):
    """spider_idle adds requests from a queue, three times."""

    @classmethod
    def from_crawler(cls, crawler, *args, **kwargs):
        spider = super().from_crawler(crawler, *args, **kwargs)
        spider.waiting = numbered("/queue/", 3)
        crawler.signals.connect(spider.idle, signals.spider_idle)
        return spider

    def idle(self):
        if self.waiting:
            url = self.at(self.waiting.pop())
            self.crawler.engine.crawl(Request(url, self.parse_item))
            raise DontCloseSpider

    def parse(self, response):
        yield {"path": path_of(response)}


class FedWithTheSame(FedWhenIdle):
    """spider_idle requests one page repeatedly."""

    def idle(self):
        if self.waiting:
            self.waiting.pop()
            self.crawler.engine.crawl(Request(self.at("/"), self.parse_item, dont_filter=True))
            raise DontCloseSpider


class FedFromNothing(FedWhenIdle):
    """A spider without start requests, which gets requests when idle, as from a message queue."""

    async def start(self):
        return
        yield


class ClosedWhenIdle(FedWhenIdle):
    """spider_idle ends the crawl with a reason of the project."""

    def idle(self):
        raise CloseSpider("done well")


class EmptyStart(Paged):
    """A spider that has nothing to do ends."""

    async def start(self):
        return
        yield


class AsyncCallback(Paged):
    """async def without yield returns a list."""

    async def parse(self, response):
        await asyncio.sleep(0)
        return [{"path": path_of(response)}, response.follow("/a", self.parse_item)]


class SlowItems(Paged):
    """All items arrive that a pipeline keeps for some time."""

    class Slow:
        async def process_item(self, item):
            await asyncio.sleep(0.05)
            return item

    settings = {"ITEM_PIPELINES": {Slow: 500}}

    def parse(self, response):
        yield from response.follow_all(numbered("/p/", 8), callback=self.numbered)

    def numbered(self, response):
        yield {"n": number(path_of(response))}
