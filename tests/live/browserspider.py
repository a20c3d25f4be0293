"""A spider whose pages are opened in a browser."""

from __future__ import annotations

from typing import Any

import scrapy
from scrapy_playwright.page import PageMethod


class BrowserSpider(scrapy.Spider):
    """Opens the pages of `urls` and yields the last address of each, or its failure."""

    name = "browses"
    urls = ""

    async def start(self) -> Any:
        for url in self.urls.split():
            meta: dict[str, Any] = {"playwright": True}
            if url.endswith("/restless"):  # it is closed while it sends requests
                waits = PageMethod("wait_for_function", "answered > 12", timeout=60_000)
                meta["playwright_page_methods"] = [waits]
            yield scrapy.Request(url, meta=meta, errback=self.failed)

    def parse(self, response: Any) -> Any:
        yield {"url": response.url, "title": response.css("title::text").get()}

    def failed(self, failure: Any) -> Any:
        yield {"url": failure.request.url, "failed": failure.type.__name__}


def is_unwanted(request: Any) -> bool:
    """PLAYWRIGHT_ABORT_REQUEST of the project."""
    return bool(request.url.endswith("/unwanted.png"))
