"""Takes the requests that a spider yields as the links of its page."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from typing import TYPE_CHECKING, Any, Self

from scrapy import Request, signals
from scrapy.exceptions import IgnoreRequest
from twisted.python.failure import Failure

from evocrawl.ecosystem import Ecosystem
from evocrawl.flights import Flight, has_page
from evocrawl.items import PageItem
from evocrawl.meta import PLAIN, VISIT
from evocrawl.model import Fingerprint, Link
from evocrawl.probes import SOFT_404
from evocrawl.request_links import is_address, request_link

if TYPE_CHECKING:
    from scrapy.crawler import Crawler
    from scrapy.http import Response

    from evocrawl.flights import Flight


class LinksMiddleware:
    """Spider middleware, the last to see what a callback yields.

    Requests become links of the page, kept whole, for the population to choose from; items go
    on. When the callback is exhausted, or has failed half-way, the page is read, scored and noted
    on its visit. Requests that are no links pass: those with ``meta["evocrawl"] = False`` and
    those of other schemes than http and https.
    """

    def __init__(self, crawler: Crawler, ecosystem: Ecosystem) -> None:
        self._crawler = crawler
        self._ecosystem = ecosystem

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Build on the crawler's ecosystem."""
        return cls(crawler, Ecosystem.of(crawler))

    async def process_spider_output(
        self, response: Response, result: AsyncIterator[Any]
    ) -> AsyncIterator[Any]:
        """Take the requests out of what a callback yields."""
        requests: list[Request] = []
        flight = self._ecosystem.flight(response.request) if response.request else None
        try:
            async for output in result:
                if self._passes(output):
                    yield output
                else:
                    requests.append(output)
        except Exception:
            await self._finish(response, requests)
            self._known(flight)
            raise
        for item in await self._finish(response, requests):
            yield item
        self._known(flight)

    def _passes(self, output: object) -> bool:
        if not isinstance(output, Request):
            return True
        # A callback that hands response.meta on to its requests hands our key on too.
        output.meta.pop(VISIT, None)
        if output.meta.get(PLAIN) is False:
            return True
        return not output.url.startswith(("http:", "https:")) or not is_address(output)

    async def _finish(self, response: Response, requests: list[Request]) -> list[PageItem]:
        """Give the page its links and score it; return it where pages go through the pipelines."""
        flight = self._ecosystem.flight(response.request) if response.request else None
        if flight is None:
            # The answer to a request that was no visit: its links hang with the seeds.
            self._ecosystem.chronicle.place(self._links(requests, {}, None))
            return []
        if flight.is_read:
            links = tuple(self._links(requests, {}, flight))
            if flight.failure:
                self._ecosystem.chronicle.place(links)
            else:
                flight.links += links
            return []
        if not has_page(response.status) and not requests:
            return []
        reading = await self._ecosystem.read(response, any_text=True)
        if await self._ecosystem.is_soft_404(response, reading):
            flight.failure = SOFT_404
            # The page is none, but what its callback asks for may be: that hangs with the seeds.
            self._ecosystem.chronicle.place(self._links(requests, {}, flight))
            return []
        words = {link.fingerprint: link for link in reading.links}
        flight.links = tuple(self._links(requests, words, flight))
        item = self._ecosystem.page_item(response, reading, flight)
        if self._ecosystem.config.page_items:
            return [item]
        self._ecosystem.take(item)
        return []

    def _known(self, flight: Flight | None) -> None:
        if flight is not None:
            self._ecosystem.known(flight)

    def _links(
        self, requests: list[Request], words: dict[Fingerprint, Link], flight: Flight | None
    ) -> Iterator[Link]:
        names = self._ecosystem.names
        for request in requests:
            if not self._is_wanted(request):
                continue
            if names.admits(request):
                link = request_link(names, request, words, flight=flight)
                self._ecosystem.scheduler_stats.enqueued()
            else:
                self._drop(request)
                link = names.known(request, words)
            if link is not None:
                yield link

    def _drop(self, request: Request) -> None:
        """Tell that the dupe filter has dropped a request, as the engine does."""
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
