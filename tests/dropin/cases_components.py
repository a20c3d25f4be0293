"""Spiders with components of their own: middlewares, pipelines, extensions, signals, settings."""

from __future__ import annotations

import asyncio
import dataclasses
import gzip
import json
import os
from collections import Counter
from pathlib import Path

from itemadapter import ItemAdapter
from scrapy import Request, signals
from scrapy.exceptions import CloseSpider, DropItem
from scrapy.http import HtmlResponse, TextResponse
from smallspider import Small, html, number, numbered, path_of, prose

from evocrawl.simulation.server.proxy import Response

HERE = Path(os.environ.get("DROPIN_DIR", "."))


class _Tree(Small):
    """A front page with ten links, each with a link to a child and to the front page."""

    @staticmethod
    def answer(request, times):
        if request.path == "/":
            return html(prose("front"), *numbered("/p/", 10))
        return html(prose(request.path), "/", f"{request.path}/child")

    def parse(self, response):
        yield {"path": path_of(response)}
        if response.meta.get("depth", 0) < 2:
            yield from response.follow_all(css="a")


class Plain(_Tree):
    """Nothing but links and items."""


class Answering:
    """Downloader middleware that answers by itself."""

    def process_request(self, request):
        if "/p/" not in request.url:
            return None
        if request.url.endswith("/p/1"):
            return HtmlResponse(request.url, 404, body=b"gone", request=request)
        return HtmlResponse(
            request.url, body=b'<p>of the cache</p><a href="/n">n</a>', request=request
        )


class AnsweredByAMiddleware(_Tree):
    """Responses that never were on the wire are as good as others."""

    settings = {"DOWNLOADER_MIDDLEWARES": {Answering: 543}}


class Changing:
    """Downloader middleware that changes what came, and asks once more for some pages."""

    def process_response(self, request, response):
        if request.url.endswith("/p/3") and not request.meta.get("again"):
            return request.replace(
                url=request.url + "?again", meta={**request.meta, "again": True}, dont_filter=True
            )
        if isinstance(response, TextResponse):
            body = response.text.replace("/child", "/grandchild").encode()
            return response.replace(body=body, encoding="utf-8")
        return response


class ChangedByAMiddleware(_Tree):
    """The callback sees what the middleware made of the page."""

    settings = {"DOWNLOADER_MIDDLEWARES": {Changing: 560}}


class Rescuing:
    """Downloader middleware that answers in place of a failure."""

    def process_exception(self, request, exception):
        return TextResponse(request.url, body=b"rescued", request=request)

    def process_request(self, request):
        if request.url.endswith(("/p/1", "/p/2")):
            raise ConnectionError("on purpose")


class RescuedByAMiddleware(_Tree):
    """A failure that a middleware turns into an answer reaches the callback."""

    settings = {"DOWNLOADER_MIDDLEWARES": {Rescuing: 950}}

    def parse(self, response):
        yield {"path": path_of(response), "rescued": response.body == b"rescued"}
        if path_of(response) == "/":
            yield from response.follow_all(css="a")


class DroppingAndAdding:
    """Spider middleware that drops some requests and items and adds others."""

    async def process_spider_output(self, response, result):
        async for each in result:
            if isinstance(each, Request):
                if not each.url.endswith("/child"):
                    yield each
            elif each["path"] != "/p/1":
                yield each
                yield {"path": each["path"], "added": True}
        if response.url.endswith("/p/2"):
            yield Request(response.urljoin("/added"))


class SpiderMiddleware(_Tree):
    """What a spider middleware drops is gone, what it adds is there."""

    settings = {"SPIDER_MIDDLEWARES": {DroppingAndAdding: 543}}


class SpiderMiddlewareOutermost(_Tree):
    """The same, nearer the engine than any other."""

    settings = {"SPIDER_MIDDLEWARES": {DroppingAndAdding: 1}}


