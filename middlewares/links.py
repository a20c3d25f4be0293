"""Takes the requests that a spider yields as the links of its page."""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Self

from scrapy import Request, signals
from scrapy.exceptions import IgnoreRequest
from scrapy.utils.asyncio import call_later
from scrapy.utils.defer import maybe_deferred_to_future
from twisted.internet.defer import Deferred
from twisted.python.failure import Failure

from evocrawl.adapter.callback_waits import Outputs
from evocrawl.adapter.context import CrawlContext
from evocrawl.adapter.meta import PLAIN, VISIT
from evocrawl.adapter.requests import is_address, request_link, without_page_credentials
from evocrawl.adapter.scrapy_internals import (
    ask_scheduler_soon,
    close_spider_soon,
    has_spider_open,
    is_closing,
    run_soon,
)
from evocrawl.adapter.soft_404 import SOFT_404
from evocrawl.core.fetch import Fetch, has_page
from evocrawl.core.items import PageItem
from evocrawl.core.model import Fingerprint, Link
from evocrawl.core.sanitize import mask_secrets, one_line

if TYPE_CHECKING:
    from scrapy.crawler import Crawler
    from scrapy.http import Response

    from evocrawl.core.fetch import Fetch


logger = logging.getLogger(__name__)

_PATIENCE_S = 0.1
"""Seconds that a callback may wait before what it has yielded is scheduled."""
_LONG_S = 5.0
"""The same for a callback that has yielded no request yet."""
_MOST_HELD = 10_000
"""Requests of one callback that are held until it ends; as many links as a page may have."""


@dataclass(slots=True)
class _Callback:
    """A callback at work: requests held until it ends, and what became of its page.

    `is_released`: its page is settled while it goes on, and its further requests are scheduled as
    they come; `is_releasing` from the decision to do so until it is done. `items` are to be yielded
    at its end, `words` are the anchors read from the page, `is_watched` while a timer looks after
    it.
    """

    response: Response
    fetch: Fetch | None
    requests: list[Request] = field(default_factory=list)
    items: list[PageItem] = field(default_factory=list)
    words: dict[Fingerprint, Link] = field(default_factory=dict)
    is_watched: bool = False
    is_releasing: bool = False
    is_released: bool = False
    waited_s: float = 0.0
    closing_s: float = 0.0


def _turn() -> Deferred[None]:
    """Return what fires in the next turn of the event loop."""
    turn: Deferred[None] = Deferred()
    call_later(0, turn.callback, None)
    return turn


