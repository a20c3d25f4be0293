"""Gives plain names to the private parts of Scrapy that evocrawl uses.

What evocrawl uses of Scrapy's download handlers is in `evocrawl.adapter.network`.
`tests/adapter/test_scrapy_internals.py` fails when Scrapy changes one of these.
"""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Callable, Collection, Coroutine, Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from pydispatch.dispatcher import getReceivers  # type: ignore[import-untyped]
from scrapy import signals
from scrapy.cmdline import execute
from scrapy.commands import ScrapyCommand
from scrapy.downloadermiddlewares.retry import RetryMiddleware
from scrapy.utils.asyncio import is_asyncio_available
from scrapy.utils.defer import _schedule_coro, maybe_deferred_to_future
from twisted.internet.defer import Deferred
from twisted.internet.task import deferLater
from twisted.logger import globalLogBeginner

if TYPE_CHECKING:
    from types import FrameType

    from scrapy import Request
    from scrapy.core.downloader import Downloader, Slot
    from scrapy.core.engine import ExecutionEngine
    from scrapy.crawler import Crawler
    from scrapy.dupefilters import RFPDupeFilter
    from scrapy.http import Response


def has_spider_open(engine: ExecutionEngine) -> bool:
    """Return whether the engine works for a spider: False before it opens and after it closes."""
    return engine._slot is not None


def is_closing(engine: ExecutionEngine) -> bool:
    """Return whether the engine is closing its spider."""
    return engine._slot is not None and engine._slot.closing is not None


def requests_in_engine(engine: ExecutionEngine) -> Collection[Request]:
    """Return the requests in the engine, from the scheduler to the end of their callbacks.

    Raises AssertionError if no spider is open.
    """
    assert engine._slot is not None
    return engine._slot.inprogress


def has_start_requests(engine: ExecutionEngine) -> bool:
    """Return whether the spider's start() may still yield requests."""
    return engine._start is not None


def ask_scheduler_soon(engine: ExecutionEngine) -> None:
    """Make the engine ask the scheduler for requests in the next turn of the event loop."""
    if engine._slot is not None:
        engine._slot.nextcall.schedule()


def has_pending_requests(engine: ExecutionEngine) -> bool:
    """Return whether the scheduler has requests, or may have some soon."""
    return engine._slot is not None and engine._slot.scheduler.has_pending_requests()


SpiderCall = Callable[[Any, Any], Coroutine[Any, Any, Any]]
"""Calls the callback or errback of a request: ``await call(response or failure, request)``."""
ResponseScrape = Callable[[SpiderCall, Any, Any], Coroutine[Any, Any, Any]]
"""Calls a callback through the spider middlewares: ``await scrape(call, response, request)``."""
ResultQueue = Callable[[Any, Any], Any]
"""Takes the response or failure of a request for the spider: ``queue(result, request)``."""


def wrap_spider_calls(engine: ExecutionEngine, call: SpiderCall) -> SpiderCall:
    """Make the engine use `call` for errbacks of failed requests; return what it has used.

    Callbacks are called through `wrap_response_scrapes`, which is given `call` too.
    """
    wrapped, engine.scraper.call_spider_async = engine.scraper.call_spider_async, call  # type: ignore[method-assign,assignment]
    return wrapped


def wrap_response_scrapes(engine: ExecutionEngine, scrape: ResponseScrape) -> ResponseScrape:
    """Make the engine use `scrape` for responses; return what it has used."""
    manager = engine.scraper.spidermw
    wrapped, manager.scrape_response_async = manager.scrape_response_async, scrape  # type: ignore[method-assign,assignment]
    return wrapped


def wrap_result_queue(engine: ExecutionEngine, queue: ResultQueue) -> ResultQueue:
    """Make the engine use `queue` for what goes to the spider; return what it has used."""
    wrapped, engine.scraper.enqueue_scrape = engine.scraper.enqueue_scrape, queue  # type: ignore[method-assign,assignment]
    return wrapped


@contextmanager
def body_not_counted(engine: ExecutionEngine, response: Response) -> Iterator[None]:
    """Let the engine send requests as if it had no body of `response` in its callbacks.

    It sends none while the bodies there are larger than SCRAPER_SLOT_MAX_ACTIVE_SIZE together.
    """
    slot = engine.scraper.slot
    if slot is None:
        yield
        return
    size = len(response.body)
    slot.active_size -= size
    ask_scheduler_soon(engine)
    try:
        yield
    finally:
        slot.active_size += size


