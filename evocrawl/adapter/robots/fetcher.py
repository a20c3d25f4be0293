"""Fetches robots.txt files without the downloader's queues.

The requests go through every downloader middleware (proxy, user agent, counters, guards) and
then straight to the download handler: they occupy no downloader slot, so a server that drips its
robots.txt holds up no other request. Redirects are followed here, because offsite filters and
duplicate filters would turn a redirect to another host into "no rules".
"""

from __future__ import annotations

import logging
import time
from contextvars import ContextVar
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

from scrapy import Request, signals
from scrapy.exceptions import DownloadTimeoutError, IgnoreRequest, NotSupported, StopDownload
from scrapy.http import Response
from scrapy.http.request import NO_CALLBACK
from scrapy.utils.asyncio import call_later, run_in_thread
from scrapy.utils.defer import deferred_from_coro
from scrapy.utils.log import failure_to_exc_info
from twisted.python.failure import Failure

from evocrawl.adapter.exceptions import AddressRefused, LeaseLost, OverBudget
from evocrawl.core.sanitize import one_line
from evocrawl.core.urls.resolve import header_text
from evocrawl.politeness.robots.parser import MAX_BYTES
from evocrawl.politeness.robots.rules import (
    MAX_REDIRECTS,
    RobotsRules,
    redirect_target,
    retry_after,
)

if TYPE_CHECKING:
    from scrapy.crawler import Crawler
    from twisted.internet.defer import Deferred

logger = logging.getLogger(__name__)

_RECEIVED = "evocrawl_robots_bytes"
_SENT = "evocrawl_robots_sent"
_INFLATED_MAX_BYTES = 8 * 1024 * 1024
_QUICK_TO_PARSE_BYTES = 32 * 1024
_TRACEBACKS = 10
_META: dict[str, Any] = {
    "dont_obey_robotstxt": True,
    "dont_redirect": True,
    "dont_retry": True,
    "dont_cache": True,
    _RECEIVED: 0,
    _SENT: False,
}

_fetched_here: ContextVar[tuple[str, ...]] = ContextVar("authorities fetched here", default=())
"""Authorities whose robots.txt the running code is part of fetching."""


class Withheld(IgnoreRequest):
    """A middleware has refused the request for robots.txt."""


class NotNowError(Withheld):
    """The request was withheld for a temporary reason, not because of the server."""


class OverBudgetError(NotNowError):
    """The budget has no request left for it."""


class UnleasedError(NotNowError):
    """This worker's lease of the host had run out."""


FAULTS = (
    ArithmeticError, AssertionError, AttributeError, ImportError, IndexError, KeyError, NameError,
    NotSupported, RuntimeError, TypeError,
)  # fmt: skip
"""Exceptions that a download handler or middleware raises for its own fault, not a server's."""


class RobotsAnswer(NamedTuple):
    """The rules of an authority, and the address at which they were found after redirects."""

    rules: RobotsRules
    url: str


