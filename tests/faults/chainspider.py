"""A user's spider of pages that each lead to one other page."""

from __future__ import annotations

from typing import Any

from scrapy import Spider


class ChainSpider(Spider):
    name = "chain"
    start_urls = ("http://chain.test/0",)

    def parse(self, response: Any, came_from: str = "") -> Any:
        yield {"url": response.url, "from": came_from}
        for link in response.css("a::attr(href)").getall():
            yield response.follow(link, self.parse, cb_kwargs={"came_from": response.url})
