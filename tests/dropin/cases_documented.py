"""Spiders of Scrapy's documentation: its spider classes, forms, loaders, feeds of items, media."""

from __future__ import annotations

import base64

from scrapy import FormRequest, Request
from scrapy.http import JsonRequest
from scrapy.linkextractors import LinkExtractor
from scrapy.spiders import (
    CrawlSpider,
    Rule,
)
from smallspider import Case, Paged, Small, html, number, numbered, path_of, prose

from evocrawl.simulation.server.proxy import Response


class Quotes(Small):
    """The tutorial's spider: authors, and the next page."""

    @staticmethod
    def answer(request, times):
        if request.path.startswith("/author"):
            return html(prose(request.path))
        n = 1 if request.path == "/" else number(request.path)
        quotes = "".join(
            f"<div class=quote><span class=text>{prose((n, k), 6)}</span>"
            f'<span>by <a class=about href="/author/{(n * k) % 7}">a</a></span></div>'
            for k in range(4)
        )
        following = f'<li class=next><a href="/page/{n + 1}">Next</a></li>' if n < 6 else ""
        return html(f"Quotes, page {n}") + quotes + following

    def parse(self, response):
        for quote in response.css("div.quote"):
            yield {"text": quote.css("span.text::text").get()}
        yield from response.follow_all(css="a.about", callback=self.parse_item)
        yield from response.follow_all(css="li.next a", callback=self.parse)


class FormLogin(Small):
    """A login by form with a hidden token, then the pages behind it."""

    @staticmethod
    def answer(request, times):
        if request.path == "/login":
            is_right = b"token=abc" in request.body and b"user=me" in request.body
            return Response(200, b"welcome" if is_right else b"no", {"set-cookie": "s=1; Path=/"})
        if request.path == "/":
            fields = "<input type=hidden name=token value=abc><input name=user>"
            return html("Log in") + f"<form action=/login method=post>{fields}</form>"
        return html(f"{request.path} {request.headers.get('cookie')}")

    def parse(self, response):
        yield FormRequest.from_response(response, formdata={"user": "me"}, callback=self.inside)

    def inside(self, response):
        yield {"says": response.text}
        yield from response.follow_all(numbered("/in/", 3), callback=self.page)

    def page(self, response):
        yield {"says": response.css("p::text").get()}


class BasicLogin(Small):
    """HTTP authentication by attributes of the spider."""

    http_user, http_pass, http_auth_domain = "me", "secret", "basiclogin.test"

    @staticmethod
    def answer(request, times):
        wanted = "Basic " + base64.b64encode(b"me:secret").decode()
        return html(prose("in")) if request.headers.get("authorization") == wanted else None

    def parse(self, response):
        yield from self.parse_item(response)
        yield response.follow("/a", self.parse_item)


class JsonApi(Small):
    """JSON is posted; headers, cookies and a custom method arrive."""

    @staticmethod
    def answer(request, times):
        cookie = request.headers.get("cookie", "")
        return {"method": request.method, "body": request.body.decode(), "cookie": cookie}

    async def start(self):
        yield JsonRequest(self.at("/api"), data={"a": 1})
        yield Request(self.at("/api"), method="PUT", body="x", cookies={"k": "v"})
        yield Request(self.at("/api"), method="DELETE", headers={"X": "1"})

    def parse(self, response):
        yield response.json()


class PassesData(Paged):
    """cb_kwargs, meta, flags and priority are passed along three requests."""

    def parse(self, response, path=()):
        depth = response.meta.get("depth", 0)
        yield {"path": path, "depth": depth, "mine": response.meta.get("mine")}
        for k in range(2 if depth < 3 else 0):
            yield response.follow(
                f"{path_of(response).rstrip('/')}/{k}",
                cb_kwargs={"path": (*path, k)},
                meta={"mine": f"of {path}"},
                priority=k,
                flags=["f"],
            )


class Referers(Small):
    """The Referer header is that of the page."""

    @staticmethod
    def answer(request, times):
        return html(request.headers.get("referer", "none"), *["/a", "/b"] * (request.path == "/"))

    def parse(self, response):
        yield {"referer": response.css("p::text").get()}
        yield from response.follow_all(css="a")


class DepthLimited(Paged):
    """DEPTH_LIMIT drops deeper requests."""

    settings = {"DEPTH_LIMIT": 2}

    def parse(self, response):
        yield {"path": path_of(response)}
        for k in range(2):
            yield response.follow(f"{path_of(response).rstrip('/')}/{k}")
        yield response.follow("/again", dont_filter=True)


class DepthLimitOfOne(DepthLimited):
    """A chain with a limit of one."""

    settings = {"DEPTH_LIMIT": 1, "DEPTH_STATS_VERBOSE": True}

    def parse(self, response):
        yield {"depth": response.meta["depth"]}
        yield response.follow(path_of(response) + "n")


class Offsite(Paged):
    """allowed_domains, and allow_offsite for one request."""

    allowed_domains = ("offsite.test",)

    def parse(self, response):
        yield response.follow("/in", self.parse_item)
        yield Request("http://elsewhere.test/out", self.parse_item, errback=self.failed)
        yield Request("http://quotes.test/author/x", self.parse_item, meta={"allow_offsite": True})


class LongAddresses(DepthLimited):
    """URLLENGTH_LIMIT drops long addresses."""

    settings = {"URLLENGTH_LIMIT": 60}

    def parse(self, response):
        for length in (1, 30, 60):
            yield response.follow("/" + "x" * length, self.parse_item)


class Rules(Case, CrawlSpider):
    """A CrawlSpider with rules, process_links, process_request and link_text."""

    rules = (
        Rule(LinkExtractor(allow=r"/cat/"), follow=True, process_links="but_the_last"),
        Rule(
            LinkExtractor(allow=r"/item/", deny=r"/item/3$"),
            callback="item",
            cb_kwargs={"kind": "item"},
            process_request="marked",
        ),
    )

    @staticmethod
    def answer(request, times):
        if request.path.startswith("/item"):
            return html(prose(request.path), "/item/99", "/cat/0")
        n = number(request.path) if request.path != "/" else 0
        return html(prose(request.path), *numbered("/cat/", 4), *numbered("/item/", 5 + n))

    def but_the_last(self, links):
        return links[:-1]

    def marked(self, request, response):
        return request.replace(headers={"X": "marked"})

    def item(self, response, kind):
        marked = response.request.headers["X"].decode()
        words = response.meta["link_text"]
        yield {"path": path_of(response), "kind": kind, "marked": marked, "words": words}

    def parse_start_url(self, response):
        return {"start": path_of(response)}
