"""The robots gate: no request leaves before the rules of its authority are known.

It takes the place of Scrapy's RobotsTxtMiddleware (priority 100), keeps its stats and its
``dont_obey_robotstxt``, and gives every request that waits for the same robots.txt the same
answer. A scheduler asks `RobotsMiddleware.is_open` before it lets a request out, so that waiting
happens there and holds no slot of the engine.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from time import monotonic
from typing import TYPE_CHECKING, Self

from scrapy import signals
from scrapy.exceptions import IgnoreRequest
from scrapy.utils.defer import deferred_from_coro
from twisted.internet.defer import succeed

from evocrawl.adapter.context import CrawlContext
from evocrawl.adapter.failures import because
from evocrawl.adapter.meta import REFUSED
from evocrawl.adapter.network.guard import AddressRefused
from evocrawl.adapter.robots.fetcher import RobotsFetcher
from evocrawl.adapter.robots.inquiries import RobotsInquiries
from evocrawl.core.urls.identity import host_of
from evocrawl.middlewares.guard import GuardMiddleware, places_at_one_address
from evocrawl.politeness.robots.cache import RobotsCache
from evocrawl.politeness.robots.rules import RobotsRules, Verdict, authority, product_token

if TYPE_CHECKING:
    from scrapy import Request
    from scrapy.crawler import Crawler
    from twisted.internet.defer import Deferred

    from evocrawl.core.config.config import Config

logger = logging.getLogger(__name__)


class RobotsUnreachable(IgnoreRequest):
    """The robots.txt of the host cannot be had: nothing of the host may be asked for.

    What is raised is of the type of what failed, too, a connection that was refused for instance.
    """


class RobotsMiddleware:
    """Downloader middleware; `on_known` is called with each authority whose rules arrive.

    `on_delayed` is called with an authority whose rules could not be had, or may not be asked for
    while others of its address are, and will be asked for later.

    Our group in robots.txt is looked up by the product token of ROBOTSTXT_USER_AGENT or else of
    USER_AGENT; with ROBOTSTXT_OBEY off everything is open.
    """

    def __init__(
        self, crawler: Crawler, config: Config, clock: Callable[[], float] = monotonic
    ) -> None:
        assert crawler.stats is not None
        self.on_known: list[Callable[[str], None]] = []
        self.on_delayed: list[Callable[[str], None]] = []
        self._crawler = crawler
        self._stats = crawler.stats
        settings = crawler.settings
        agent = settings.get("ROBOTSTXT_USER_AGENT") or settings.get("USER_AGENT") or ""
        self._obey = settings.getbool("ROBOTSTXT_OBEY")
        self._cache = RobotsCache(delay_cap_s=config.crawl_delay_cap_s)
        self._inquiries = RobotsInquiries(
            RobotsFetcher(crawler, product_token(agent), config.robots_timeout_s).fetch,
            self._cache,
            crawler.stats,
            clock,
            self._announce,
            self._announce_delay,
            locate=self._locate,
            at_one_address=places_at_one_address(config, settings),
            tries=config.robots_tries,
            retry_s=config.robots_retry_s,
        )
        crawler.signals.connect(self._spider_closed, signals.spider_closed)

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Build on the crawler's ecosystem."""
        return cls(crawler, CrawlContext.of(crawler).config)

    def is_open(self, url: str) -> bool:
        """Return whether a request for `url` would be decided without waiting.

        True says nothing about the decision: the rules are known, or none apply (robots.txt is
        not obeyed, the URL is no http(s) URL). Otherwise False, and the rules have been asked
        for; `on_known` will tell.
        """
        if not self._obey:
            return True
        try:
            place = authority(url)
        except ValueError:
            return True
        return self._inquiries.known(place) is not None

    def is_asking(self, url: str) -> bool:
        """Return whether a request for `url` would wait for robots.txt, which is asked for now.

        False also where it would be refused at once, since robots.txt could not be had.
        """
        return not self.is_open(url) and self._inquiries.is_asking(authority(url))

    def hasten(self) -> dict[str, float]:
        """Ask again soon where an authority is left alone; see `RobotsInquiries.hasten`."""
        return self._inquiries.hasten()

    def delay_of(self, host: str) -> float:
        """Return the seconds `host` wants between two requests, in [0, delay_cap_s]."""
        return self._cache.delay_of(host)

    async def process_request(self, request: Request) -> None:
        """Let `request` pass, or raise IgnoreRequest: it is forbidden, or nobody knows.

        Where robots.txt cannot be had that is a RobotsUnreachable, of the type of what failed, too.
        Raises AddressRefused where the address guard does not let robots.txt be asked for.
        """
        if not self._obey or request.meta.get("dont_obey_robotstxt"):
            return
        if not request.url.startswith(("http:", "https:")):
            return
        try:
            place = authority(request.url)
        except ValueError as error:
            raise IgnoreRequest(str(error)) from error
        rules = await self._inquiries.answer(place)
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
        """Make the downloader keep the Crawl-delay, for requests that no scheduler spaces out."""
        assert self._crawler.engine is not None
        delay_s = self.delay_of(host_of(request.url))
        if delay_s > 0:
            _, slot = self._crawler.engine.downloader._get_slot(request)
            slot.delay = max(slot.delay, delay_s)
            slot.jitter = 0.0  # it would shorten the delay by up to a half
            request.meta["autothrottle_dont_adjust_delay"] = True

    def _locate(self, place: str) -> Deferred[str]:
        """Find the address of an authority, "" where nobody knows."""
        guard = self._crawler.get_downloader_middleware(GuardMiddleware)
        if guard is None:
            return succeed("")
        return deferred_from_coro(guard.address_of(f"{place}/"))

    def _announce(self, place: str) -> None:
        for callback in self.on_known:
            callback(place)

    def _announce_delay(self, place: str) -> None:
        for callback in self.on_delayed:
            callback(place)

    def _spider_closed(self) -> None:
        self._inquiries.close()