def run_soon(coroutine: Coroutine[Any, Any, Any]) -> None:
    """Run `coroutine` on the event loop; nothing waits for its result."""
    _schedule_coro(coroutine)


def close_spider_soon(engine: ExecutionEngine, reason: str) -> None:
    """Make the engine close its spider for `reason`."""
    run_soon(engine.close_spider_async(reason=reason))


def default_delay_s(downloader: Downloader) -> float:
    """Return the delay that the downloader gives to new slots; AutoThrottle changes it."""
    return downloader._delay


def allow_more_requests(downloader: Downloader, number: int) -> None:
    """Let `number` more requests than before be under way at once; fewer if it is negative."""
    downloader.total_concurrency += number


def download_slot(downloader: Downloader, request: Request) -> Slot:
    """Return the downloader's slot of `request`; the downloader makes it if there is none."""
    return downloader._get_slot(request)[1]


class OpenRetryMiddleware(RetryMiddleware):
    """Scrapy's RetryMiddleware; subclasses may override `retried`, which makes each retry."""

    def retried(
        self, request: Request, reason: str | Exception | type[Exception]
    ) -> Request | None:
        """Return the retry of a request, None after the last one."""
        return super()._retry(request, reason)

    def _retry(self, request: Request, reason: str | Exception | type[Exception]) -> Request | None:
        return self.retried(request, reason)


def given_encoding(response: Response) -> str | None:
    """Return the encoding with which a response was made, None without one."""
    encoding: str | None = getattr(response, "_encoding", None)
    return encoding


def forget_seen(dupefilter: RFPDupeFilter) -> None:
    """Remove the requests that Scrapy's dupe filter has read from a JOBDIR."""
    dupefilter._fingerprints.clear()


def exit_with_failure(crawler: Crawler) -> None:
    """Make ``scrapy crawl`` exit with 1; Scrapy exits with 0 for any crawler that has a spider."""
    crawler.spider = None


def prints_errors() -> bool:
    """Return whether Twisted prints critical errors to stderr, as no observer was begun with."""
    return getattr(globalLogBeginner, "_temporaryObserver", None) is not None


def running_command() -> ScrapyCommand | None:
    """Return the command of Scrapy's command line that runs now, None in a script.

    Scrapy hands it to no component: it is a local variable of the function that runs it.
    """
    command = _command_line().get("cmd")
    return command if isinstance(command, ScrapyCommand) else None


def spider_arguments() -> dict[str, Any]:
    """Return the arguments ``-a`` of Scrapy's command line, none in a script."""
    return getattr(_command_line().get("opts"), "spargs", None) or {}


def _command_line() -> Mapping[str, Any]:
    """Return the local variables of the function that runs Scrapy's command line."""
    frame: FrameType | None = sys._getframe()
    while frame is not None:
        if frame.f_code is execute.__code__:
            return frame.f_locals
        frame = frame.f_back
    return {}


def delay_stops(crawler: Crawler) -> None:
    """Let the first stop of a crawl that is being opened wait until its engine runs.

    Scrapy ignores a stop before that, and its process then ends with the spider open. A second stop
    does not wait.
    """
    stop, started = crawler.stop_async, Deferred[None]()

    def note() -> None:
        if not started.called:
            started.callback(None)

    async def stop_later() -> None:
        crawler.stop_async = stop  # type: ignore[method-assign]
        engine = crawler.engine
        if engine is not None and crawler.crawling and not engine.running:
            await maybe_deferred_to_future(started)
            # It runs when all handlers of the signal have returned. Its first request comes later.
            while crawler.crawling and engine._starting and not engine.running:
                await _next_turn()
        await stop()

    for signal in (signals.engine_started, signals.spider_closed):
        crawler.signals.connect(note, signal, weak=False)
    crawler.stop_async = stop_later  # type: ignore[method-assign]


async def _next_turn() -> None:
    """Let the event loop run once."""
    if is_asyncio_available():
        await asyncio.sleep(0)
        return
    from twisted.internet import reactor

    await deferLater(reactor, 0)


def connect_first(crawler: Crawler, handler: Callable[..., object], signal: object) -> None:
    """Connect `handler` before the handlers connected already; the last answer of all counts."""
    crawler.signals.connect(handler, signal)
    handlers = getReceivers(crawler.signals.sender, signal)
    handlers.insert(0, handlers.pop())