class Starting:
    """Spider middleware that adds to start() and refuses some input."""

    async def process_start(self, start):
        async for each in start:
            yield each
        yield Request("http://spidermiddlewareatstart.test/extra")

    def process_spider_input(self, response):
        if response.url.endswith("/p/4"):
            raise ValueError("not this one")

    def process_spider_exception(self, response, exception):
        return [{"path": response.url[-4:], "exception": type(exception).__name__}]


class SpiderMiddlewareAtStart(_Tree):
    """process_start, process_spider_input and process_spider_exception work."""

    settings = {"SPIDER_MIDDLEWARES": {Starting: 543}}

    def parse(self, response):
        yield from super().parse(response)
        if path_of(response) == "/p/5":
            raise KeyError("on purpose")


class Picky:
    """Pipeline that drops, raises, converts and passes."""

    def process_item(self, item):
        n = ItemAdapter(item).get("n")
        if n == 1:
            raise DropItem("not this one")
        if n == 2:
            raise RuntimeError("the database is down")
        return ItemAdapter(item).asdict() if n == 3 else item


@dataclasses.dataclass
class _Numbered:
    n: int


class OwnPipeline(_Tree):
    """A project's pipeline decides what is exported, and nothing else."""

    settings = {"ITEM_PIPELINES": {Picky: 50}}

    def parse(self, response):
        yield from response.follow_all(css="a", callback=self.numbered)

    def numbered(self, response):
        n = number(path_of(response))
        yield _Numbered(n) if n % 2 else {"n": n}
        yield response.follow(path_of(response) + "/child", self.parse_item)


class OwnPipelineLast(OwnPipeline):
    """The same, after all others."""

    settings = {"ITEM_PIPELINES": {Picky: 995}}


class Counting:
    """Extension that counts by signals and says so in the stats."""

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


class Signals(_Tree):
    """An extension sees each signal as often as with stock Scrapy."""

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
        # The last answer's own signals come when they come.
        yield {"counts": {name: n for name, n in counts.items() if "request" not in name}}


class RequestSignals(_Tree):
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
    """Scrapy's scheduler counts, and has a length."""

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


class ClosedBySignal(_Tree):
    """closed() is called with the reason, and CLOSESPIDER_ITEMCOUNT gives it."""

    settings = {"CLOSESPIDER_ITEMCOUNT": 1, "CONCURRENT_REQUESTS": 1}

    def parse(self, response):
        yield {"first": 1}


class ClosedByTheItem(_Tree):
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


class ClosedAtAFailure(_Tree):
    """CLOSESPIDER_ERRORCOUNT ends the crawl."""

    settings = {"CLOSESPIDER_ERRORCOUNT": 1}

    def parse(self, response):
        raise CloseSpiderLike("a fault of the spider")


class CloseSpiderLike(Exception):  # noqa: N818 - named after what it is not
    """No CloseSpider."""


class ClosedByAPipeline(_Tree):
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


class CachedPages(_Tree):
    """HTTPCACHE_ENABLED."""

    settings = {
        "HTTPCACHE_ENABLED": True,
        "HTTPCACHE_DIR": str(HERE / "cache"),
        "HTTPCACHE_IGNORE_HTTP_CODES": [500],
    }

    def parse(self, response):
        yield {"path": path_of(response), "cached": "cached" in response.flags}
        if path_of(response) == "/":
            yield from response.follow_all(css="a")
        elif path_of(response) == "/p/1" and "cached" not in response.flags:
            yield response.follow("/p/1", dont_filter=True)


class Throttled(_Tree):
    """AUTOTHROTTLE_ENABLED."""

    settings = {"AUTOTHROTTLE_ENABLED": True, "AUTOTHROTTLE_START_DELAY": 0.01}


class Slots(_Tree):
    """Requests with download_slot of their own, and DOWNLOAD_SLOTS."""

    settings = {"DOWNLOAD_SLOTS": {"s1": {"concurrency": 1, "delay": 0.01}}}

    def parse(self, response):
        for k in range(10):
            meta = {"download_slot": f"s{k % 3}"}
            yield response.follow(f"/p/{k}", self.in_slot, meta=meta)

    def in_slot(self, response):
        slot = response.meta["download_slot"]
        yield {"slot": slot, "known": slot in self.crawler.engine.downloader.slots}


