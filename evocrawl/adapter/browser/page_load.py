"""Answers all requests of one page in the browser until the page's time is over."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from time import monotonic
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from evocrawl.adapter.browser.parts import Asked, PageParts, Part
from evocrawl.adapter.exceptions import PageTooLarge

if TYPE_CHECKING:
    from collections.abc import Callable

    from scrapy import Request
    from scrapy.http import Response

    from evocrawl.core.model import VisitId

_WANTED = frozenset(("script", "stylesheet", "xhr", "fetch"))
"""Kinds of requests that can add text or links. Images, fonts, media, frames, pings, event streams
and manifests cannot; web sockets are closed."""
METHODS = frozenset(("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"))
"""Methods of requests that are answered. Scrapy counts the requests of each method, and a page
could request with any number of methods that no server knows."""
_MOST_REQUESTS = 100
"""Requests that one page may make."""
_STEP_S = 1.0
_LOCAL = ("about", "blob", "data")


class PageLoad:
    """Answers the requests of the page of `visit`, which begins with `response` to `request`.

    The page itself is not requested a second time: the browser gets the response that the crawl
    has. If a script leads to another page, `target` is its address; it is not opened here. The page
    has `timeout_s` seconds; after that its open requests fail. `may_ask` returns whether the
    budget's share allows one more request.
    """

    def __init__(
        self,
        request: Request,
        response: Response,
        visit: VisitId,
        parts: PageParts,
        timeout_s: float,
        may_ask: Callable[[], bool],
        most_chars: int = 0,
    ) -> None:
        self.response = response
        self._request = request
        self.target = ""
        self._visit = visit
        self._parts = parts
        self._may_ask = may_ask
        self._most_chars = most_chars
        self._ends_s = monotonic() + timeout_s
        self._is_over = asyncio.Event()
        self._is_begun = False
        self._asked = 0

    @property
    def left_s(self) -> float:
        """Seconds that the page has left, 0 or more."""
        return 0.0 if self._is_over.is_set() else max(self._ends_s - monotonic(), 0.0)

    def end(self) -> None:
        """Answer no further request; open requests of the page fail."""
        self._is_over.set()

    async def route(self, route: Any, asked: Any) -> None:
        """Answer one request of the page; Playwright calls it."""
        with suppress(Exception):  # the page may be closed meanwhile
            part = await self._answer(asked)
            if part is not None:
                await route.fulfill(status=part.status, headers=part.headers, body=part.body)
            elif urlsplit(asked.url).scheme in _LOCAL:
                await route.fallback()
            else:
                await route.abort()

    async def settle(self, page: Any) -> None:
        """Wait until the page has been quiet for half a second, or until its time is over.

        Raises PageTooLarge if the page has become larger than `most_chars`.
        """
        from playwright.async_api import TimeoutError as TooSlow

        while self.left_s > 0:
            with suppress(TooSlow):
                await page.wait_for_load_state(
                    "networkidle", timeout=1000 * min(self.left_s, _STEP_S) + 1
                )
                await _let_scripts_run(page, self.left_s)
                break
        self.end()
        chars = await _characters(page) if self._most_chars else 0
        if chars > self._most_chars:
            raise PageTooLarge(f"{self.response.url} has {chars} characters in the browser")

    async def _answer(self, asked: Any) -> Part | None:
        if asked.is_navigation_request():
            return self._navigate(asked)
        if asked.resource_type not in _WANTED or urlsplit(asked.url).scheme in _LOCAL:
            return None
        if asked.method not in METHODS:
            return None
        if self._asked >= _MOST_REQUESTS or self.left_s <= 0 or not self._may_ask():
            return None
        self._asked += 1
        cookies = await asked.frame.page.context.cookies(asked.url)
        wanted = Asked(
            asked.url,
            asked.method,
            asked.resource_type,
            dict(asked.headers),
            asked.post_data_buffer,
            {each["name"]: each["value"] for each in cookies},
        )
        coming = asyncio.ensure_future(self._parts.get(wanted, self._request, self._visit))
        over = asyncio.ensure_future(self._is_over.wait())
        done, _ = await asyncio.wait(
            (coming, over), timeout=self.left_s, return_when=asyncio.FIRST_COMPLETED
        )
        over.cancel()
        return coming.result() if coming in done else None

    def _navigate(self, asked: Any) -> Part | None:
        """Answer the first navigation; note the target of a later one of the main frame."""
        if asked.frame.parent_frame is not None:
            return None
        if not self._is_begun:
            self._is_begun = True
            return Part.of(self.response)
        self.target = asked.url
        return None


async def _let_scripts_run(page: Any, most_s: float) -> None:
    """Wait, for at most `most_s` seconds, until the page has handled the answers that it has.

    On a busy machine a page may handle an answer more than half a second after it was sent. An
    expression is evaluated after what arrived in the page before it.
    """
    from playwright.async_api import Error

    with suppress(Error, TimeoutError):
        await asyncio.wait_for(page.evaluate("0"), most_s)


async def _characters(page: Any) -> int:
    """Return the length of the page's HTML, measured where no script of the page can interfere."""
    session = await page.context.new_cdp_session(page)
    tree = await session.send("Page.getFrameTree")
    frame = {"frameId": tree["frameTree"]["frame"]["id"]}
    world = await session.send("Page.createIsolatedWorld", frame)
    answer = await session.send(
        "Runtime.evaluate",
        {
            "expression": "document.documentElement.outerHTML.length",
            "contextId": world["executionContextId"],
        },
    )
    return int(answer["result"].get("value") or 0)
