"""Gives the page of a callback its links: the requests that the callback yields."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from scrapy import Request, signals
from scrapy.exceptions import IgnoreRequest
from scrapy.utils.asyncio import call_later
from scrapy.utils.defer import maybe_deferred_to_future
from twisted.internet.defer import Deferred
from twisted.python.failure import Failure

from evocrawl.adapter.requests import cleaned
from evocrawl.adapter.scrapy_internals import ask_scheduler_soon, run_soon
from evocrawl.adapter.soft_404 import SOFT_404
from evocrawl.core.fetch import has_page
from evocrawl.core.sanitize import mask_secrets, one_line
from evocrawl.core.urls.address import Address

if TYPE_CHECKING:
    from scrapy.crawler import Crawler
    from scrapy.http import Response

    from evocrawl.adapter.context import CrawlContext
    from evocrawl.core.fetch import Fetch
    from evocrawl.core.items import PageItem
    from evocrawl.core.model import Fingerprint, Link, VisitId

logger = logging.getLogger(__name__)


@dataclass(slots=True)
class Callback:
    """A callback at work: the requests that it has yielded, and its page.

    =============  ================================================================================
    field          meaning
    =============  ================================================================================
    fetch          notes on the visit of its response, None if that belongs to no visit
    requests       requests that are held until the callback ends
    items          items of its page, to be yielded at its end
    words          links read from the page by target, for anchors
    is_releasing   the settling of its page has been decided and is not done yet
    is_released    its page is settled; its further requests are scheduled as they come
    is_given_up    it was cancelled before its end: a later run fetches its page again
    =============  ================================================================================
    """

    response: Response
    fetch: Fetch | None
    requests: list[Request] = field(default_factory=list)
    items: list[PageItem] = field(default_factory=list)
    words: dict[Fingerprint, Link] = field(default_factory=dict)
    is_releasing: bool = False
    is_released: bool = False
    is_given_up: bool = False


def turn() -> Deferred[None]:
    """Return a Deferred that fires in the next iteration of the event loop."""
    deferred: Deferred[None] = Deferred()
    call_later(0, deferred.callback, None)
    return deferred


class CallbackLinks:
    """Reads, scores and settles the pages of callbacks, with the requests yielded as links."""

    def __init__(self, crawler: Crawler, context: CrawlContext) -> None:
        self._crawler = crawler
        self._context = context
        self._continued: set[VisitId] = set()
        """Settled visits whose callbacks or errbacks go on."""

    async def end(self, callback: Callback) -> list[PageItem]:
        """Schedule the requests held, as the callback has ended; return the page's items."""
        await self.no_longer_releasing(callback)
        if callback.is_released:
            return callback.items
        return await self._finish(callback)

    async def failed(self, callback: Callback) -> None:
        """Read and score the page of a callback that raised before it returned anything."""
        if callback.fetch is not None:
            await self.end(callback)
            self.complete(callback)

    def complete(self, callback: Callback) -> None:
        """Note that a callback yields nothing more: it has ended, has raised or was given up."""
        fetch = callback.fetch
        if fetch is None:
            return
        if not callback.is_given_up:
            self.ended(fetch.visit.id)
        elif self._context.fetches.is_under_way(fetch):
            self._context.journaled.callback_continues(fetch.visit.id)
        self._context.fetches.output_complete(fetch)

    def ended(self, visit: VisitId) -> None:
        """Note that the callback or errback of `visit` has ended, if the visit is settled."""
        if visit in self._continued:
            self._continued.remove(visit)
            self._context.journaled.callback_ended(visit)

    async def no_longer_releasing(self, callback: Callback) -> None:
        """Wait for a release that has been decided on: the same requests are linked once."""
        while callback.is_releasing:
            await maybe_deferred_to_future(turn())

    def release_soon(self, callback: Callback) -> None:
        """Begin to release a callback, unless it is released or being released."""
        if not (callback.is_released or callback.is_releasing):
            callback.is_releasing = True  # at once: the callback may end before the coroutine runs
            run_soon(self.release(callback))

    async def release(self, callback: Callback) -> None:
        """Settle the page of a callback that has not ended, with the links yielded so far."""
        fetch = callback.fetch
        callback.is_releasing = True
        try:
            if fetch and self._reads_itself(callback, fetch):
                return
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
        self._settle(fetch, "its callback goes on")

    def _reads_itself(self, callback: Callback, fetch: Fetch) -> bool:
        """Return whether evospider is to read the page, or reads it: it has no links before."""
        request = callback.response.request
        is_parse = self._context.spider_reads and request and request.callback is None
        return bool(is_parse or fetch.is_read) and fetch.seen is None and not fetch.failure

    def settle_failed(self, request: Request) -> None:
        """Settle the visit of a request that has failed and whose errback goes on."""
        fetch = self._context.fetches.of(request)
        if fetch is not None and fetch.is_answered:
            self._settle(fetch, "its errback goes on")

    def link(self, callback: Callback) -> None:
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
        self._ask_scheduler()

    def _settle(self, fetch: Fetch, otherwise: str) -> None:
        """Settle a visit whose callback goes on; the next run repeats it if that never ends."""
        self._context.journaled.callback_continues(fetch.visit.id)
        self._continued.add(fetch.visit.id)
        self._context.fetches.settle(fetch, otherwise)
        self._ask_scheduler()

    def _ask_scheduler(self) -> None:
        assert self._crawler.engine is not None
        ask_scheduler_soon(self._crawler.engine)

    async def _finish(self, callback: Callback) -> list[PageItem]:
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
            # The outputs of a process_spider_exception come without the callback's page.
            fetch.links += tuple(self._links(requests, {}, fetch))
            return []
        if not has_page(response.status) and not requests:
            return []
        reading = await self._context.pages.read(response, any_text=True)
        if await self._context.pages.is_soft_404(response, reading):
            fetch.failure = SOFT_404
            # The response is not a page, but its callback's requests are kept: they become seeds.
            self._context.journaled.place(self._links(requests, {}, fetch))
            return []
        callback.words = {link.fingerprint: link for link in reading.links}
        fetch.links = tuple(self._links(requests, callback.words, fetch))
        item = self._context.pages.item(response, reading, fetch)
        if self._context.config.page_items:
            return [item]
        self._context.fetches.take(item)
        return []

    def _links(
        self, requests: list[Request], words: dict[Fingerprint, Link], fetch: Fetch | None
    ) -> Iterator[Link]:
        for request in requests:
            if not self._is_wanted(request):
                continue
            try:
                link = self._link_of(request, words, fetch)
            except Exception:
                # The project's dupe filter or fingerprinter: the other requests are good.
                url = one_line(mask_secrets(request.url))
                logger.exception("scheduler: the request for %s cannot be scheduled", url)
                continue
            if link is not None:
                yield link

    def _link_of(
        self, request: Request, words: dict[Fingerprint, Link], fetch: Fetch | None
    ) -> Link | None:
        names, address = self._context.names, Address.of(request.url)
        own = cleaned(request, address)
        if not names.admits(own, address):
            self._drop(request)
            return names.known(own, address, words)
        link = names.link_of(own, address, words, fetch=fetch)
        self._context.scheduler_stats.enqueued()
        return link

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
