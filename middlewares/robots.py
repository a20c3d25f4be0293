"""Refuses requests that robots.txt forbids; no request is sent before the rules are known.

It takes the place of Scrapy's RobotsTxtMiddleware (priority 100), keeps its stats and its
``dont_obey_robotstxt``, and gives every request that waits for the same robots.txt the same
answer. The scheduler asks `RobotsDirectory.is_open` before it sends a request, so that requests
wait there and hold no slot of the engine.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from time import monotonic
from typing import TYPE_CHECKING, Self

from scrapy.exceptions import IgnoreRequest
from scrapy.utils.defer import deferred_from_coro
from twisted.internet.defer import succeed

from evocrawl.adapter.context import CrawlContext
from evocrawl.adapter.exceptions import AddressRefused, RobotsUnreachable
from evocrawl.adapter.failures import because
from evocrawl.adapter.meta import REFUSED
from evocrawl.adapter.robots.directory import RobotsDirectory
from evocrawl.adapter.robots.fetcher import is_fetched_here
from evocrawl.adapter.scrapy_internals import download_slot
from evocrawl.core.urls.identity import host_of
from evocrawl.middlewares.guard import GuardMiddleware, places_at_one_address
from evocrawl.politeness.robots.rules import RobotsRules, Verdict, authority

if TYPE_CHECKING:
    from scrapy import Request
    from scrapy.crawler import Crawler
    from twisted.internet.defer import Deferred

    from evocrawl.core.config.config import Config
    from evocrawl.politeness.robots.cache import RobotsCache

logger = logging.getLogger(__name__)


class RobotsMiddleware:
    """Downloader middleware: refuses what robots.txt forbids, and keeps Crawl-delay.

    `directory` knows the rules of each authority; the scheduler finds it by `RobotsDirectory.of`.
    """

    def __init__(
        self,
        crawler: Crawler,
        config: Config,
        cache: RobotsCache,
        clock: Callable[[], float] = monotonic,
    ) -> None:
        assert crawler.stats is not None
        self._crawler = crawler
        self._stats = crawler.stats
        self.directory = RobotsDirectory(
            crawler,
            config,
            clock,
            cache,
            locate=self._locate,
            at_one_address=places_at_one_address(config, crawler.settings),
        )

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Build on the crawler's context."""
        context = CrawlContext.of(crawler)
        return cls(crawler, context.config, context.robots_cache)

    async def process_request(self, request: Request) -> None:
        """Let `request` pass, or raise IgnoreRequest if it is forbidden.

        A request that a middleware needs to send that for robots.txt passes.
        Raises RobotsUnreachable, which also has the type of the failure, if robots.txt cannot be
        fetched, and AddressRefused if the address guard refuses to fetch it.
        """
        if not self.directory.obeys or request.meta.get("dont_obey_robotstxt"):
            return
        if not request.url.startswith(("http:", "https:")):
            return
        try:
            place = authority(request.url)
        except ValueError as error:
            raise IgnoreRequest(str(error)) from error
        if is_fetched_here(place):
            return
        rules = await self.directory.rules_of(place)
        if rules.verdict is Verdict.BARRED:
            raise AddressRefused(f"the robots.txt of {place} may not be asked for")
        if not rules.allows(request.url):
            self._refuse(request, rules)
        self._pace(request)

    def _refuse(self, request: Request, rules: RobotsRules) -> None:
        request.meta[REFUSED] = True
        if rules.verdict is Verdict.UNREACHABLE:
            why = RobotsUnreachable(f"robots.txt of {authority(request.url)} cannot be had")
            raise because(why, rules.cause)
        logger.debug("Forbidden by robots.txt: %s", request, extra={"spider": self._crawler.spider})
        self._stats.inc_value("robotstxt/forbidden")
        raise IgnoreRequest("Forbidden by robots.txt")

    def _pace(self, request: Request) -> None:
        """Make the downloader keep the Crawl-delay for requests that skip the scheduler."""
        assert self._crawler.engine is not None
        delay_s = self.directory.delay_of(host_of(request.url))
        if delay_s > 0:
            slot = download_slot(self._crawler.engine.downloader, request)
            slot.delay = max(slot.delay, delay_s)
            slot.jitter = 0.0  # randomizing would shorten the delay by up to a half
            request.meta["autothrottle_dont_adjust_delay"] = True

    def _locate(self, place: str) -> Deferred[str]:
        """Return the IP address of an authority, "" if unknown."""
        guard = self._crawler.get_downloader_middleware(GuardMiddleware)
        if guard is None:
            return succeed("")
        return deferred_from_coro(guard.address_of(f"{place}/"))
