"""When requests are sent, as the crawl's own process sees it, and an engine without a heartbeat.

The times at which a server gets them depend on how busy the machine is.
"""

from __future__ import annotations

from itertools import pairwise
from time import monotonic
from typing import Any

from scrapy.core.downloader.handlers.http11 import HTTP11DownloadHandler
from scrapy.core.engine import ExecutionEngine

HANDLER = {"http": "sendtimes.Timed"}
_STAT = "sent_s"


class Timed(HTTP11DownloadHandler):
    """Scrapy's download handler; the stats get the time of each request but for robots.txt."""

    def __init__(self, crawler: Any) -> None:
        super().__init__(crawler)
        self._stats = crawler.stats

    async def download_request(self, request: Any) -> Any:
        if not request.url.endswith("/robots.txt"):
            self._stats.set_value(_STAT, [*self._stats.get_value(_STAT, []), monotonic()])
        return await super().download_request(request)


class NoHeartbeat:
    """An extension: the engine continues only when it is woken."""

    def __init__(self) -> None:
        ExecutionEngine._SLOT_HEARTBEAT_INTERVAL = 3600.0


def gaps_s(stats: dict[str, Any]) -> list[float]:
    """Return the seconds between one request and the next, for a crawl with `HANDLER`."""
    return [later - earlier for earlier, later in pairwise(stats[_STAT])]
