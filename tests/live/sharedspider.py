"""A user's spider whose requests are shared between workers."""

from __future__ import annotations

from typing import Any

from scrapy import Spider


class SharedSpider(Spider):
    name = "shared"
    start_urls = ("http://h0.test/0",)

    def parse(self, response: Any) -> Any:
        """Parse the first page only."""
        yield from self._follow(response, 1)

    def leaf(self, response: Any, depth: int) -> Any:
        yield {"url": response.url, "depth": depth}
        yield from self._follow(response, depth + 1)

    def _follow(self, response: Any, depth: int) -> Any:
        for anchor in response.css("a"):
            yield response.follow(
                anchor, self.leaf, cb_kwargs={"depth": depth}, meta={"dont_retry": True}
            )
