"""Takes the requests that a spider yields as the links of its page."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import TYPE_CHECKING, Any, Self

from scrapy import Request
from scrapy.utils.defer import maybe_deferred_to_future

from evocrawl.adapter.callback_links import CallbackLinks, turn
from evocrawl.adapter.callback_watch import CallbackWatch
from evocrawl.adapter.context import CrawlContext
from evocrawl.adapter.meta import PLAIN, VISIT
from evocrawl.core.urls.address import Address

if TYPE_CHECKING:
    from scrapy.crawler import Crawler
    from scrapy.http import Response

_MOST_HELD = 10_000
"""Requests of one callback that are held until it ends; as many links as a page may have."""


class LinksMiddleware:
    """Spider middleware, the last to see what a callback yields.

    Requests become links of the page: the population keeps each whole and chooses among them. Items
    go on. When the callback has ended or failed, the page is read, scored and noted on its visit.
    Requests that are no links go on, too: those with ``meta["evocrawl"] = False`` and those of
    other schemes than http and https.
    """

    def __init__(self, crawler: Crawler, context: CrawlContext) -> None:
        self._links = CallbackLinks(crawler, context)
        self._watch = CallbackWatch(crawler, context, self._links)
        context.on_open.append(self._watch.watch_calls)

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Build on the crawler's context."""
        return cls(crawler, CrawlContext.of(crawler))

    async def process_spider_output(
        self, response: Response, result: AsyncIterator[Any]
    ) -> AsyncIterator[Any]:
        """Take the requests out of what a callback yields."""
        links, callback = self._links, self._watch.callback_of(response)
        try:
            async for output in self._watch.outputs_of(callback, result):
                if output is response.request:
                    # Its meta has the number of the visit, which is not over.
                    output = response.request.copy()
                if _passes(output):
                    yield output
                    continue
                callback.requests.append(output)
                if callback.is_released:
                    links.link(callback)
                    # Let other tasks run: a callback may wait for them in a loop.
                    await maybe_deferred_to_future(turn())
                elif len(callback.requests) >= _MOST_HELD:
                    await links.no_longer_releasing(callback)
                    if not callback.is_released:
                        await links.release(callback)
        except Exception:
            await links.end(callback)
            links.complete(callback)
            raise
        for item in await links.end(callback):
            yield item
        links.complete(callback)


def _passes(output: object) -> bool:
    """Return whether `output` goes on to the engine: an item, or a request that is no link."""
    if not isinstance(output, Request):
        return True
    # A callback that copies response.meta to its requests copies evocrawl's key as well.
    output.meta.pop(VISIT, None)
    if output.meta.get(PLAIN) is False:
        return True
    return Address.of(output.url).fingerprint is None