class DepthFirst(_Tree):
    """Queues of the project's own choice: nothing is lost by them."""

    settings = {
        "DEPTH_PRIORITY": 1,
        "SCHEDULER_DISK_QUEUE": "scrapy.squeues.PickleFifoDiskQueue",
        "SCHEDULER_MEMORY_QUEUE": "scrapy.squeues.FifoMemoryQueue",
        "SCHEDULER_PRIORITY_QUEUE": "scrapy.pqueues.ScrapyPriorityQueue",
    }


class OwnRequest(Request):
    """A request class of the project's own."""

    attributes = (*Request.attributes, "kind")

    def __init__(self, *args, kind="", **kwargs):
        super().__init__(*args, **kwargs)
        self.kind = kind


class OwnRequests(_Tree):
    """Requests of a class of one's own reach the callback as they were."""

    def parse(self, response):
        for kind in ("book", "author"):
            yield OwnRequest(self.at(f"/{kind}"), self.own, kind=kind)

    def own(self, response):
        yield {"kind": response.request.kind, "class": type(response.request).__name__}


class NoCookies(_Tree):
    """COOKIES_ENABLED off; dont_merge_cookies; a cookie header by hand."""

    @staticmethod
    def answer(request, times):
        body = html(request.headers.get("cookie", "none")).encode()
        head = {"set-cookie": "k=v; Path=/"} if request.path == "/" else {}
        return Response(200, body, head)

    def parse(self, response):
        yield {"cookie": response.css("p::text").get()}
        if path_of(response) == "/":
            yield response.follow("/a")
            yield response.follow("/b", meta={"dont_merge_cookies": True})
            yield response.follow("/c", cookies={"own": "1"}, meta={"cookiejar": "own"})


class Compressed(_Tree):
    """gzip, a text in Latin-1, a redirect by a meta element."""

    @staticmethod
    def answer(request, times):
        if request.path == "/":
            body = gzip.compress(html("front", "/latin", "/refresh").encode())
            return Response(200, body, {"content-encoding": "gzip"})
        if request.path == "/latin":
            head = {"content-type": "text/html; charset=latin-1"}
            return Response(200, "<p>Präriehund</p>".encode("latin-1"), head)
        if request.path == "/refresh":
            return "<meta http-equiv=refresh content='0;url=/moved'>"
        return html(prose(request.path))

    def parse(self, response):
        yield {"path": path_of(response), "text": response.css("p::text").get()}
        if path_of(response) == "/":
            yield from response.follow_all(css="a")


class Exported(_Tree):
    """A feed of the project's own holds the items."""

    settings = {
        "FEEDS": {HERE / "exported.jsonl": {"format": "jsonlines", "fields": ["path"]}},
    }

    @classmethod
    def from_crawler(cls, crawler, *args, **kwargs):
        spider = super().from_crawler(crawler, *args, **kwargs)
        crawler.signals.connect(spider.exported, signals.feed_exporter_closed)
        return spider

    def exported(self):
        lines = (HERE / "exported.jsonl").read_text().splitlines()
        count = len({json.loads(line)["path"] for line in lines})
        self.crawler.signals.send_catch_log(signals.item_scraped, item={"exported": count})


class OnDisk(_Tree):
    """A JOBDIR for one run."""

    settings = {"JOBDIR": str(HERE / "job")}


class Busy(_Tree):
    """Three hundred links at a concurrency of one, of which each second is a duplicate."""

    settings = {"CONCURRENT_REQUESTS": 1, "CONCURRENT_REQUESTS_PER_DOMAIN": 1}

    def parse(self, response):
        for k in range(100):
            yield response.follow(f"/p/{k % 50}", self.parse_item, priority=k)