class RobotsFetcher:
    """Fetches the robots.txt of an authority for the product token `agent`.

    `timeout_s` bounds the whole fetch: redirects, waiting in middlewares, dripping bodies. Of a
    body, 500 KiB are downloaded and the rest is cut off.
    """

    def __init__(self, crawler: Crawler, agent: str, timeout_s: float) -> None:
        assert crawler.stats is not None
        self._crawler = crawler
        self._stats = crawler.stats
        self._agent = agent
        self._timeout_s = timeout_s
        self._reported: set[str] = set()
        crawler.signals.connect(self._cut_off, signals.bytes_received)

    def fetch(self, authority: str) -> Deferred[RobotsAnswer]:
        """Return a Deferred of the answer.

        It fails with `Withheld` if the request was not sent (`OverBudgetError` without budget,
        `UnleasedError` without a lease), with `AddressRefused` if the address is forbidden, with
        one of `FAULTS` if a component of this process failed, and with other exceptions if the
        server could not be reached in time. The log has an error for each fault. Cancelling drops
        the connection.
        """
        answer = deferred_from_coro(self._follow(authority)).addErrback(self._report, authority)
        is_late = False

        def cut_short() -> None:
            nonlocal is_late
            is_late = True
            answer.cancel()

        timer = call_later(self._timeout_s, cut_short)

        def stop_timer(result: RobotsAnswer | Failure) -> RobotsAnswer | Failure:
            timer.cancel()
            if is_late:
                late = f"robots.txt of {authority} took longer than {self._timeout_s} s"
                return Failure(DownloadTimeoutError(late))  # type: ignore[no-untyped-call]
            return result

        return answer.addBoth(stop_timer)

    def _report(self, failure: Failure, authority: str) -> Failure:
        """Log a fault; with its traceback at the first fault of its kind."""
        if isinstance(failure.value, FAULTS):
            kind = f"{failure.type}: {failure.value}"
            is_new = kind not in self._reported and len(self._reported) < _TRACEBACKS
            self._reported.add(kind if is_new else "")
            logger.error(
                "robots.txt of %r cannot be requested: a component of this crawl failed: %s",
                authority,
                one_line(repr(failure.value)),
                exc_info=failure_to_exc_info(failure) if is_new else None,
            )
        return failure

    async def _follow(self, authority: str) -> RobotsAnswer:
        _fetched_here.set((*_fetched_here.get(), authority))
        request = _request_for(f"{authority}/robots.txt")
        for _ in range(MAX_REDIRECTS + 1):
            result = await self._request(request)
            if isinstance(result, Request):
                # A middleware of the project sends this request in place of ours.
                request = result.replace(
                    callback=NO_CALLBACK, dont_filter=True, meta={**result.meta, **_META}
                )
                continue
            location = header_text(result.headers.get("Location") or b"")
            target = redirect_target(result.status, result.url, location)
            if target is None:
                return RobotsAnswer(await self._read(result), request.url)
            request = _request_for(target)
        logger.debug("robots.txt of %r redirects more than %d times", authority, MAX_REDIRECTS)
        return RobotsAnswer(RobotsRules.unreachable(), request.url)

    async def _request(self, request: Request) -> Response | Request:
        assert self._crawler.engine is not None
        middlewares = self._crawler.engine.downloader.middleware
        try:
            return await middlewares.download_async(self._send, request)
        except AddressRefused:
            raise
        except LeaseLost as reason:
            raise UnleasedError(str(reason)) from reason
        except IgnoreRequest as reason:
            if request.meta.get(_SENT):
                raise
            kind = OverBudgetError if isinstance(reason, OverBudget) else Withheld
            raise kind(str(reason)) from reason

    async def _send(self, request: Request) -> Response:
        assert self._crawler.engine is not None
        request.meta[_SENT] = True
        # Our own limit keeps the beginning of a large file; this limit drops all of it.
        # Once the file is here the limit is read again, by the middleware that decompresses.
        request.meta["download_maxsize"] = 0
        self._stats.inc_value("robotstxt/request_count")
        response = await self._crawler.engine.downloader.handlers.download_request_async(request)
        request.meta["download_maxsize"] = _INFLATED_MAX_BYTES
        self._stats.inc_value("robotstxt/response_count")
        self._stats.inc_value(f"robotstxt/response_status_count/{response.status}")
        return response

    async def _read(self, response: Response) -> RobotsRules:
        parse = partial(
            RobotsRules.from_response,
            response.status,
            response.body[: MAX_BYTES + 1],
            self._agent,
            cache_control=_header(response, "Cache-Control"),
            retry_after_s=retry_after(_header(response, "Retry-After"), time.time()),
        )
        if len(response.body) <= _QUICK_TO_PARSE_BYTES:
            return parse()
        return await run_in_thread(parse)

    def _cut_off(self, data: bytes, request: Request) -> None:
        received = request.meta.get(_RECEIVED)
        if received is None:
            return
        request.meta[_RECEIVED] = received + len(data)
        if request.meta[_RECEIVED] > MAX_BYTES:
            raise StopDownload(fail=False)


def is_fetched_here(authority: str) -> bool:
    """Return whether the running code is part of fetching the robots.txt of `authority`.

    So is a downloader middleware that downloads something, such as a token, before it lets the
    request for robots.txt out. It would wait for itself if it waited for the rules.
    """
    return authority in _fetched_here.get()


def leave_fetches() -> None:
    """Make the running code, and what it starts, no part of fetching any robots.txt."""
    _fetched_here.set(())


def _request_for(url: str) -> Request:
    # Compressed, the first 500 KiB of a larger file could not be read alone.
    headers = {"Accept-Encoding": "identity"}
    return Request(url, callback=NO_CALLBACK, dont_filter=True, headers=headers, meta=_META)


def is_for_robots(request: Request) -> bool:
    """Return whether a request is for a robots.txt."""
    return _RECEIVED in request.meta


def _header(response: Response, name: str) -> str:
    value = response.headers.get(name)
    return value.decode("latin-1") if value else ""
