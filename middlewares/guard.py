"""Refuses requests to forbidden schemes and addresses before they cost a request."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Self
from urllib.parse import urlsplit
from urllib.request import proxy_bypass

from scrapy.downloadermiddlewares.httpproxy import HttpProxyMiddleware
from scrapy.exceptions import NotSupported
from scrapy.utils.httpobj import urlparse_cached

from evocrawl.adapter.context import CrawlContext
from evocrawl.adapter.exceptions import AddressRefused, SchemeRefused
from evocrawl.adapter.exit_codes import refusing
from evocrawl.adapter.meta import PLAIN
from evocrawl.adapter.network.guard import guard_pool
from evocrawl.adapter.network.handler_classes import (
    SCHEMES,
    check_handlers,
    say_what_is_not_watched,
)
from evocrawl.adapter.network.handlers import handler_of, pool_of
from evocrawl.adapter.network.resolver import MAX_NAMES, DnsCache
from evocrawl.core.sanitize import one_line
from evocrawl.core.urls.identity import host_of
from evocrawl.core.urls.networks import NetworkPolicy, literal

if TYPE_CHECKING:
    from scrapy import Request
    from scrapy.crawler import Crawler
    from scrapy.settings import BaseSettings

    from evocrawl.core.config.config import Config

logger = logging.getLogger(__name__)

_AT_ONE_ADDRESS = 4


class GuardMiddleware:
    """Downloader middleware between the proxy's and the meter.

    Allows requests for public addresses and those of EVOCRAWL_ALLOW_NETWORKS. This middleware looks
    a host up first, so that a refused request is not counted. The safe check is the one at the
    connection (`evocrawl.adapter.network.guard`). If a proxy makes the connection, only this
    middleware checks, and names that cannot be looked up from here are left to the proxy.

    A ``data:`` address passes: it holds its own content, and nothing is connected to. So does a
    scheme of the project's own, which Scrapy has no handler for and the project has. ``file:``,
    ``ftp:`` and ``s3:`` pass only where the spider marks a request as no link
    (``meta["evocrawl"] = False``) and the project has a handler for them: LinkExtractor follows
    links to files.
    """

    def __init__(self, crawler: Crawler, context: CrawlContext, networks: NetworkPolicy) -> None:
        assert crawler.stats is not None
        self._crawler = crawler
        self._context = context
        self._at_one_address = places_at_one_address(context.config, crawler.settings)
        self._located: dict[str, str] = {}
        self._stats = crawler.stats
        self._networks = networks
        self._lookups = DnsCache()
        self._is_watching = False
        self._has_warned = False

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Build on the crawler's configuration; raises SettingError as `check_handlers` does."""
        context = CrawlContext.of(crawler)
        networks = NetworkPolicy(context.config.allow_networks)
        with refusing(crawler):
            check_handlers(crawler.settings, networks, context.config.trusted_handlers)
        return cls(crawler, context, networks)

    async def address_of(self, url: str) -> str:
        """Return the address that requests for an http(s) `url` go to, the first that it has.

        "" if it has none, or if a proxy of the environment makes the connection.
        """
        parts = urlsplit(url)
        host = parts.hostname or ""
        proxies = self._crawler.get_downloader_middleware(HttpProxyMiddleware)
        if proxies is not None and parts.scheme in proxies.proxies and not proxy_bypass(host):
            return ""
        addresses = await self._addresses(host)
        return addresses[0] if addresses else ""

    async def process_request(self, request: Request) -> None:
        """Let `request` pass, or raise AddressRefused or SchemeRefused.

        Raises NotSupported, as Scrapy does, for a scheme without a handler.
        """
        parts = urlparse_cached(request)
        if parts.scheme not in SCHEMES:
            if parts.scheme == "data" or request.meta.get(PLAIN) is False:
                return
            handlers = self._crawler.settings.getwithbase("DOWNLOAD_HANDLERS")
            if parts.scheme not in handlers:
                raise NotSupported(f"Unsupported URL scheme '{parts.scheme}': there is no handler")
            if parts.scheme not in self._crawler.settings["DOWNLOAD_HANDLERS_BASE"]:
                return
            self._stats.inc_value("evocrawl/guard/scheme")
            raise SchemeRefused(f"{parts.scheme}: is not followed")
        host = parts.hostname or ""
        self._watch_pools()
        if self._networks.is_everything and request.meta.get("proxy"):
            return
        addresses = await self._addresses(host)
        kinds = {each: kind for each in addresses if (kind := self._networks.refuses(each))}
        if addresses and not request.meta.get("proxy"):
            self._locate(host_of(request.url), addresses[0])
        # The check at the connection picks the allowed addresses; a proxy does not.
        if kinds and (request.meta.get("proxy") or len(kinds) == len(addresses)):
            raise AddressRefused.at(host, *next(iter(kinds.items())))

    async def _addresses(self, host: str) -> tuple[str, ...]:
        address = literal(host)
        return (address,) if address else await self._lookups.addresses(host)

    def _locate(self, host: str, address: str) -> None:
        """Report the IP address of a host to the population, which limits requests per address."""
        if self._located.get(host) != address:
            self._located[host] = address
            self._context.journaled.locate(host, address, self._at_one_address)
            if len(self._located) > MAX_NAMES:
                del self._located[next(iter(self._located))]

    def process_exception(
        self,
        request: Request,  # noqa: ARG002 - Scrapy names it
        exception: Exception,
    ) -> None:
        """Count a refused request, and warn once, with the setting that would allow it."""
        if not isinstance(exception, AddressRefused):
            return
        self._stats.inc_value("evocrawl/guard/address")
        reason = one_line(str(exception))
        logger.debug("guard: a request is refused: %s", reason)
        if not self._has_warned:
            self._has_warned = True
            logger.warning(
                "guard: a request was refused, since %s; to crawl such hosts, name their network "
                "in EVOCRAWL_ALLOW_NETWORKS; no more such warnings will be shown",
                reason,
            )

    def _watch_pools(self) -> None:
        """Watch the connections of the handlers, unless every address is allowed.

        A handler without a Twisted pool (HTTP/2, httpx, aiohttp) stays as it is.
        """
        if self._is_watching:
            return
        self._is_watching = True
        assert self._crawler.engine is not None
        handlers = self._crawler.engine.downloader.handlers
        found = [each for scheme in SCHEMES if (each := handler_of(handlers, scheme)) is not None]
        for handler in {type(each): each for each in found}.values():
            say_what_is_not_watched(type(handler))
        for handler in [] if self._networks.is_everything else found:
            guard_pool(pool_of(handler), self._networks)


def places_at_one_address(config: Config, settings: BaseSettings) -> int:
    """Return how many requests may be under way at once to the hosts of one address."""
    return config.address_concurrency or max(
        _AT_ONE_ADDRESS, settings.getint("CONCURRENT_REQUESTS_PER_DOMAIN")
    )
