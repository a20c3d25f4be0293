"""A download handler that behaves like a browser: it fails in its own ways, or never answers."""

from __future__ import annotations

import asyncio

from scrapy import Request
from scrapy.core.downloader.handlers.http11 import HTTP11DownloadHandler
from scrapy.http import Response

TIMEOUT_S = 2


class Impatient:
    """Downloader middleware that gives up two pages that never end, after TIMEOUT_S."""

    def process_request(self, request: Request) -> None:
        if request.url.endswith(("/drip", "/never")):
            request.meta["download_timeout"] = TIMEOUT_S


class Stuck(HTTP11DownloadHandler):
    async def download_request(self, request: Request) -> Response:
        if request.url.endswith("/navigating"):
            raise RuntimeError("Page.goto: net::ERR_ABORTED; navigating to a file failed")
        while request.url.endswith("/never"):
            try:
                await asyncio.sleep(3600)
            except asyncio.CancelledError:
                continue  # also ignores it
        return await super().download_request(request)
