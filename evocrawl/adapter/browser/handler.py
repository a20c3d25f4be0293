"""scrapy-playwright's handler; it opens each page in a separate context without network."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
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
from evocrawl.adapter.browser.playwright_internals import OpenHandler

if TYPE_CHECKING:
    from scrapy.crawler import Crawler
    from scrapy.http import Response

    from evocrawl.adapter.browser.page_load import PageLoad

_DRIVER = "run-driver"
_GRACE_S = 5.0


class BrowserHandler(OpenHandler, ScrapyPlaywrightDownloadHandler):  # type: ignore[misc] # it has no types
    """Opens pages; a `PageLoad` answers the requests of each page, and all other requests fail."""

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler)
        settings = crawler.settings
        self.configure(launch_options(self.config.launch_options, settings))
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
        await self.start_driver()
        self._processes = [each for each in _drivers() if each not in before]

    async def open(self, load: PageLoad, timeout_s: float) -> Response:
        """Return the page after its scripts have run. Raises the exceptions of Playwright."""
        name = f"evocrawl-{next(self._numbers)}"
        self._loads[name] = load
        self.limit_navigation(timeout_s + _GRACE_S)
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
            await self.close_context(name)

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

    async def new_context(self, name: str, options: dict[str, Any] | None, spider: Any) -> Any:
        """Open a context that has no network."""
        wrapper = await super().new_context(name, options, spider)
        # The page's own route does not see requests of windows that the page opens.
        await wrapper.context.route("**", lambda route: route.abort())
        await wrapper.context.route_web_socket("**", lambda socket: socket.close())
        cookies = self._loads[name].cookies
        if cookies is not None and (rows := cookies.of_crawl()):
            await _add_cookies(wrapper.context, rows)
        return wrapper

    def count(self, asked: Any) -> None:
        """Count a request by kind and method, unless the page has made the method up."""
        if asked.method in METHODS:
            super().count(asked)

    def route_of(self, context_name: str) -> Any:
        """Return the function that answers the requests of the context's page."""
        return self._loads[context_name].route


async def _add_cookies(context: Any, cookies: Sequence[Mapping[str, Any]]) -> None:
    """Give a context cookies; leave out those that the browser refuses."""
    try:
        await context.add_cookies(cookies)
    except Exception:
        for each in cookies:
            with suppress(Exception):
                await context.add_cookies([each])


def _drivers() -> list[psutil.Process]:
    """Return the processes of Playwright's drivers that this process has started."""
    found = []
    for each in psutil.Process().children():
        with suppress(psutil.Error):
            if _DRIVER in each.cmdline():
                found.append(each)
    return found
