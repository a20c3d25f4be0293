"""A user's spider: branches, and leaves that another callback reads."""

from __future__ import annotations

from typing import Any

from scrapy import Request, Spider


class LeafSpider(Spider):
    name = "leaves"
    start_urls = ("http://tree.test/0",)

    def parse(self, response: Any) -> Any:
        for link in response.css("a::attr(href)").getall():
            is_leaf = int(link[1:]) % 2 == 0
            callback = self.parse_leaf if is_leaf else self.parse
            yield response.follow(
                link, callback, cb_kwargs={"said": link} if is_leaf else {}, headers={"X-Own": link}
            )
        if response.url.endswith("/7"):
            yield Request("http://tree.test/lost", lambda _: None)

    def parse_leaf(self, response: Any, said: str) -> Any:
        yield {"leaf": said}
        yield from self.parse(response)
