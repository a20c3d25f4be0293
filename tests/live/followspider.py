"""A spider that follows every link of any kind without checks."""

from __future__ import annotations

from typing import Any

from scrapy import Request, Spider


class FollowSpider(Spider):
    name = "follows"
    start_urls = ("http://reef.test/",)

    def parse(self, response: Any) -> Any:
        yield {"url": response.url, "text": response.text}
        for href in response.css("a::attr(href)").getall():
            yield Request(response.urljoin(href), self.parse)