class LinksMiddleware:
    """Spider middleware, the last to see what a callback yields.

    Requests become links of the page, kept whole, for the population to choose from; items go
    on. When the callback is exhausted, or has failed half-way, the page is read, scored and noted
    on its visit. Requests that are no links pass: those with ``meta["evocrawl"] = False`` and
    those of other schemes than http and https.
    """

    def __init__(self, crawler: Crawler, context: CrawlContext) -> None:
        self._crawler = crawler
        self._context = context
        context.on_open.append(self._learn_from_failed_calls)

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Build on the crawler's context."""
        return cls(crawler, CrawlContext.of(crawler))

    async def process_spider_output(
        self, response: Response, result: AsyncIterator[Any]
    ) -> AsyncIterator[Any]:
        """Take the requests out of what a callback yields."""
        fetch = self._context.fetches.of(response.request) if response.request else None
        callback = _Callback(response, fetch)
        outputs = Outputs(result, lambda: self._waits(callback, outputs))
        try:
            async for output in outputs:
                if self._passes(output):
                    yield output
                    continue
                callback.requests.append(output)
                if callback.is_released:
                    self._link(callback)
                    # Others have their turn: a callback may wait for them in a loop of its own.
                    await maybe_deferred_to_future(_turn())
                elif len(callback.requests) >= _MOST_HELD:
                    await self._no_longer_releasing(callback)
                    if not callback.is_released:
                        await self._release(callback)
        except Exception:
            await self._end(callback)
            self._known(fetch)
            raise
        for item in await self._end(callback):
            yield item
        self._known(fetch)

    def _learn_from_failed_calls(self) -> None:
        """Learn the page of a callback that raises before it has returned anything to iterate over.

        A middleware that handles the exception gives outputs in its place: they come to
        `process_spider_output`, and with them the page. The page of an exception that no
        middleware handles comes here. Nothing of it may be missed by the spider middlewares, so
        this is no `process_spider_exception`.
        """
        assert self._crawler.engine is not None
        manager = self._crawler.engine.scraper.spidermw
        scrape_response = manager.scrape_response_async

        async def scrape_and_learn(call: Any, response: Response, request: Request) -> Any:
            try:
                return await scrape_response(call, response, request)
            except Exception:
                fetch = self._context.fetches.of(request)
                if fetch is not None:
                    await self._finish(_Callback(response, fetch))
                    self._known(fetch)
                raise

        manager.scrape_response_async = scrape_and_learn  # type: ignore[method-assign, assignment]

    async def _end(self, callback: _Callback) -> list[PageItem]:
        """Schedule the requests held, as the callback has ended; return the page's item."""
        await self._no_longer_releasing(callback)
        if callback.is_released:
            return callback.items
        return await self._finish(callback)

    async def _no_longer_releasing(self, callback: _Callback) -> None:
        """Wait for a release that has been decided on: the same requests are linked once."""
        while callback.is_releasing:
            await maybe_deferred_to_future(_turn())

    def _waits(self, callback: _Callback, outputs: Outputs) -> None:
        """Watch a callback that waits until it has ended."""
        if not callback.is_watched:
            callback.is_watched = True
            call_later(_PATIENCE_S, self._look, callback, outputs)

    def _look(self, callback: _Callback, outputs: Outputs) -> None:
        """Release what a callback that waits has yielded; end it where the crawl closes."""
        engine = self._crawler.engine
        assert engine is not None
        if not outputs.is_waiting or not has_spider_open(engine):
            callback.is_watched = False
            return
        callback.waited_s += _PATIENCE_S
        is_due = callback.requests or callback.waited_s > _LONG_S
        if is_due and not (callback.is_released or callback.is_releasing):
            callback.is_releasing = True  # now: the callback may end before the coroutine begins
            run_soon(self._release(callback))
        if is_closing(engine):
            callback.closing_s += _PATIENCE_S
            if callback.closing_s > self._context.config.closing_wait_s and outputs.give_up():
                logger.warning(
                    "scheduler: the crawl closes: the callback of %s, "
                    "which still waits, is given up",
                    one_line(mask_secrets(callback.response.url)),
                )
                return
        elif self._context.population.ended == "budget" and not engine.downloader.active:
            # What it waits for is never sent, and the crawl would never become idle.
            close_spider_soon(engine, "budget")
        call_later(_PATIENCE_S, self._look, callback, outputs)

    async def _release(self, callback: _Callback) -> None:
        """Settle the page of a callback that goes on, with the links that it has yielded so far."""
        fetch = callback.fetch
        callback.is_releasing = True
        try:
            if fetch and fetch.is_read and fetch.seen is None and not fetch.failure:
                return  # evospider reads the page
            items = await self._finish(callback)
        finally:
            callback.is_releasing = False
        callback.is_released = True
        callback.requests.clear()
        callback.items = items
        if fetch is None or not self._context.fetches.is_under_way(fetch):
            return
        if fetch.seen is not None and fetch.page is None:
            self._context.fetches.take(items[0] if items else fetch.seen)
        self._context.fetches.settle(fetch, "its callback goes on")
        assert self._crawler.engine is not None
        ask_scheduler_soon(self._crawler.engine)

    def _link(self, callback: _Callback) -> None:
        """Add further requests of a callback as links of its page, which is settled already."""
        fetch = callback.fetch
        links = list(self._links(callback.requests, callback.words, fetch))
        callback.requests.clear()
        if not links:
            return
        if fetch is None or fetch.page is None:
            self._context.journaled.place(links)
        else:
            self._context.journaled.link(fetch.page.fingerprint, links)
        assert self._crawler.engine is not None
        ask_scheduler_soon(self._crawler.engine)

    def _passes(self, output: object) -> bool:
        if not isinstance(output, Request):
            return True
        # A callback that copies response.meta to its requests copies evocrawl's key as well.
        output.meta.pop(VISIT, None)
        if output.meta.get(PLAIN) is False:
            return True
        return not output.url.startswith(("http:", "https:")) or not is_address(output)

    async def _finish(self, callback: _Callback) -> list[PageItem]:
        """Give the page its links and score it; return it where pages go through the pipelines."""
        response, requests = callback.response, callback.requests
        fetch = self._context.fetches.of(response.request) if response.request else None
        if fetch is None:
            # The response of a request that was no visit: its links become seeds.
            self._context.journaled.place(self._links(requests, {}, None))
            return []
        if fetch.is_read:
            links = tuple(self._links(requests, {}, fetch))
            if fetch.failure:
                self._context.journaled.place(links)
            else:
                fetch.links += links
            return []
        if fetch.seen is not None:
            # What a process_spider_exception gives in an exception's place comes by itself.
            fetch.links += tuple(self._links(requests, {}, fetch))
            return []
        if not has_page(response.status) and not requests:
            return []
        reading = await self._context.pages.read(response, any_text=True)
        if await self._context.pages.is_soft_404(response, reading):
            fetch.failure = SOFT_404
            # The page is no page, but its callback's requests may be good: they become seeds.
            self._context.journaled.place(self._links(requests, {}, fetch))
            return []
        callback.words = {link.fingerprint: link for link in reading.links}
        fetch.links = tuple(self._links(requests, callback.words, fetch))
        item = self._context.pages.item(response, reading, fetch)
        if self._context.config.page_items:
            return [item]
        self._context.fetches.take(item)
        return []

    def _known(self, fetch: Fetch | None) -> None:
        if fetch is not None:
            self._context.fetches.output_complete(fetch)

    def _links(
        self, requests: list[Request], words: dict[Fingerprint, Link], fetch: Fetch | None
    ) -> Iterator[Link]:
        names = self._context.names
        for request in requests:
            if not self._is_wanted(request):
                continue
            if names.admits(request):
                own = without_page_credentials(request)
                link = request_link(names, own, words, fetch=fetch)
                self._context.scheduler_stats.enqueued()
            else:
                self._drop(request)
                link = names.known(request, words)
            if link is not None:
                yield link

    def _drop(self, request: Request) -> None:
        """Send request_dropped for a request that the dupe filter drops, as the engine does."""
        self._crawler.signals.send_catch_log(
            signals.request_dropped, request=request, spider=self._crawler.spider
        )

    def _is_wanted(self, request: Request) -> bool:
        """Ask the handlers of request_scheduled, as the engine does; offsite filtering is one."""
        answers = self._crawler.signals.send_catch_log(
            signals.request_scheduled,
            request=request,
            spider=self._crawler.spider,
            dont_log=IgnoreRequest,
        )
        return not any(
            isinstance(answer, Failure) and isinstance(answer.value, IgnoreRequest)
            for _, answer in answers
        )
