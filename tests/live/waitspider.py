"""Spiders whose callbacks wait for what other callbacks find."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator
from typing import Any, Self

from scrapy import Request, Spider, signals
from scrapy.crawler import Crawler
from scrapy.exceptions import CloseSpider
from scrapy.http import Response

HOME = "http://reef.test/"


class Waits(Spider):
    """Awaits the answer to a request that it has yielded, then feeds requests until three came."""

    name = "waits"
    start_urls = (HOME,)
    seen = 0

    async def parse(self, response: Response, **_: Any) -> AsyncIterator[Any]:
        answer = asyncio.get_running_loop().create_future()
        yield response.follow("/first", self.answered, cb_kwargs={"answer": answer})
        yield {"answer": await answer}
        number = 0
        while self.seen < 3:
            number += 1
            yield response.follow(f"/fed/{number}", self.fed)
            await asyncio.sleep(0.05)
        yield {"fed": number}

    def answered(self, response: Response, answer: asyncio.Future[str]) -> None:
        answer.set_result(response.url)

    def fed(self, response: Response) -> Iterator[Any]:
        self.seen += 1
        yield response.follow("/behind", self.behind)

    def behind(self, response: Response) -> dict[str, str]:
        return {"behind": response.url}


class WaitsForEver(Spider):
    """Has a callback that never ends."""

    name = "waits-for-ever"
    start_urls = (HOME,)

    async def parse(self, response: Response, **_: Any) -> AsyncIterator[Any]:
        yield response.follow("/first", self.other)
        try:
            await asyncio.get_running_loop().create_future()
        finally:
            self.crawler.stats.inc_value("waits/ended")

    def other(self, response: Response) -> dict[str, str]:
        return {"url": response.url}


class EndsItself(Spider):
    """Says at the end why it ends; and looks at its scheduler meanwhile."""

    name = "ends-itself"

    @classmethod
    def from_crawler(cls, crawler: Crawler, *args: Any, **kwargs: Any) -> Self:
        spider = super().from_crawler(crawler, *args, **kwargs)
        crawler.signals.connect(spider.idle, signals.spider_idle)
        return spider

    async def start(self) -> AsyncIterator[Request]:
        yield Request(HOME)
        yield Request(HOME + "first")

    def parse(self, response: Response, **_: Any) -> dict[str, int]:  # noqa: ARG002
        return {"waiting": len(self.crawler.engine.scheduler)}  # type: ignore[union-attr,arg-type]

    def idle(self) -> None:
        raise CloseSpider("done well")
