"""A resolver with addresses of the test, and handlers that a project may have."""

from __future__ import annotations

from typing import Any, Self

from scrapy.core.downloader.handlers.http11 import HTTP11DownloadHandler
from scrapy.exceptions import NotConfigured
from scrapy.resolver import CachingThreadedResolver
from twisted.internet.defer import Deferred, fail, succeed
from twisted.internet.error import DNSLookupError


class Resolver(CachingThreadedResolver):
    """Answers from the setting TEST_NAMES: a name's addresses in turn, the last one repeatedly."""

    @classmethod
    def from_crawler(cls, crawler: Any, reactor: Any) -> Self:
        resolver = super().from_crawler(crawler, reactor)
        resolver.names = crawler.settings.getdict("TEST_NAMES")
        return resolver

    names: dict[str, list[str]]

    def getHostByName(self, name: str, timeout: Any = ()) -> Deferred[str]:  # noqa: ARG002, N802
        if name.replace(".", "").isdigit():
            return super().getHostByName(name)
        if name not in self.names:
            return fail(DNSLookupError(f"{name} is not in TEST_NAMES"))
        first, *rest = self.names[name]
        self.names[name] = rest or [first]
        return succeed(first)


class OwnHandler(HTTP11DownloadHandler):
    """A download handler of the project, which connects as its parent does."""

    async def download_request(self, request: Any) -> Any:
        response = await super().download_request(request)
        response.headers["X-Own"] = "1"
        return response


class ForeignHandler:
    """A download handler without a pool of Twisted: the guard does not see its connections."""

    lazy = False

    def __init__(self, crawler: Any) -> None:
        self._hidden = HTTP11DownloadHandler(crawler)

    @classmethod
    def from_crawler(cls, crawler: Any) -> Self:
        return cls(crawler)

    async def download_request(self, request: Any) -> Any:
        return await self._hidden.download_request(request)

    async def close(self) -> None:
        await self._hidden.close()


class FaultyHandler(ForeignHandler):
    """A download handler with a programming error, which appears at robots.txt."""

    async def download_request(self, request: Any) -> Any:
        if request.url.endswith("/robots.txt"):
            return request.no_such_attribute
        return await super().download_request(request)


class Unbuildable(ForeignHandler):
    """A download handler that lacks what it needs."""

    def __init__(self, crawler: Any) -> None:  # noqa: ARG002
        raise NotConfigured("the package of this handler is missing")
