"""A spider of several workers whose callback waits for the pages that it has requested."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

from scrapy import Spider
from scrapy.http import Response

HOSTS, PAGES = 6, 3


class WaitsForOthers(Spider):
    """Yields links to all hosts one by one, and continues when each page is fetched.

    A page that any worker has fetched leaves a file in the folder `seen`. The callback ends only
    if the file `gate` exists.
    """

    name = "waits-for-others"
    start_urls = ("http://start.test/",)
    seen: str
    gate: str

    async def parse(self, response: Response, **_: Any) -> AsyncIterator[Any]:
        for number in range(HOSTS * PAGES):
            yield response.follow(f"http://h{number % HOSTS}.test/{number}", self.leaf)
            while not await asyncio.to_thread((Path(self.seen) / str(number)).exists):
                await asyncio.sleep(0.05)
            if number == HOSTS:
                while not await asyncio.to_thread(Path(self.gate).exists):
                    await asyncio.sleep(0.05)
        yield {"ended": response.url}

    def leaf(self, response: Response) -> dict[str, str]:
        (Path(self.seen) / response.url.rpartition("/")[2]).touch()
        return {"url": response.url}
