"""Spiders with custom settings: cache, throttle, slots, order, feeds, queues on disk."""

from __future__ import annotations

import gzip
import json
import os
from pathlib import Path

from scrapy import Request, signals
from scrapy.http import TextResponse
from smallspider import Paged, html, path_of, prose
from treecase import Tree

from evocrawl.simulation.server.proxy import Response

HERE = Path(os.environ.get("DROPIN_DIR", "."))


class CachedPages(Tree):
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


class Throttled(Tree):
    """AUTOTHROTTLE_ENABLED."""

    settings = {"AUTOTHROTTLE_ENABLED": True, "AUTOTHROTTLE_START_DELAY": 0.01}


class Slots(Tree):
    """Requests with a download_slot, and DOWNLOAD_SLOTS."""

    settings = {"DOWNLOAD_SLOTS": {"s1": {"concurrency": 1, "delay": 0.01}}}

    def parse(self, response):
        for k in range(10):
            meta = {"download_slot": f"s{k % 3}"}
            yield response.follow(f"/p/{k}", self.in_slot, meta=meta)

    def in_slot(self, response):
        slot = response.meta["download_slot"]
        yield {"slot": slot, "known": slot in self.crawler.engine.downloader.slots}


class DepthFirst(Tree):
    """With queues that the project has chosen no request is lost."""

    settings = {
        "DEPTH_PRIORITY": 1,
        "SCHEDULER_DISK_QUEUE": "scrapy.squeues.PickleFifoDiskQueue",
        "SCHEDULER_MEMORY_QUEUE": "scrapy.squeues.FifoMemoryQueue",
        "SCHEDULER_PRIORITY_QUEUE": "scrapy.pqueues.ScrapyPriorityQueue",
    }


class OwnRequest(Request):
    """A request class of the project."""

    attributes = (*Request.attributes, "kind")

    def __init__(self, *args, kind="", **kwargs):
        super().__init__(*args, **kwargs)
        self.kind = kind


class OwnRequests(Tree):
    """Requests of the project's class reach the callback unchanged."""

    def parse(self, response):
        for kind in ("book", "author"):
            yield OwnRequest(self.at(f"/{kind}"), self.own, kind=kind)

    def own(self, response):
        yield {"kind": response.request.kind, "class": type(response.request).__name__}


class _Queue:
    """A download handler of the project, for addresses of a queue, without a network."""

    lazy = True

    @classmethod
    def from_crawler(cls, crawler):
        return cls()

    async def download_request(self, request):
        return TextResponse(request.url, body=request.url.encode(), request=request)

    async def close(self):
        return None


class OwnScheme(Tree):
    """A scheme for which only the project has a handler; its responses have links to pages."""

    settings = {"DOWNLOAD_HANDLERS": {"queue": _Queue}}

    def parse(self, response):
        for k in range(3):
            yield Request(f"queue://jobs/{k}", self.job)

    def job(self, response):
        yield {"job": response.text}
        yield Request(self.at(f"/p/{response.url[-1]}"), self.parse_item)
        yield response.request.replace(url="queue://jobs/last", callback=self.parse_item)


class NoCookies(Tree):
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


class Compressed(Tree):
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


class Exported(Tree):
    """A feed of the project has the items."""

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


class OnDisk(Tree):
    """A JOBDIR for one run."""

    settings = {"JOBDIR": str(HERE / "job")}


class PausedOnDisk(Paged):
    """A crawl that stops after three items and continues; some requests are no links."""

    settings = {"JOBDIR": str(HERE / "paused")}
    runs = ({"CLOSESPIDER_ITEMCOUNT": 3, "CONCURRENT_REQUESTS": 1}, {})

    async def start(self):
        yield Request(self.at("/"))

    def parse(self, response):
        for k in range(12):
            meta = {"evocrawl": False} if k % 2 else {}
            once = {"method": "POST", "body": str(k)} if k % 3 else {"dont_filter": True}
            yield Request(self.at("/one"), self.numbered, cb_kwargs={"k": k}, meta=meta, **once)
            yield Request(self.at(f"/p/{k}"), self.numbered, cb_kwargs={"k": k}, meta=meta)

    def numbered(self, response, k):
        yield {"k": k, "path": path_of(response), "by": response.request.method}


class Busy(Tree):
    """Three hundred links at a concurrency of one; every second one is a duplicate."""

    settings = {"CONCURRENT_REQUESTS": 1, "CONCURRENT_REQUESTS_PER_DOMAIN": 1}

    def parse(self, response):
        for k in range(100):
            yield response.follow(f"/p/{k % 50}", self.parse_item, priority=k)
