"""Watches callbacks and errbacks while they wait; cancels them when the crawl ends."""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator
from dataclasses import dataclass
from time import monotonic
from typing import TYPE_CHECKING, Any
from weakref import WeakSet

from scrapy.http import Response
from scrapy.utils.asyncio import call_later

from evocrawl.adapter.callback_links import Callback, CallbackLinks
from evocrawl.adapter.callback_waits import Answer, Outputs, Wait
from evocrawl.adapter.context import FINISHED
from evocrawl.adapter.meta import VISIT
from evocrawl.adapter.scrapy_internals import (
    close_spider_soon,
    has_pending_requests,
    has_spider_open,
    is_closing,
    wrap_response_scrapes,
    wrap_spider_calls,
)
from evocrawl.core.sanitize import mask_secrets, one_line

if TYPE_CHECKING:
    from scrapy import Request
    from scrapy.core.engine import ExecutionEngine
    from scrapy.crawler import Crawler

    from evocrawl.adapter.context import CrawlContext

logger = logging.getLogger(__name__)

LOOK_S = 0.1
"""Seconds between two checks of the callbacks that wait, and seconds that a callback may wait
before its requests are scheduled or its place goes to other visits."""
LONG_S = 5.0
"""Seconds that a callback without a request so far may wait while others have places."""

_MOST_NAMED = 5


@dataclass(slots=True)
class _Call:
    """A callback or errback that waits, with its request and response (None for errbacks).

    `callback` holds its page and links, None before they are known.
    """

    request: Request
    response: Response | None
    callback: Callback | None = None


