"""Spiders of projects with their own middlewares and pipelines."""

from __future__ import annotations

import dataclasses

from scrapy import Request
from scrapy.http import HtmlResponse, TextResponse
from smallspider import number, path_of
from treecase import Picky, Tree


class Plain(Tree):
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


class AnsweredByAMiddleware(Tree):
    """Responses of a middleware, which no server sent, reach the callback as others do."""

    settings = {"DOWNLOADER_MIDDLEWARES": {Answering: 543}}


class Changing:
    """Downloader middleware that changes responses, and requests some pages again."""

    def process_response(self, request, response):
        if request.url.endswith("/p/3") and not request.meta.get("again"):
            return request.replace(
                url=request.url + "?again", meta={**request.meta, "again": True}, dont_filter=True
            )
        if isinstance(response, TextResponse):
            body = response.text.replace("/child", "/grandchild").encode()
            return response.replace(body=body, encoding="utf-8")
        return response


class ChangedByAMiddleware(Tree):
    """The callback gets the page that the middleware has changed."""

    settings = {"DOWNLOADER_MIDDLEWARES": {Changing: 560}}


class Marking:
    """Downloader middleware that sends each request anew, with a header and another meta."""

    def process_request(self, request):
        if "marked" not in request.meta:
            meta = {**request.meta, "marked": True}
            return request.replace(headers={"X": "1"}, meta=meta, dont_filter=True)
        return None


class MarkedByAMiddleware(Tree):
    """The request for robots.txt is sent anew, too."""

    settings = {"DOWNLOADER_MIDDLEWARES": {Marking: 300}}


class Identified:
    """Downloader middleware that downloads a token before it lets the first request out."""

    def __init__(self, crawler):
        self.crawler = crawler
        self.token = ""

    @classmethod
    def from_crawler(cls, crawler):
        return cls(crawler)

    async def process_request(self, request):
        url = f"http://{self.crawler.spider.name}.test/token"
        if request.url != url:
            if not self.token:
                answer = await self.crawler.engine.download_async(Request(url))
                self.token = answer.text[:3]
            request.headers["Authorization"] = self.token


class IdentifiedByAMiddleware(Tree):
    """The first request is that for robots.txt: the token is downloaded while that is awaited."""

    settings = {"DOWNLOADER_MIDDLEWARES": {Identified: 300}}


class Rescuing:
    """Downloader middleware that answers in place of a failure."""

    def process_exception(self, request, exception):
        return TextResponse(request.url, body=b"rescued", request=request)

    def process_request(self, request):
        if request.url.endswith(("/p/1", "/p/2")):
            raise ConnectionError("on purpose")


class RescuedByAMiddleware(Tree):
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


class SpiderMiddleware(Tree):
    """The requests and items that a spider middleware drops or adds count."""

    settings = {"SPIDER_MIDDLEWARES": {DroppingAndAdding: 543}}


class SpiderMiddlewareOutermost(Tree):
    """The same, as the middleware nearest to the engine."""

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


class SpiderMiddlewareAtStart(Tree):
    """process_start, process_spider_input and process_spider_exception work."""

    settings = {"SPIDER_MIDDLEWARES": {Starting: 543}}

    def parse(self, response):
        yield from super().parse(response)
        if path_of(response) == "/p/5":
            raise KeyError("on purpose")


@dataclasses.dataclass
class _Numbered:
    n: int


class OwnPipeline(Tree):
    """A project's pipeline decides which items are exported, and nothing else."""

    settings = {"ITEM_PIPELINES": {Picky: 50}}

    def parse(self, response):
        yield from response.follow_all(css="a", callback=self.numbered)

    def numbered(self, response):
        n = number(path_of(response))
        yield _Numbered(n) if n % 2 else {"n": n}
        yield response.follow(path_of(response) + "/child", self.parse_item)


class OwnPipelineLast(OwnPipeline):
    """The same, as the last pipeline."""

    settings = {"ITEM_PIPELINES": {Picky: 995}}
