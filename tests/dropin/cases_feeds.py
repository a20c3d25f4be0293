"""Spiders of sitemaps, feeds, loaders, files and other addresses, after Scrapy's documentation."""

from __future__ import annotations

import os
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path

from itemloaders.processors import Join, MapCompose, TakeFirst
from PIL import Image
from scrapy import Field, Item, Request
from scrapy.loader import ItemLoader
from scrapy.spiders import (
    CSVFeedSpider,
    SitemapSpider,
    XMLFeedSpider,
)
from smallspider import Case, Paged, Small, html, number, numbered, path_of, prose

from evocrawl.simulation.server.proxy import Response

HERE = Path(os.environ.get("DROPIN_DIR", "."))


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
    """The files pipeline fetches each file once, while pages are fetched."""

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
    """A spider whose callbacks have contracts runs like any other."""

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
    """A crawl begins with a data: address, and a callback requests another one."""

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
