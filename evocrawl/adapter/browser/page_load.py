"""Answers all requests of one page in the browser until the page's time is over."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import partial
from time import monotonic
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from evocrawl.adapter.browser.page_cookies import PageCookies
from evocrawl.adapter.browser.page_html import html_of
from evocrawl.adapter.browser.parts import Asked, PageParts, Part

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
_QUIET_S = 0.5
"""Seconds without a request, and without an open one, after which a page counts as loaded."""
_LOCAL = ("about", "blob", "data")
_NO_CONTENT = Part(204, {}, b"")


class PageLoad:
    """Answers the requests of the page of `visit`, which begins with `response` to `request`.

    The page itself is not requested a second time: the browser gets the response that the crawl
    has. If a script leads to another page, `target` is its address; it is not opened here. The page
    has `timeout_s` seconds; after that its open requests fail. `may_ask` returns whether the
    budget's share allows one more request. `most_chars` is the greatest length of its HTML (0: any)
    and holds in Chromium.
    """

    def __init__(
        self,
        request: Request,
        response: Response,
        visit: VisitId,
        parts: PageParts,
        timeout_s: float,
        may_ask: Callable[[], bool],
        *,
        most_chars: int = 0,
        is_chromium: bool = False,
        cookies: PageCookies | None = None,
    ) -> None:
        self.response = response
        self._request = request
        self.target = ""
        self._visit = visit
        self._parts = parts
        self._may_ask = may_ask
        self._most_chars = most_chars
        self._is_chromium = is_chromium
        self.cookies = cookies
        self._ends_s = monotonic() + timeout_s
        self._is_over = asyncio.Event()
        self._is_begun = False
        self._asked = self._open = 0
        self._changed = asyncio.Event()
        self._changed_s = monotonic()

    @property
    def left_s(self) -> float:
        """Seconds that the page has left, 0 or more."""
        return 0.0 if self._is_over.is_set() else max(self._ends_s - monotonic(), 0.0)

    def end(self) -> None:
        """Answer no further request; open requests of the page fail."""
        self._is_over.set()
        self._changed.set()

    async def route(self, route: Any, asked: Any) -> None:
        """Answer one request of the page; Playwright calls it.

        A request that cannot be answered is aborted, or else Playwright waits for its answer for
        ever, even if the page is closed.
        """
        try:
            await self._answer(route, asked)
        except Exception:  # the page may be closed meanwhile
            with suppress(Exception):
                await route.abort()

    async def _answer(self, route: Any, asked: Any) -> None:
        if asked.is_navigation_request():
            await _reply(route, asked, self._navigate(asked))
        elif self._accepts(asked):
            with self._under_way():
                await _reply(route, asked, await self._part(asked))
        else:
            await _reply(route, asked, None)

    async def settle(self, page: Any) -> None:
        """Wait until the page has been quiet for half a second, or until its time is over.

        In Chromium the page's HTML is read here, and the page can no longer change it. Raises
        PageTooLarge if it has more than `most_chars` characters.
        """
        self._changed_s = monotonic()
        while self.left_s > 0:
            await self._until_quiet()
            before_s = self._changed_s
            await _let_scripts_run(page, self.left_s)
            if self._changed_s == before_s:
                break
        self.end()
        await self._keep_cookies(page, self.response.url)
        if self._is_chromium:
            html = await html_of(page, self._most_chars)
            page.content = partial(_given, html)

    async def _until_quiet(self) -> None:
        """Wait until the page has been quiet for half a second, or until its time is over.

        Playwright's state "networkidle" does not do: it is reached, once and for all, while a long
        script runs between its own request and that for its data.
        """
        while self.left_s > 0:
            quiet_s = 0.0 if self._open else monotonic() - self._changed_s
            if quiet_s >= _QUIET_S:
                return
            self._changed.clear()
            most_s = self.left_s if self._open else min(_QUIET_S - quiet_s, self.left_s)
            with suppress(TimeoutError):
                await asyncio.wait_for(self._changed.wait(), most_s)

    @contextmanager
    def _under_way(self) -> Iterator[None]:
        """Count a request as open until the browser has its answer."""
        self._change(+1)
        try:
            yield
        finally:
            self._change(-1)

    def _change(self, more: int) -> None:
        self._open += more
        self._changed_s = monotonic()
        self._changed.set()

    def _accepts(self, asked: Any) -> bool:
        """Return whether a request of the page is made, and count it."""
        if not _is_wanted(asked) or urlsplit(asked.url).scheme in _LOCAL:
            return False
        if asked.method not in METHODS:
            return False
        if self._asked >= _MOST_REQUESTS or self.left_s <= 0 or not self._may_ask():
            return False
        self._asked += 1
        return True

    async def _part(self, asked: Any) -> Part | None:
        await self._keep_cookies(asked.frame.page, asked.url)
        wanted = Asked(
            asked.url,
            asked.method,
            asked.resource_type,
            dict(asked.headers),
            asked.post_data_buffer,
        )
        coming = asyncio.ensure_future(self._parts.get(wanted, self._request, self._visit))
        over = asyncio.ensure_future(self._is_over.wait())
        done, _ = await asyncio.wait(
            (coming, over), timeout=self.left_s, return_when=asyncio.FIRST_COMPLETED
        )
        over.cancel()
        return coming.result() if coming in done else None

    async def _keep_cookies(self, page: Any, url: str) -> None:
        """Keep the cookies that scripts have set, before a request and at the end."""
        if self.cookies is not None:
            self.cookies.keep(await page.context.cookies(url))

    def _navigate(self, asked: Any) -> Part | None:
        """Answer the first navigation; note the target of a later one of the main frame.

        The answer to the later one has no content, so the page stays (HTML, "navigate"). A form
        that a script sends by POST has no target: a redirect would ask for it by GET.
        """
        if asked.frame.parent_frame is not None:
            return None
        if not self._is_begun:
            self._is_begun = True
            return Part.of(self.response)
        if asked.method == "GET":
            self.target = asked.url
        return _NO_CONTENT


async def _reply(route: Any, asked: Any, part: Part | None) -> None:
    """Give the browser an answer; without one the request fails, unless it needs no network."""
    if part is not None:
        await route.fulfill(status=part.status, headers=part.headers, body=part.body)
    elif urlsplit(asked.url).scheme in _LOCAL:
        await route.fallback()
    else:
        await route.abort()


def _is_wanted(asked: Any) -> bool:
    """Return True for a request that can add text or links.

    Chromium has no kind for what a worker imports, nor for data that a page loads in advance.
    """
    kind = asked.resource_type
    return kind in _WANTED or (kind == "other" and asked.headers.get("accept") == "*/*")


async def _let_scripts_run(page: Any, most_s: float) -> None:
    """Wait, for at most `most_s` seconds, until the page has handled the answers that it has.

    On a busy machine a page may handle an answer more than half a second after it was sent. An
    expression is evaluated after what arrived in the page before it.
    """
    from playwright.async_api import Error

    with suppress(Error, TimeoutError):
        await asyncio.wait_for(page.evaluate("0"), most_s)


async def _given(html: str) -> str:
    return html
