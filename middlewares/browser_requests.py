"""Applies the rules of the crawl to the requests that a browser makes by itself.

A page that scrapy-playwright opens asks for styles, images and data by itself, and follows
redirects by itself; Scrapy's middlewares see none of these requests. This module checks each before
it is sent: by the address guard, by robots.txt and by the budget, in which it is counted.

=======================  ==========================================================================
requests of              are seen by
=======================  ==========================================================================
a page of the crawl      PLAYWRIGHT_ABORT_REQUEST, after the project's own
a window it opens        a route of the browser's context
a redirect (Chromium)    the Fetch domain of the DevTools protocol: routes do not see redirects
a redirect (others)      none; the page is refused when it has come
a service worker         none is begun
a web socket             none is opened
=======================  ==========================================================================
"""

from __future__ import annotations

import asyncio
import inspect
import logging
from contextlib import suppress
from dataclasses import dataclass, field
from time import monotonic
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary, WeakSet

from scrapy import Request
from scrapy.exceptions import IgnoreRequest

from evocrawl.adapter.browser.playwright_internals import (
    can_be_wrapped,
    wrap_aborts,
    wrap_contexts,
    wrap_downloads,
)
from evocrawl.adapter.context import CrawlContext
from evocrawl.adapter.exceptions import OverBudget
from evocrawl.adapter.meta import REFUSED
from evocrawl.adapter.network.handler_classes import SCHEMES, is_browser
from evocrawl.adapter.network.handlers import handler_of
from evocrawl.core.errors import SettingError
from evocrawl.core.sanitize import one_line
from evocrawl.middlewares.guard import GuardMiddleware
from evocrawl.middlewares.robots import RobotsMiddleware

if TYPE_CHECKING:
    from scrapy.crawler import Crawler

logger = logging.getLogger(__name__)

_LOCAL = ("about:", "blob:", "data:")
_EMPTY = "about:blank"
_EMPTY_MS = 5_000
"""Milliseconds that a page has to become empty before it is closed."""
_ANSWERS_S = 2.0
"""Seconds that answers to the requests of a page may take after its end."""
_NO_ROBOTS = "dont_obey_robotstxt"


@dataclass(slots=True, eq=False)
class Visit:
    """A page that is being opened for `request`; `refusal` is the reason if it may not be opened.

    `url` is "" while the page is open. At its end `url` is its address, and the page may request
    nothing more. `pending` are its allowed requests that have no answer yet.
    """

    request: Request
    has_begun: bool = False
    url: str = ""
    pending: set[Any] = field(default_factory=set)
    refusal: IgnoreRequest | None = None


