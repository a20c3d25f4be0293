"""An extension that stops the crawl while its spider is being opened, as one Ctrl-C does."""

from __future__ import annotations

import asyncio
import os
import signal
from typing import Self

from scrapy import signals
from scrapy.crawler import Crawler


class StopAtOpening:
    """Sends SIGINT to its own process when the spider opens; the opening then takes a while."""

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        extension = cls()
        crawler.signals.connect(extension.opened, signals.spider_opened)
        return extension

    async def opened(self) -> None:
        os.kill(os.getpid(), signal.SIGINT)
        await asyncio.sleep(0.5)
