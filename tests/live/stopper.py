"""An extension that stops the crawl while its spider is being opened, as one Ctrl-C does."""

from __future__ import annotations

import asyncio
import os
import signal
from typing import Self

from scrapy import signals
from scrapy.crawler import Crawler


class StopAt:
    """Sends SIGINT to its own process at one signal of Scrapy; its handler then takes a while."""

    def __init__(self, crawler: Crawler) -> None:
        crawler.signals.connect(self.stop, getattr(signals, crawler.settings["STOP_AT"]))

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        return cls(crawler)

    async def stop(self) -> None:
        os.kill(os.getpid(), signal.SIGINT)
        await asyncio.sleep(0.5)
