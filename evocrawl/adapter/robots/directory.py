"""Requests, caches and announces the robots.txt rules of every authority of a crawl."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

from scrapy import signals

from evocrawl.adapter.robots.fetcher import RobotsFetcher
from evocrawl.adapter.robots.inquiries import RobotsInquiries
from evocrawl.politeness.robots.cache import RobotsCache
from evocrawl.politeness.robots.rules import RobotsRules, authority, product_token

if TYPE_CHECKING:
    from scrapy.crawler import Crawler
    from twisted.internet.defer import Deferred

    from evocrawl.core.config.config import Config


_directories: WeakKeyDictionary[Crawler, RobotsDirectory] = WeakKeyDictionary()


class RobotsDirectory:
    """Returns the robots.txt rules of an authority, and announces them when they arrive.

    `on_known` is called with each authority whose rules arrive. `on_delayed` is called with an
    authority whose robots.txt will be requested later: it could not be fetched, or others are
    fetched from the same address now. `cache` keeps the rules.

    The group in robots.txt is looked up by the product token of ROBOTSTXT_USER_AGENT or else of
    USER_AGENT; with ROBOTSTXT_OBEY off everything is open. `locate` finds the address of an
    authority, at most `at_one_address` robots.txt are fetched from one address at once.
    """

    def __init__(
        self,
        crawler: Crawler,
        config: Config,
        clock: Callable[[], float],
        cache: RobotsCache,
        *,
        locate: Callable[[str], Deferred[str]],
        at_one_address: int,
    ) -> None:
        assert crawler.stats is not None
        self.on_known: list[Callable[[str], None]] = []
        self.on_delayed: list[Callable[[str], None]] = []
        settings = crawler.settings
        agent = settings.get("ROBOTSTXT_USER_AGENT") or settings.get("USER_AGENT") or ""
        self.obeys = settings.getbool("ROBOTSTXT_OBEY")
        self._clock = clock
        self._cache = cache
        self._inquiries = RobotsInquiries(
            RobotsFetcher(crawler, product_token(agent), config.robots_timeout_s).fetch,
            self._cache,
            crawler.stats,
            clock,
            self._announce,
            self._announce_delay,
            locate=locate,
            at_one_address=at_one_address,
            tries=config.robots_tries,
            retry_s=config.robots_retry_s,
        )
        crawler.signals.connect(self._spider_closed, signals.spider_closed)
        _directories[crawler] = self

    @staticmethod
    def of(crawler: Crawler) -> RobotsDirectory | None:
        """Return the crawler's directory, None if it has no robots middleware of evocrawl."""
        return _directories.get(crawler)

    async def rules_of(self, place: str) -> RobotsRules:
        """Return the rules of an authority, once they are known."""
        return await self._inquiries.answer(place)

    def is_open(self, url: str) -> bool:
        """Return whether a request for `url` can be decided without waiting.

        True does not mean that the request is allowed: the rules are known, or none apply
        (robots.txt is not obeyed, the URL is no http(s) URL). Otherwise the rules are requested,
        and `on_known` is called when they arrive.
        """
        if not self.obeys:
            return True
        try:
            place = authority(url)
        except ValueError:
            return True
        return self._inquiries.known(place) is not None

    def is_asking(self, url: str) -> bool:
        """Return whether a request for `url` would wait for robots.txt, which is being requested.

        False also if it would be refused at once because robots.txt could not be fetched.
        """
        return not self.is_open(url) and self._inquiries.is_asking(authority(url))

    def hasten(self) -> dict[str, float]:
        """Ask soon for each robots.txt that waits for a retry; see `RobotsInquiries.hasten`."""
        return self._inquiries.hasten()

    def delayed(self, url: str) -> tuple[Exception | None, float] | None:
        """Return the failure of the robots.txt of `url` and the seconds until the next try.

        None if it is known, being fetched or not needed.
        """
        try:
            place = authority(url)
        except ValueError:
            return None
        return self._inquiries.delayed(place)

    def all_delayed(self) -> dict[str, float]:
        """Return each authority whose robots.txt waits for a retry, with the seconds left."""
        return self._inquiries.all_delayed()

    def cached(self, url: str) -> RobotsRules | None:
        """Return the rules of `url` if they are known; send no request."""
        try:
            return self._cache.get(authority(url), self._clock())
        except ValueError:
            return None

    def delay_of(self, host: str) -> float:
        """Return the seconds that `host` asks for between two requests, in [0, delay_cap_s]."""
        return self._cache.delay_of(host)

    def _announce(self, place: str) -> None:
        for callback in self.on_known:
            callback(place)

    def _announce_delay(self, place: str) -> None:
        for callback in self.on_delayed:
            callback(place)

    def _spider_closed(self) -> None:
        self._inquiries.close()