class Browser:
    """Applies the rules of `crawler` to a download handler of scrapy-playwright.

    Raises SettingError if the handler lacks a function that this class needs.
    """

    def __init__(self, crawler: Crawler, handler: Any) -> None:
        if not can_be_wrapped(handler):
            name = type(handler).__name__
            raise SettingError("DOWNLOAD_HANDLERS", name, "scrapy-playwright 0.0.48")
        assert crawler.stats is not None
        self._crawler = crawler
        self._stats = crawler.stats
        self._context = CrawlContext.of(crawler)
        self._guard = crawler.get_downloader_middleware(GuardMiddleware)
        self._robots = crawler.get_downloader_middleware(RobotsMiddleware)
        self._visits: WeakKeyDictionary[Any, Visit] = WeakKeyDictionary()
        self._sessions: WeakKeyDictionary[Any, Any] = WeakKeyDictionary()
        self._emptied: WeakSet[Any] = WeakSet()
        self._their_abort = wrap_aborts(handler, self._is_to_be_aborted)
        self._create_context = wrap_contexts(handler, self._create_watched_context)
        self._download = wrap_downloads(handler, self._download_watched)

    async def _create_watched_context(
        self, name: str, context_kwargs: dict[str, Any] | None, spider: Any = None
    ) -> Any:
        options = {"service_workers": "block", **(context_kwargs or {})}
        wrapper = await self._create_context(name=name, context_kwargs=options, spider=spider)
        await wrapper.context.route("**", self._route)
        await wrapper.context.route_web_socket("**", _close_socket)
        return wrapper

    async def _route(self, route: Any, asked: Any) -> None:
        """Send or abort a request of a window that no handler knows."""
        with suppress(Exception):  # the window may be closed meanwhile
            await (route.abort() if await self._is_to_be_aborted(asked) else route.continue_())

    async def _is_to_be_aborted(self, asked: Any) -> bool:
        """Decide in place of PLAYWRIGHT_ABORT_REQUEST whether to abort a request."""
        page, is_main = _page_of(asked)
        visit = self._visits.get(page) if page is not None else None
        if visit is not None and visit.url:
            return not asked.url.startswith(_LOCAL)
        if self._their_abort is not None:
            answer = self._their_abort(asked)
            if await answer if inspect.isawaitable(answer) else answer:
                return True
        is_main = is_main and asked.is_navigation_request()
        if visit is not None and is_main and not visit.has_begun:
            # The request of the crawl itself: it has passed the middlewares, and is counted.
            visit.has_begun = True
            return False
        if not await self._may_be_sent(asked.url, visit, is_main=is_main):
            return True
        if visit is not None:
            visit.pending.add(asked)
        return False

    async def _may_be_sent(self, url: str, visit: Visit | None, *, is_main: bool) -> bool:
        """Check a request that the browser is about to send; count it if it may be sent."""
        if url.startswith(_LOCAL):
            return True
        if visit is not None and visit.url:
            return False
        free = visit is not None and bool(visit.request.meta.get(_NO_ROBOTS))
        request = None
        try:
            request = Request(url, meta={_NO_ROBOTS: free})
            await self._check(request)
        except (IgnoreRequest, ValueError) as error:
            refusal = error if isinstance(error, IgnoreRequest) else IgnoreRequest(str(error))
            self._stats.inc_value("evocrawl/browser/refused")
            logger.debug("browser: the request for %s is refused: %s", one_line(url), refusal)
            if visit is not None and is_main:
                visit.refusal = refusal
                if request is not None and request.meta.get(REFUSED):
                    visit.request.meta[REFUSED] = True
            return False
        self._stats.inc_value("evocrawl/browser/requests")
        fetch = self._context.fetches.of(visit.request) if visit is not None else None
        if fetch is not None:
            fetch.requests += 1
        return True

    async def _check(self, request: Request) -> None:
        """Raise IgnoreRequest if `request` may not be sent; otherwise count it."""
        if self._guard is not None:
            try:
                await self._guard.process_request(request)
            except IgnoreRequest as refusal:
                self._guard.process_exception(request, refusal)
                raise
        if self._robots is not None:
            try:
                await self._robots.process_request(request)
            except IgnoreRequest:
                raise
            except Exception as error:  # without rules there is no permission
                raise IgnoreRequest(f"its robots.txt could not be fetched: {error!r}") from error
        if not self._context.journaled.spend(None):
            raise OverBudget(f"the budget of {self._context.budget.limit} requests is used up")

    async def _download_watched(self, request: Request, page: Any, spider: Any) -> Any:
        visit = self._visits[page] = Visit(request)
        watched = await self._watch_redirects(page)
        self._empty_before_close(page)
        try:
            response = await self._download(request, page, spider)
            if visit.url and response.url == _EMPTY:
                response = response.replace(url=visit.url)
        except Exception as error:
            if visit.refusal is None:
                raise
            raise visit.refusal from error
        if not watched and request.meta.get("redirect_urls"):
            for url in (*request.meta["redirect_urls"][1:], response.url):
                await self._may_be_sent(url, visit, is_main=True)
        if visit.refusal is not None:
            raise visit.refusal
        return response

    def _empty_before_close(self, page: Any) -> None:
        """Navigate a page to an empty page before it is closed.

        When a page closes, Chromium sends all its requests that are not decided yet. When a page
        navigates away, Chromium never sends them. Allowed requests, which count, are waited for.
        """
        if page in self._emptied:
            return
        self._emptied.add(page)
        close = page.close

        def note(asked: Any) -> None:
            if asked.redirected_from is not None:
                self._visits[page].pending.add(asked)

        def forget(asked: Any) -> None:
            self._visits[page].pending.discard(asked)

        page.on("request", note)
        page.on("requestfinished", forget)
        page.on("requestfailed", forget)

        async def close_emptied(**options: Any) -> None:
            visit = self._visits[page]
            visit.url = visit.url or page.url
            until_s = monotonic() + _ANSWERS_S
            while visit.pending and not page.is_closed() and monotonic() < until_s:
                await asyncio.sleep(0.02)
            with suppress(Exception):  # it hangs, or is closed already
                await page.goto(_EMPTY, timeout=_EMPTY_MS)
            await close(**options)

        page.close = close_emptied

    async def _watch_redirects(self, page: Any) -> bool:
        """Check each redirect before it is followed; return False without Chromium."""
        if page in self._sessions:
            return self._sessions[page] is not None
        try:
            session = await page.context.new_cdp_session(page)
        except Exception:
            self._sessions[page] = None
            return False
        self._sessions[page] = session
        main = (await session.send("Page.getFrameTree"))["frameTree"]["frame"]["id"]

        async def paused(event: dict[str, Any]) -> None:
            answer = {"requestId": event["requestId"]}
            is_allowed = True
            if event.get("redirectedRequestId"):
                is_main = event["resourceType"] == "Document" and event.get("frameId") == main
                visit = self._visits.get(page)
                is_allowed = await self._may_be_sent(
                    event["request"]["url"], visit, is_main=is_main
                )
            with suppress(Exception):  # the page may be closed meanwhile
                if is_allowed:
                    await session.send("Fetch.continueRequest", answer)
                else:
                    await session.send(
                        "Fetch.failRequest", {**answer, "errorReason": "BlockedByClient"}
                    )

        session.on("Fetch.requestPaused", lambda event: asyncio.ensure_future(paused(event)))
        await session.send("Fetch.enable", {"patterns": [{"urlPattern": "*"}]})
        return True


def watch_browsers(crawler: Crawler) -> None:
    """Apply the rules of the crawl to each handler that drives a browser."""
    assert crawler.engine is not None
    handlers = crawler.engine.downloader.handlers
    found = [each for scheme in SCHEMES if is_browser(type(each := handler_of(handlers, scheme)))]
    for handler in {id(each): each for each in found}.values():
        Browser(crawler, handler)


def _close_socket(socket: Any) -> Any:
    return socket.close()


def _page_of(asked: Any) -> tuple[Any, bool]:
    """Return the page that makes a request, None for none, and whether its main frame does."""
    try:
        frame = asked.frame
        return frame.page, frame.parent_frame is None
    except Exception:  # from a service worker, or from a page that does not exist yet
        return None, False
