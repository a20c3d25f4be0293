"""scrapy-playwright's handler; it opens each page in a separate context without network."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from itertools import count
from typing import TYPE_CHECKING, Any

import psutil
from scrapy import Request
from scrapy_playwright.handler import (  # type: ignore[import-untyped] # it has no types
    ScrapyPlaywrightDownloadHandler,
)
from scrapy_playwright.page import PageMethod  # type: ignore[import-untyped]

from evocrawl.adapter.browser.launching import is_chromium, launch_options
from evocrawl.adapter.browser.page_load import METHODS

if TYPE_CHECKING:
    from scrapy.crawler import Crawler
    from scrapy.http import Response

    from evocrawl.adapter.browser.page_load import PageLoad

_DRIVER = "run-driver"
_GRACE_MS = 5_000


class BrowserHandler(ScrapyPlaywrightDownloadHandler):  # type: ignore[misc] # it has no types
    """Opens pages; a `PageLoad` answers the requests of each page, and all other requests fail."""

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler)
        settings = crawler.settings
        self.config.launch_options = launch_options(self.config.launch_options, settings)
        self.config.startup_context_kwargs = {}
        self.config.max_contexts = None
        self.config.target_closed_max_retries = 0
        self.is_chromium = is_chromium(settings)
        self.pages = self.pages_open = 0
        self.is_ended = False
        self._agent = settings.get("USER_AGENT")
        self._loads: dict[str, PageLoad] = {}
        self._numbers = count(1)
        self._processes: list[psutil.Process] = []

    async def launch(self) -> None:
        """Start Playwright; `start_browser` starts the browser."""
        before = set(_drivers())
        await self._launch()
        self._processes = [each for each in _drivers() if each not in before]

    async def start_browser(self) -> None:
        """Start the browser unless it runs. A cold start may take longer than a page is allowed."""
        await self._maybe_launch_browser()

    async def open(self, load: PageLoad, timeout_s: float) -> Response:
        """Return the page after its scripts have run. Raises the exceptions of Playwright."""
        name = f"evocrawl-{next(self._numbers)}"
        self._loads[name] = load
        self.config.navigation_timeout_ms = 1000 * timeout_s + _GRACE_MS
        meta = {
            "playwright": True,
            "playwright_context": name,
            "playwright_context_kwargs": {
                "service_workers": "block",
                "accept_downloads": False,
                "user_agent": self._agent,
            },
            "playwright_page_goto_kwargs": {"wait_until": "domcontentloaded"},
            "playwright_page_methods": [PageMethod(load.settle)],
        }
        timer = asyncio.get_running_loop().call_later(timeout_s, load.end)
        try:
            page: Response = await self.download_request(Request(load.response.url, meta=meta))
            return page
        finally:
            timer.cancel()
            load.end()
            del self._loads[name]
            await self._close_context(name)

    async def _close_context(self, name: str) -> None:
        wrapper = self.context_wrappers.pop(name, None)
        if wrapper is not None:
            with suppress(Exception):  # it is gone with its browser
                await wrapper.context.close()

    def kill_browser(self) -> None:
        """End the browser at once; its driver then fails the requests that wait for it."""
        for driver in self._processes:
            with suppress(psutil.Error):
                for each in driver.children(recursive=True):
                    with suppress(psutil.Error):
                        each.kill()

    def kill(self) -> None:
        """End the browser and its driver."""
        self.kill_browser()
        for driver in self._processes:
            with suppress(psutil.Error):
                driver.kill()

    async def _create_browser_context(
        self, name: str, context_kwargs: dict[str, Any] | None, spider: Any = None
    ) -> Any:
        wrapper = await super()._create_browser_context(name, context_kwargs, spider)
        # The page's own route does not see requests of windows that the page opens.
        await wrapper.context.route("**", lambda route: route.abort())
        await wrapper.context.route_web_socket("**", lambda socket: socket.close())
        return wrapper

    def _increment_request_stats(self, request: Any) -> None:
        """Count a request by kind and method, unless the page has made the method up."""
        if request.method in METHODS:
            super()._increment_request_stats(request)

    def _make_request_handler(self, context_name: str, **_: Any) -> Any:
        return self._loads[context_name].route


def _drivers() -> list[psutil.Process]:
    """Return the processes of Playwright's drivers that this process has started."""
    found = []
    for each in psutil.Process().children():
        with suppress(psutil.Error):
            if _DRIVER in each.cmdline():
                found.append(each)
    return found
