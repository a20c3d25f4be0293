"""Spiders of Scrapy's documentation: its spider classes, forms, loaders, feeds of items, media."""

from __future__ import annotations

import base64
import os
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path

from itemloaders.processors import Join, MapCompose, TakeFirst
from PIL import Image
from scrapy import Field, FormRequest, Item, Request
from scrapy.http import JsonRequest
from scrapy.linkextractors import LinkExtractor
from scrapy.loader import ItemLoader
from scrapy.spiders import (
    CrawlSpider,
    CSVFeedSpider,
    Rule,
    SitemapSpider,
    XMLFeedSpider,
)
from smallspider import Case, Paged, Small, html, number, numbered, path_of, prose

from evocrawl.simulation.server.proxy import Response

HERE = Path(os.environ.get("DROPIN_DIR", "."))


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
    """JSON is posted, and headers, cookies and a method of one's own arrive."""

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
    """cb_kwargs, meta, flags and priority go along three hops."""

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
    """DEPTH_LIMIT keeps what is deeper away."""

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
    """URLLENGTH_LIMIT keeps long addresses away."""

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


class Sitemaps(Case, SitemapSpider):
    """A sitemap of sitemaps, found by robots.txt, with rules."""

    has_robots_txt = True
    sitemap_urls = ("http://sitemaps.test/robots.txt",)
    sitemap_rules = (("/news/", "news"), ("/shop/", "shop"))
    sitemap_follow = ("/sitemap_good",)

    @staticmethod
    def answer(request, times):
        at = "http://sitemaps.test"
        space = 'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"'
        if request.path == "/robots.txt":
            return Response(200, f"Sitemap: {at}/index.xml\n".encode())
        if request.path == "/index.xml":
            maps = "".join(
                f"<sitemap><loc>{at}/sitemap_{n}.xml</loc></sitemap>" for n in ("good", "bad")
            )
            return Response(200, f"<sitemapindex {space}>{maps}</sitemapindex>".encode())
        if request.path == "/sitemap_good.xml":
            paths = (*numbered("/news/", 6), *numbered("/shop/", 3), "/about")
            urls = "".join(f"<url><loc>{at}{path}</loc></url>" for path in paths)
            return Response(200, f"<urlset {space}>{urls}</urlset>".encode())
        return html(prose(request.path))

    def news(self, response):
        yield {"news": path_of(response)}

    def shop(self, response):
        yield {"shop": path_of(response)}


class XmlFeed(Case, XMLFeedSpider):
    """An XML feed, whose nodes yield items and requests."""

    iterator, itertag = "iternodes", "item"

    @staticmethod
    def answer(request, times):
        if request.path != "/":
            return html(prose(request.path))
        nodes = "".join(f"<item><id>{n}</id></item>" for n in range(5))
        body = f"<?xml version='1.0'?><items>{nodes}</items>".encode()
        return Response(200, body, {"content-type": "application/xml"})

    def parse_node(self, response, node):
        n = node.xpath("id/text()").get()
        yield {"id": n}
        yield response.follow(f"/detail/{n}", self.detail)

    def detail(self, response):
        yield {"detail": path_of(response)}


class CsvFeed(Case, CSVFeedSpider):
    """A CSV feed with quotes and a delimiter of its own."""

    delimiter, quotechar, headers = ";", "'", ("id", "name")

    @staticmethod
    def answer(request, times):
        if request.path != "/":
            return html(prose(request.path))
        return Response(200, b"1;'a;b'\n2;'c'\n3;'d'\n", {"content-type": "text/csv"})

    def parse_row(self, response, row):
        yield dict(row)
        yield response.follow(f"/row/{row['id']}", self.detail)

    def detail(self, response):
        yield {"detail": path_of(response)}


class _Product(Item):
    name = Field()
    price = Field()


@dataclass
class _Sheet:
    name: str
    pages: int


class _ProductLoader(ItemLoader):
    default_item_class = _Product
    default_output_processor = TakeFirst()
    name_in = MapCompose(str.strip, str.title)
    name_out = Join()


class Loaders(Small):
    """Item loaders over callbacks, Item and dataclass items."""

    @staticmethod
    def answer(request, times):
        return html(prose(request.path, 3)) + "<b> blue </b><b> shirt</b><i>7</i>"

    def parse(self, response):
        loader = _ProductLoader(response=response)
        loader.add_css("name", "b::text")
        yield response.follow("/price", self.price, cb_kwargs={"item": loader.load_item()})
        yield _Sheet("front", 3)

    def price(self, response, item):
        loader = _ProductLoader(item=item, response=response)
        loader.add_css("price", "i::text", re=r"\d+")
        yield loader.load_item()


class Images(Small):
    """The images pipeline fetches and stores, with a thumbnail; one image is missing."""

    settings = {
        "ITEM_PIPELINES": {"scrapy.pipelines.images.ImagesPipeline": 1},
        "IMAGES_STORE": str(HERE / "images"),
        "IMAGES_THUMBS": {"small": (4, 4)},
    }

    @staticmethod
    def answer(request, times):
        if request.path.startswith("/image/") and request.path != "/image/3.png":
            body = BytesIO()
            Image.new("RGB", (8, 8), (number(request.path[:-4]), 0, 0)).save(body, "PNG")
            return Response(200, body.getvalue(), {"content-type": "image/png"})
        return html(prose("front")) if request.path == "/" else None

    def parse(self, response):
        for k in range(4):
            yield {"k": k, "image_urls": [self.at(f"/image/{k}.png"), self.at("/image/0.png")]}


class Files(Small):
    """The files pipeline fetches each file once; pages are fetched beside."""

    settings = {
        "ITEM_PIPELINES": {"scrapy.pipelines.files.FilesPipeline": 1},
        "FILES_STORE": str(HERE / "files"),
        "MEDIA_ALLOW_REDIRECTS": True,
    }

    @staticmethod
    def answer(request, times):
        if request.path == "/moved.txt":
            return Response(302, b"", {"location": "/f/0.txt"})
        if request.path.endswith(".txt"):
            return Response(200, request.path.encode(), {"content-type": "text/plain"})
        return html(prose(request.path))

    def parse(self, response):
        for path in numbered("/page/", 3):
            yield response.follow(path, self.page)

    def page(self, response):
        n = number(path_of(response))
        yield {"n": n, "file_urls": [self.at(f"/f/{n}.txt"), self.at("/moved.txt")]}


class Contracts(Paged):
    """A spider whose callbacks have contracts runs as any other."""

    def parse(self, response):
        """Yield a request and an item.

        @url http://contracts.test/
        @returns items 1 1
        @returns requests 1 1
        @scrapes path
        """
        yield {"path": path_of(response)}
        yield response.follow("/a", self.parse_item)


class DataAddresses(Paged):
    """A crawl begins with an address that holds its content, and a callback asks for another."""

    start_urls = ["data:,first"]

    def parse(self, response):
        yield {"says": response.text}
        yield Request(self.at("/a"), self.page, dont_filter=True)

    def page(self, response):
        yield {"path": path_of(response)}
        # The second is a repeat.
        for _ in range(2):
            yield Request("data:application/json,[1]", self.read, cb_kwargs={"of": response.url})
        yield Request("data:;base64,%%%", self.read, errback=self.odd)

    def read(self, response, of=""):
        yield {"json": response.json(), "of": of}

    def odd(self, failure):
        yield {"odd": failure.request.url}
