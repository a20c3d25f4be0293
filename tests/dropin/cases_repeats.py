"""Spiders that ask for one address more than once, or for addresses that look like one."""

from __future__ import annotations

from scrapy import Request
from scrapy.downloadermiddlewares.retry import get_retry_request
from smallspider import Paged, Small, html, numbered, path_of, prose

from evocrawl.simulation.server.proxy import Response


class StartTwice(Paged):
    """start() yields one URL twice, with dont_filter."""

    async def start(self):
        for _ in range(2):
            yield Request(self.at("/"), self.parse_item, dont_filter=True)


class StartWithArguments(StartTwice):
    """start() yields one URL four times, with other cb_kwargs."""

    async def start(self):
        for k in range(4):
            yield Request(self.at("/"), self.parse_item, dont_filter=True, cb_kwargs={"k": k})


class StartTwiceFiltered(StartTwice):
    """start() yields one URL twice, to be filtered."""

    async def start(self):
        for _ in range(2):
            yield Request(self.at("/"), self.parse_item)


class StartUrlsTwice(Paged):
    """start_urls has one URL twice."""

    start_urls = ("http://starturlstwice.test/",) * 2

    def parse(self, response):
        yield from self.parse_item(response)


class FilteredThenNot(Paged):
    """A page asks for itself, for a known page, and for that page with dont_filter."""

    def parse(self, response):
        yield {"path": path_of(response)}
        if path_of(response) == "/":
            yield response.follow("/")
            yield response.follow("/a")
            yield response.follow("/a")
            yield response.follow("/a", dont_filter=True)
            yield response.follow("/a", self.parse_item, dont_filter=True)


class Sessions(Small):
    """Three sessions begin at one login page (the documentation's recipe for cookiejar)."""

    @staticmethod
    def answer(request, times):
        if request.path == "/login":
            header = {"set-cookie": f"session=s{times}; Path=/"}
            return Response(200, html(prose("login")).encode(), header)
        return html(f"Hello {request.headers.get('cookie', 'stranger')}")

    async def start(self):
        for request in self.logins():
            yield request

    def logins(self):
        for k in range(3):
            yield Request(self.at("/login"), self.parse, dont_filter=True, meta={"cookiejar": k})

    def parse(self, response):
        jar = {"cookiejar": response.meta["cookiejar"]}
        yield Request(self.at("/account"), self.account, dont_filter=True, meta=jar)

    def account(self, response):
        yield {"says": response.css("p::text").get()}


class SessionsOfACallback(Sessions):
    """The three logins are yielded by a callback."""

    async def start(self):
        yield Request(self.at("/"), self.begin)

    def begin(self, response):
        yield from self.logins()


class MetaCopied(Paged):
    """A start page asks for one URL three times, with a copy of its own meta."""

    def parse(self, response):
        for k in range(3):
            meta = {**response.meta, "k": k}
            yield Request(self.at("/a"), self.parse_copy, meta=meta, dont_filter=True)

    def parse_copy(self, response):
        yield {"k": response.meta["k"]}


class MetaCopiedLater(MetaCopied):
    """A later page does so, and hands on the very meta it has."""

    def parse(self, response):
        yield Request(self.at("/b"), self.later, meta=response.meta)

    def later(self, response):
        for _ in range(3):
            yield response.follow("/a", self.parse_item, meta=response.meta, dont_filter=True)


class MetaCopiedFiltered(Paged):
    """Ten links with a copy of the start page's meta, all to be filtered as usual."""

    def parse(self, response):
        for path in numbered("/b", 5) * 2:
            yield response.follow(path, self.parse_item, meta=response.meta.copy())


class Polling(Paged):
    """A start page is asked for again by replace()."""

    def parse(self, response):
        k = response.meta.get("k", 0)
        yield {"k": k}
        if k < 5:
            meta = {**response.meta, "k": k + 1}
            yield response.request.replace(meta=meta, dont_filter=True)


class PollingUntilReady(Small):
    """A job's state is asked for until it is done, then its result."""

    @staticmethod
    def answer(request, times):
        if request.path == "/job":
            return {"state": "done" if times == 4 else "queued", "result": "/result"}
        return {"rows": [1, 2, 3]}

    async def start(self):
        yield Request(self.at("/job"))

    def parse(self, response):
        job = response.json()
        if job["state"] == "done":
            yield response.follow(job["result"], self.result)
        else:
            yield response.request.replace(dont_filter=True)

    def result(self, response):
        for row in response.json()["rows"]:
            yield {"row": row}


class RetryOfAStartPage(Small):
    """A page that says "try later" is retried by get_retry_request()."""

    settings = {"RETRY_TIMES": 3}

    @staticmethod
    def answer(request, times):
        return html("ready" if times >= 2 else "try later", "/later")

    def parse(self, response):
        if b"ready" not in response.body.split(b"<p>")[1]:
            return get_retry_request(response.request, spider=self, reason="empty")
        return {"path": path_of(response)}


class RetryOfALaterPage(RetryOfAStartPage):
    """The same, of a page that is no start page; one gives up."""

    @staticmethod
    def answer(request, times):
        if request.path == "/":
            return html(prose("front"), "/later")
        return RetryOfAStartPage.answer(request, 0 if request.path == "/never" else times)

    def parse(self, response):
        yield response.follow("/later", super().parse)
        yield response.follow("/never", super().parse)
