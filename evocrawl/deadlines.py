"""No request lasts for ever, whatever fetches it."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Coroutine
from typing import TYPE_CHECKING, Any

from scrapy.exceptions import DownloadTimeoutError
from scrapy.utils.asyncio import is_asyncio_available

from evocrawl.showing import masked, shown

if TYPE_CHECKING:
    from scrapy import Request
    from scrapy.http import Response

logger = logging.getLogger(__name__)

MOST_GRACE_S = 10.0
"""How much longer than its time-out a request may take at most; never longer than twice as long."""


def keep_deadlines(handlers: Any) -> None:
    """Have each request end, in an error, soon after its ``download_timeout``.

    Scrapy leaves time-outs to its download handlers, and its own keep them. One that waits for
    something else, such as a browser, may never answer: its request would hold its place in the
    downloader, and keep the crawl from ending, for ever. `handlers` are the downloader's. Without
    asyncio, or without a time-out, nothing is done.
    """
    if not is_asyncio_available():
        return
    fetch: Callable[[Request], Coroutine[Any, Any, Response]] = handlers.download_request_async

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
            # Not awaited: who ignores its time-out may ignore this, too.
            fetching.cancel()
        logger.warning(
            "given up, its download handler does not answer: %s", shown(masked(request.url))
        )
        raise DownloadTimeoutError(f"Getting {request.url} took longer than {timeout_s} seconds.")

    handlers.download_request_async = fetch_in_time
