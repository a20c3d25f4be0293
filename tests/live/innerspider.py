"""A spider whose callback downloads pages itself, with the meta of its response."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

from scrapy import Request, Spider


class InnerSpider(Spider):
    name = "inner"
    start_urls = ("http://same0.test/page",)

    async def parse(self, response: Any) -> AsyncIterator[Any]:
        engine = self.crawler.engine
        assert engine is not None
        url = response.urljoin("/gone" if response.url.endswith("more") else "/inner")
        inner = await engine.download_async(Request(url, meta=dict(response.meta)))
        yield {"url": response.url, "inner": inner.url}
        yield response.follow("/more", meta=inner.meta)
