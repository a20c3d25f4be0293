"""A spider of similar pages: sheets of a list, shells of an app, parts of a shop."""

from __future__ import annotations

from typing import Any

from scrapy import Request, Spider


class ShopSpider(Spider):
    name = "shop"
    start_urls = ("http://list.test/list?page=0", "http://app.test/", "http://parts.test/cat/0")

    def parse(self, response: Any) -> Any:
        """Follow the next sheet, the app's shells, a category's parts and the next category."""
        if "list.test" in response.url:
            yield {"sheet": response.url}
        for href in response.css("a.part::attr(href)").getall():
            yield response.follow(href, self.parse_part)
        for href in response.css("a.shell::attr(href)").getall():
            yield response.follow(href, self.parse_shell)
        for href in response.css("a.next::attr(href)").getall():
            yield response.follow(href, self.parse)

    def parse_part(self, response: Any) -> Any:
        yield {"part": response.url}

    def parse_shell(self, response: Any) -> Any:
        """Request the data that the shell would show; the shell itself has no text."""
        number = response.url.rpartition("/")[2]
        yield Request(f"http://app.test/api/{number}", self.parse_api, dont_filter=True)
        yield Request(f"http://app.test/form/{number}", self.parse_api, method="POST", body=number)

    def parse_api(self, response: Any) -> Any:
        yield {"api": response.url}
