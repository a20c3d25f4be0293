"""Spiders whose requests fail: each failure reaches its errback or callback, by its own type."""

from __future__ import annotations

from failingcase import Failing
from scrapy import Request
from smallspider import html, never, numbered, path_of, torn

from evocrawl.simulation.server.proxy import Reset, Response

LOOPBACK = {"HTTPPROXY_ENABLED": False, "EVOCRAWL_ALLOW_NETWORKS": "127.0.0.0/8"}


class ManyFailThenGood(Failing):
    """Ten links fail; the errback of the tenth yields five good pages."""

    def parse(self, response):
        self.count = 0
        for k in range(10):
            yield self.asked(f"/status/500?k={k}")

    def failed(self, failure):
        yield from super().failed(failure)
        self.count += 1
        if self.count == 10:
            for path in numbered("/good/", 5):
                yield self.asked(path)


class FailingAndGood(Failing):
    """Eight links fail, eight are good, all from one page."""

    def parse(self, response):
        for k in range(8):
            yield self.asked(f"/status/503?k={k}")
            yield self.asked(f"/good/{k}")


class KindsOfFailure(Failing):
    """404, 410, 500, a broken connection and a time-out reach their errbacks."""

    @staticmethod
    def answer(request, times):
        if request.path == "/reset":
            raise Reset
        if request.path == "/slow":
            return never()
        return Failing.answer(request, times)

    def parse(self, response):
        for path in ("/status/404", "/status/410", "/status/500", "/status/403", "/reset"):
            yield self.asked(path)
        yield self.asked("/slow", meta={"download_timeout": 1})


class FailuresWithoutErrback(Failing):
    """Failures of requests without an errback do not end the crawl."""

    def parse(self, response):
        for path in ("/status/404", "/status/500", "/a", "/status/403", "/b"):
            yield Request(self.at(path), self.parse_item)


class Refused(Failing):
    """A port that refuses connections, from start(); then a callback's request to it."""

    settings = {**LOOPBACK, "RETRY_TIMES": 0}

    async def start(self):
        yield Request("http://127.0.0.1:9/a", self.parse_item, errback=self.failed)

    def failed(self, failure):
        yield from super().failed(failure)
        if failure.request.url.endswith("/a"):
            yield Request("http://127.0.0.1:9/b", self.parse_item, errback=self.failed)


class HalfOfAPage(Failing):
    """An answer that ends before its length reaches the errback."""

    @staticmethod
    def answer(request, times):
        if request.path == "/half":
            return Response(200, torn(html("half")), {"content-length": "5000"})
        return Failing.answer(request, times)

    def parse(self, response):
        yield self.asked("/half")
        yield self.asked("/whole")


class HalfIsEnough(HalfOfAPage):
    """A spider that accepts half of a page, by meta, gets it with its flag."""

    def parse(self, response):
        yield self.asked("/half", meta={"download_fail_on_dataloss": False})

    def parse_item(self, response):
        yield {"path": path_of(response), "flags": response.flags}


class TooLarge(Failing):
    """An answer above the request's own limit of bytes."""

    def parse(self, response):
        yield self.asked("/a", meta={"download_maxsize": 20})
        yield self.asked("/b")


class StatusesHandled(Failing):
    """handle_httpstatus_list lets a callback see failures."""

    handle_httpstatus_list = (404, 500)

    def parse(self, response):
        for path in ("/status/404", "/status/500", "/status/403", "/a"):
            yield self.asked(path)


class AllStatusesHandled(Failing):
    """handle_httpstatus_all, without retries."""

    def parse(self, response):
        for status in (301, 404, 429, 500, 503, 599):
            meta = {"handle_httpstatus_all": True, "dont_retry": True, "dont_redirect": True}
            yield self.asked(f"/status/{status}", meta=meta)
