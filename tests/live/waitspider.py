"""Spiders whose callbacks wait for results of other callbacks."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any, Self

from scrapy import Request, Spider, signals
from scrapy.crawler import Crawler
from scrapy.exceptions import CloseSpider, DontCloseSpider
from scrapy.http import Response

HOME = "http://reef.test/"


class Waits(Spider):
    """Awaits the response to its own request, then yields requests until three have come."""

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


class AwaitsForEver(Spider):
    """Has endless callbacks and errbacks of each kind, and further pages."""

    name = "awaits-for-ever"

    async def start(self) -> AsyncIterator[Request]:
        yield Request(HOME, self.waits)
        yield Request(HOME + "behind", self.goes_on)
        yield Request(HOME + "missing", self.parse, errback=self.waits)
        # The address guard refuses it, and no spider middleware sees the errback's output.
        refused = {"proxy": "", "dont_obey_robotstxt": True}
        yield Request("http://127.0.0.1:1/", self.parse, errback=self.yields, meta=refused)
        for number in range(1, 9):
            yield Request(f"{HOME}fed/{number}", self.parse)

    async def waits(self, _: Any) -> Any:
        await self.wait()

    async def goes_on(self, _: Any) -> Any:
        while True:
            try:
                await self.wait()
            except asyncio.CancelledError:
                self.crawler.stats.inc_value("waits/goes_on")

    async def yields(self, _: Any) -> AsyncIterator[Any]:
        yield {"failed": 1}
        await self.wait()

    async def wait(self) -> None:
        try:
            await asyncio.get_running_loop().create_future()
        finally:
            self.crawler.stats.inc_value("waits/ended")

    def parse(self, response: Response, **_: Any) -> dict[str, str]:
        return {"url": response.url}


class ReturnsLater(Spider):
    """A callback without ``yield`` that waits for a page that needs its place."""

    name = "returns-later"

    async def start(self) -> AsyncIterator[Request]:
        self.answer = asyncio.get_running_loop().create_future()
        yield Request(HOME, self.later, priority=9)
        yield Request(HOME + "first", self.first)

    async def later(self, response: Response) -> list[Any]:
        answer = await self.answer
        return [{"answer": answer}, response.follow("/behind", self.parse)]

    def first(self, response: Response) -> None:
        self.answer.set_result(response.url)

    def parse(self, response: Response, **_: Any) -> dict[str, str]:
        return {"behind": response.url}


class FeedsForEver(Spider):
    """A start() that never ends."""

    name = "feeds-for-ever"

    async def start(self) -> AsyncIterator[Request]:
        for number in range(1, 9):
            yield Request(f"{HOME}fed/{number}")
        await asyncio.get_running_loop().create_future()

    def parse(self, response: Response, **_: Any) -> dict[str, str]:
        return {"url": response.url}


class EndsItself(Spider):
    """Gives the reason of its end, and checks its scheduler."""

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


class FeedsWhenIdle(Spider):
    """Requests a further page each time the crawl is idle, like spiders that read a queue."""

    name = "feeds-when-idle"
    fed = 0

    @classmethod
    def from_crawler(cls, crawler: Crawler, *args: Any, **kwargs: Any) -> Self:
        spider = super().from_crawler(crawler, *args, **kwargs)
        crawler.signals.connect(spider.idle, signals.spider_idle)
        return spider

    async def start(self) -> AsyncIterator[Request]:
        yield Request(HOME)

    def parse(self, response: Response, **_: Any) -> dict[str, str]:
        return {"url": response.url}

    def idle(self) -> None:
        self.fed += 1
        if self.fed <= 3:
            self.crawler.engine.crawl(Request(f"{HOME}fed/{self.fed}"))  # type: ignore[union-attr]
        if self.fed <= 5:
            raise DontCloseSpider


class WaitsBeforeLinks(Spider):
    """Yields one link, waits until the file named by `gate` exists, then yields more links."""

    name = "waits-before-links"
    start_urls = (HOME,)
    gate: str

    async def parse(self, response: Response, **_: Any) -> AsyncIterator[Any]:
        yield response.follow("/first", self.other)
        yield response.follow("/first", self.other, dont_filter=True)
        while not await asyncio.to_thread(Path(self.gate).exists):
            await asyncio.sleep(0.05)
        for number in range(1, 4):
            yield response.follow(f"/fed/{number}", self.other)
        yield {"ended": response.url}

    def other(self, response: Response) -> dict[str, str]:
        return {"url": response.url}
