"""Decides when a request that is no visit may be sent; it takes no place while it waits."""

from __future__ import annotations

from math import inf
from time import monotonic
from typing import TYPE_CHECKING

from evocrawl.adapter.download_slots import slot_of
from evocrawl.adapter.robots.directory import RobotsDirectory

if TYPE_CHECKING:
    from scrapy import Request
    from scrapy.crawler import Crawler

    from evocrawl.adapter.context import CrawlContext


class PlainRequests:
    """Asks the downloader's slots, the hosts in back-off and the robots directory."""

    def __init__(self, crawler: Crawler, context: CrawlContext) -> None:
        self._crawler = crawler
        self._context = context

    def key_of(self, request: Request) -> str:
        """Return the downloader slot that `request` belongs to."""
        assert self._crawler.engine is not None
        return self._crawler.engine.downloader.get_slot_key(request)

    def wait_of(self, request: Request) -> float:
        """Return in how many seconds `request` may be sent: 0 now, infinite if unknown.

        Call again when a request ends or a robots.txt arrives. O(requests under way in the
        downloader).
        """
        left_alone_s = self._context.backoff.until(slot_of(request))
        wait_s = left_alone_s - self._context.now_s()
        if wait_s > 0:
            return wait_s
        if self._waits_for_robots(request):
            return inf
        assert self._crawler.engine is not None
        downloader = self._crawler.engine.downloader
        key = downloader.get_slot_key(request)
        # Requests that a middleware still holds also count, although they are in no slot yet.
        there = sum(downloader.get_slot_key(each) == key for each in downloader.active)
        if there >= self._context.host_limit(key)[0]:
            return inf
        slot = downloader.slots.get(key)
        return slot.lastseen + slot.delay - monotonic() if slot and slot.delay else 0.0

    def _waits_for_robots(self, request: Request) -> bool:
        directory = RobotsDirectory.of(self._crawler)
        if directory is None or request.meta.get("dont_obey_robotstxt"):
            return False
        return directory.is_asking(request.url)
