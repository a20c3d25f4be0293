"""A spider that yields 1 050 requests from one page; a middleware answers, without a network."""

from __future__ import annotations

from typing import Any, ClassVar

from scrapy import Request, Spider
from scrapy.http import HtmlResponse

COUNT = 1050


class Answering:
    """Downloader middleware that answers every request."""

    def process_request(self, request: Any) -> HtmlResponse:
        """Return a page about corals."""
        return HtmlResponse(request.url, body=b"<p>coral bleaching</p>", request=request)


class ManySpider(Spider):
    name = "many"
    start_urls = ("http://reef.test/",)
    custom_settings: ClassVar[dict[str, Any]] = {
        "DOWNLOADER_MIDDLEWARES": {Answering: 1},
        "CONCURRENT_ITEMS": 4,  # Scrapy starts as many tasks for each page
    }

    def parse(self, response: Any) -> Any:
        """Yield a request for each page."""
        for number in range(COUNT):
            yield Request(response.urljoin(f"/{number}"), self.leaf)

    def leaf(self, response: Any) -> Any:
        """Yield the address."""
        yield {"url": response.url}
