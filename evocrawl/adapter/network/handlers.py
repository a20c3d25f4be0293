"""Patches download handlers: every try is counted, no request is sent on a closed connection."""

from __future__ import annotations

import asyncio
import gc
import logging
from collections.abc import Callable, Coroutine
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any

from scrapy.downloadermiddlewares.cookies import CookiesMiddleware
from scrapy.exceptions import DownloadTimeoutError
from scrapy.utils.asyncio import is_asyncio_available

from evocrawl.adapter.network.cookies import bound_cookie_jars
from evocrawl.adapter.network.handler_classes import check_loaded
from evocrawl.adapter.network.header_limits import bound_headers
from evocrawl.core.sanitize import mask_secrets, one_line

if TYPE_CHECKING:
    from scrapy import Request
    from scrapy.crawler import Crawler
    from scrapy.http import Response

    Download = Callable[[Request], Coroutine[Any, Any, Response]]


def handler_of(handlers: Any, scheme: str) -> Any:
    """Return the handler of a scheme among the downloader's `handlers`, None without one."""
    return handlers._get_handler(scheme)


def pool_of(handler: Any) -> Any:
    """Return the pool of connections of Scrapy's HTTP/1.1 handler, None for other handlers."""
    return getattr(handler, "_pool", None)


def patch_handlers(handlers: Any) -> None:
    """Patch the connection pools and time-outs of a downloader's handlers for http and https."""
    for scheme in ("http", "https"):
        pool = pool_of(handler_of(handlers, scheme))
        keep_honest(pool)
        bound_headers(pool)
    keep_deadlines(handlers)


def keep_honest(pool: Any) -> None:
    """Patch two faults of Twisted's pool of kept-alive connections.

    - The pool repeats a GET whose connection breaks before a response, and the budget does not
      count it. Scrapy's own retry does the same and is counted.
    - The pool takes back a connection that this side is closing, for instance after a response
      that is too large. The next request would fail on it unsent.

    Pools of other kinds stay as they are.
    """
    if hasattr(pool, "retryAutomatically"):
        pool.retryAutomatically = False
    if not hasattr(pool, "_putConnection"):
        return
    put = pool._putConnection

    def put_if_open(key: Any, connection: Any) -> None:
        if not _is_closing(connection.transport):
            put(key, connection)

    pool._putConnection = put_if_open


def check_at_last(handlers: Any, checks: ContextVar[Callable[[], None] | None]) -> None:
    """Check each request once more when its connection is open, then send it at once.

    The event loop runs while a connection is made, and the process may be stopped for a minute
    then. `checks` has the check of the component that sends a request; if it raises, nothing is
    sent. Handlers without a pool of connections stay as they are.
    """
    for scheme in ("http", "https"):
        pool = pool_of(handler_of(handlers, scheme))
        if hasattr(pool, "getConnection"):
            pool.getConnection = _checking(pool.getConnection, checks)


def _checking(get: Any, checks: ContextVar[Callable[[], None] | None]) -> Any:
    def get_checked(key: Any, endpoint: Any) -> Any:
        check = checks.get()
        connecting = get(key, endpoint)
        return connecting if check is None else connecting.addCallback(_checked, check)

    return get_checked


def _checked(connection: Any, check: Callable[[], None]) -> Any:
    try:
        check()
    except BaseException:
        connection.transport.loseConnection()
        raise
    send = connection.request

    def send_at_once(request: Any) -> Any:
        del connection.request
        answer = send(request)
        _flush(connection.transport)
        return answer

    connection.request = send_at_once
    return connection


def _flush(transport: Any) -> None:
    """Write now what would be written in the next iteration of the event loop."""
    while not hasattr(transport, "doWrite") and hasattr(transport, "transport"):
        transport = transport.transport  # TLS wraps TCP
    if hasattr(transport, "doWrite"):
        transport.doWrite()


def _is_closing(transport: Any) -> bool:
    """Return whether a plain or a TLS transport is being closed."""
    return any(
        getattr(transport, name, False) for name in ("disconnecting", "_aborting", "_aborted")
    )


logger = logging.getLogger(__name__)

MOST_GRACE_S = 10.0
"""Seconds that a request may take beyond its time-out; at most as long as the time-out."""


def keep_deadlines(handlers: Any) -> None:
    """Have each request end, in an error, soon after its ``download_timeout``.

    Scrapy leaves time-outs to its download handlers, and its own keep them. A handler that waits
    for something else, such as a browser, may never answer. Its request would then hold its place
    in the downloader for ever, and the crawl would never end. `handlers` are the downloader's.
    Without asyncio, or without a time-out, nothing is done.
    """
    if not is_asyncio_available():
        return

    async def fetch_in_time(request: Request) -> Response:
        timeout_s = float(request.meta.get("download_timeout") or 0)
        if timeout_s <= 0:
            return await fetch(request)
        fetching = asyncio.ensure_future(fetch(request))
        try:
            await asyncio.wait([fetching], timeout=timeout_s + min(timeout_s, MOST_GRACE_S))
            if fetching.done():
                return fetching.result()
        finally:
            # Not awaited: a handler that ignores its time-out may ignore this, too.
            fetching.cancel()
        logger.warning(
            "network: a request was given up, since its download handler does not answer: %s",
            one_line(mask_secrets(request.url)),
        )
        raise DownloadTimeoutError(f"Getting {request.url} took longer than {timeout_s} seconds.")

    fetch = wrap_downloads(handlers, fetch_in_time)


def wrap_downloads(handlers: Any, download: Download) -> Download:
    """Make the downloader send requests by `download`; return what it has used."""
    wrapped: Download = handlers.download_request_async
    handlers.download_request_async = download
    return wrapped


def patch(crawler: Crawler) -> None:
    """Patch connections, bound cookies, and keep permanent objects from the garbage collector.

    Raises SettingError if there is no download handler.
    """
    # Each collection would take a tenth of a second.
    gc.collect()
    gc.freeze()
    assert crawler.engine is not None
    check_loaded(crawler.engine.downloader.handlers)
    patch_handlers(crawler.engine.downloader.handlers)
    cookies = crawler.get_downloader_middleware(CookiesMiddleware)
    if cookies is not None:
        bound_cookie_jars(cookies)


def unpatch() -> None:
    """Return all objects to the garbage collector, for the rest of the process."""
    gc.unfreeze()