class CallbackWatch:
    """Watches callbacks and errbacks while they wait.

    - The visit of a callback that waits is settled, so that other visits get its place.
    - A callback is cancelled `closing_wait_s` seconds after the crawl has begun to close. The crawl
      first waits for requests under way, DOWNLOAD_TIMEOUT at most: the callback may need them.
    - A crawl closes when its budget is spent and only callbacks that wait are left: what they wait
      for is never sent, and the crawl would never become idle.
    """

    def __init__(self, crawler: Crawler, context: CrawlContext, links: CallbackLinks) -> None:
        self._crawler = crawler
        self._context = context
        self._links = links
        self._calls: dict[Wait, _Call] = {}
        self._begun: dict[int, Callback] = {}
        self._failed: WeakSet[Request] = WeakSet()
        """Requests whose errback was called."""
        self._engine: ExecutionEngine | None = None
        self._is_looking = False
        self._give_up_at_s: float | None = None
        self._last_at_s = 0.0

    def watch_calls(self) -> None:
        """Watch each callback and errback that the engine calls from now on.

        A coroutine function is watched until it returns, an errback that is an asynchronous
        generator until its end. `outputs_of` watches what callbacks yield.
        """
        self._engine = self._crawler.engine
        assert self._engine is not None
        call_spider = wrap_spider_calls(self._engine, self._call_errback)
        self._call_spider = call_spider
        self._scrape = wrap_response_scrapes(self._engine, self._scrape_response)

    def outputs_of(self, callback: Callback, result: AsyncIterator[Any]) -> Outputs:
        """Return an iterator over what a callback yields, which is watched."""
        request = callback.response.request
        assert request is not None
        call = _Call(request, callback.response, callback)
        outputs = Outputs(result, lambda: self._waits(outputs, call))
        return outputs

    def callback_of(self, response: Response) -> Callback:
        """Return the callback of a response; if it has waited, its page is settled already."""
        visit = response.request.meta.get(VISIT, 0) if response.request else 0
        begun = self._begun.pop(visit, None)
        if begun is not None:
            return begun
        return self._new_callback(response)

    def _new_callback(self, response: Response) -> Callback:
        fetch = self._context.fetches.of(response.request) if response.request else None
        return Callback(response, fetch)

    async def _call(self, result: Any, request: Request) -> Any:
        call = _Call(request, result if isinstance(result, Response) else None)
        if call.response is None:
            self._failed.add(request)
        answer = Answer(self._call_spider(result, request), lambda: self._waits(answer, call))
        output: Any = None
        try:
            output = await answer
        finally:
            if call.response is None and not isinstance(output, AsyncIterator):
                self._errback_ended(answer, request)
        return output

    async def _call_errback(self, result: Any, request: Request) -> Any:
        """Call the errback of a failed request; spider middlewares do not see its output."""
        output = await self._call(result, request)
        return self._watched(output, request) if isinstance(output, AsyncIterator) else output

    async def _watched(self, output: AsyncIterator[Any], request: Request) -> AsyncIterator[Any]:
        """Iterate over what an errback yields, which is watched."""
        outputs = Outputs(output, lambda: self._waits(outputs, _Call(request, None)))
        try:
            async for each in outputs:
                yield each
        except Exception:
            self._errback_ended(outputs, request)
            raise
        self._errback_ended(outputs, request)

    def _errback_ended(self, wait: Wait, request: Request) -> None:
        if wait.given_up_at_s is None:
            self._links.ended(request.meta.get(VISIT, 0))

    async def _scrape_response(self, _: Any, response: Response, request: Request) -> Any:
        """Call a callback; read its page if it raises before it returns.

        If a spider middleware handles the exception and gives outputs, `LinksMiddleware` reads the
        page. If none handles it, the page is read here. This is no `process_spider_exception`:
        all spider middlewares have to see the exception first.
        """
        try:
            return await self._scrape(self._call, response, request)
        except Exception:
            await self._links.failed(self.callback_of(response))
            raise

    def _waits(self, wait: Wait, call: _Call) -> None:
        if self._engine is None:  # A project tests its middlewares without a crawl.
            return
        self._calls[wait] = call
        if not self._is_looking:
            self._is_looking = True
            call_later(LOOK_S, self._look)

    def _look(self) -> None:
        engine = self._engine
        assert engine is not None
        self._calls = {wait: call for wait, call in self._calls.items() if wait.is_waiting}
        self._is_looking = bool(self._calls) and has_spider_open(engine)
        if not self._is_looking:
            return
        for wait, call in self._calls.items():
            self._release(wait, call, engine)
        if is_closing(engine):
            self._look_at_the_end(engine)
        elif self._is_spent(engine):
            self._log_spent()
            close_spider_soon(engine, "budget")
        call_later(LOOK_S, self._look)

    def _release(self, wait: Wait, call: _Call, engine: ExecutionEngine) -> None:
        """Settle the visit of a callback that has waited for too long."""
        waited_s = monotonic() - wait.since_s
        callback = call.callback
        if callback is not None and callback.requests:
            is_due = waited_s >= LOOK_S
        else:
            is_due = waited_s >= (LOOK_S if self._holds_others_up(engine) else LONG_S)
        if not is_due:
            return
        if call.response is None:  # an errback
            self._links.settle_failed(call.request)
            return
        callback = self._begin(call, call.response)
        if callback.fetch is not None:
            self._links.release_soon(callback)

    def _begin(self, call: _Call, response: Response) -> Callback:
        """Return the callback of a call, also of one that has returned nothing yet."""
        if call.callback is None:
            call.callback = self._new_callback(response)
            if call.callback.fetch is not None:
                self._begun[call.callback.fetch.visit.id] = call.callback
        return call.callback

    def _holds_others_up(self, engine: ExecutionEngine) -> bool:
        """Return whether visits wait for a place although the downloader has room."""
        return not self._context.population.may_open and not engine.downloader.needs_backout()

    def _is_spent(self, engine: ExecutionEngine) -> bool:
        """Return whether the budget is spent and nothing is left but callbacks that wait."""
        if engine.downloader.active or has_pending_requests(engine):
            return False
        return self._context.stop_reason(FINISHED) == "budget"

    def _log_spent(self) -> None:
        names = [self._name(call) for call in self._calls.values()]
        more = len(names) - _MOST_NAMED
        logger.warning(
            "scheduler: the budget is spent: the crawl ends although callbacks still wait: %s%s",
            ", ".join(names[:_MOST_NAMED]),
            f" and {more} more" if more > 0 else "",
        )

    def _look_at_the_end(self, engine: ExecutionEngine) -> None:
        """Cancel the callbacks that still wait, if the crawl has been closing for long enough."""
        now_s, wait_s = monotonic(), self._context.config.closing_wait_s
        if self._give_up_at_s is None:
            self._give_up_at_s = now_s + wait_s
            timeout_s = self._crawler.settings.getfloat("DOWNLOAD_TIMEOUT")
            self._last_at_s = now_s + wait_s + timeout_s
        if engine.downloader.active:
            self._give_up_at_s = min(now_s + wait_s, self._last_at_s)
        if now_s < self._give_up_at_s:
            return
        for wait, call in self._calls.items():
            self._give_up(wait, call, now_s)

    def _give_up(self, wait: Wait, call: _Call, now_s: float) -> None:
        if wait.given_up_at_s is not None and now_s < wait.given_up_at_s + LOOK_S:
            return
        is_first = wait.given_up_at_s is None
        if not wait.give_up(now_s):
            return
        if call.response is not None:
            self._begin(call, call.response).is_given_up = True
        if is_first:
            logger.warning(
                "scheduler: the crawl closes: the callback %s, which still waits, is given up",
                self._name(call),
            )

    def _name(self, call: _Call) -> str:
        """Return the name of a callback or errback, and the URL of its request."""
        request, is_errback = call.request, call.request in self._failed
        method = request.errback if is_errback else request.callback
        name = getattr(method, "__name__", "errback" if is_errback else "parse")
        return f"{one_line(name)} of {one_line(mask_secrets(request.url))}"
