"""A Scrapy extension that records what a crawl with a browser has open."""

from __future__ import annotations

import asyncio
import json
import os
import sys
from pathlib import Path
from typing import Any, Self


class Watch:
    """Extension: writes a line of JSON for each `WATCH_EVERY` pages, and one at the end."""

    def __init__(self, crawler: Any) -> None:
        from scrapy import signals

        self._crawler = crawler
        self._every = crawler.settings.getint("WATCH_EVERY")
        self._file = Path(crawler.settings["WATCH_FILE"])
        self._pages = self._texts = 0
        self._writing: set[asyncio.Task[None]] = set()
        crawler.signals.connect(self._scraped, signals.item_scraped)
        crawler.signals.connect(self._write, signals.spider_closed)

    @classmethod
    def from_crawler(cls, crawler: Any) -> Self:
        return cls(crawler)

    def _scraped(self, item: Any) -> None:
        self._pages += 1
        self._texts += bool(item.text)
        if self._pages % self._every == 0:
            task = asyncio.ensure_future(self._write())
            self._writing.add(task)
            task.add_done_callback(self._writing.discard)

    async def _write(self) -> None:
        line = {
            "pages": self._pages,
            "texts": self._texts,
            "tasks": len(asyncio.all_tasks()),
            "files": len(os.listdir("/proc/self/fd")),
            "modules": sorted({each.partition(".")[0] for each in sys.modules}),
            **await self._of_browser(),
        }
        with self._file.open("a") as file:
            file.write(json.dumps(line) + "\n")

    async def _of_browser(self) -> dict[str, int]:
        """Return how many pages, contexts and objects the browser and its client have."""
        from evocrawl.middlewares.browser import BrowserMiddleware

        middleware = self._crawler.get_downloader_middleware(BrowserMiddleware)
        handler = middleware and middleware._renderer.browsers.current
        browser = getattr(handler, "browser", None)
        if browser is None:
            return {}
        session = await browser.new_browser_cdp_session()
        targets = (await session.send("Target.getTargets"))["targetInfos"]
        contexts = (await session.send("Target.getBrowserContexts"))["browserContextIds"]
        await session.detach()
        return {
            "targets": sum(each["type"] == "page" for each in targets),
            "contexts": len(contexts),
            "known_pages": sum(len(each.pages) for each in browser.contexts),
            "known_contexts": len(browser.contexts),
            "objects": len(browser._impl_obj._connection._objects),
        }
