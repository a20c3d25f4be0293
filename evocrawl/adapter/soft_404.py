"""Finds servers that answer 200 for pages that do not exist, and pages that are such answers.

Once some pages of a server had no new text, the detector requests an address of the server that
cannot exist. If the response is a page, pages like it are soft 404s. The request counts against the
budget; robots.txt, delays and filters apply to it. The result reaches the population as the outcome
of the visit, so a resumed crawl does not ask again.
"""

from __future__ import annotations

import logging
from collections import OrderedDict
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from hashlib import blake2b
from typing import TYPE_CHECKING
from urllib.parse import urljoin, urlsplit

from scrapy import Request
from scrapy.http.request import NO_CALLBACK
from scrapy.utils.defer import maybe_deferred_to_future
from twisted.internet.defer import DeferredLock

from evocrawl.adapter.meta import PLAIN
from evocrawl.core.model import Content
from evocrawl.core.sanitize import mask_secrets, one_line
from evocrawl.core.text.words import iter_words, words
from evocrawl.population.traps.novelty import alike

if TYPE_CHECKING:
    from scrapy.crawler import Crawler
    from scrapy.http import Response

    from evocrawl.extraction import ParsedPage

logger = logging.getLogger(__name__)

SOFT_404 = "soft 404"
SUSPICIOUS = 3
"""Number of pages without new text after which the server is probed."""

_MOST_SERVERS = 10_000
_MOST_FOLDERS = 32


@dataclass(slots=True)
class _Server:
    """One server: `nothing` is the page that it sends for an unknown address, None for an error.

    `folders` are those of some soft 404s and pages without new text. `has_home` is True when the
    page `nothing` has been fetched at its own address.
    """

    suspicious: int = 0
    is_probed: bool = False
    folders: set[str] = field(default_factory=set)
    has_home: bool = False
    nothing: Content | None = None
    turn: DeferredLock = field(default_factory=DeferredLock)

    def note(self, folder: str, *, is_suspect: bool) -> None:
        """Remember the folder of a suspect. O(1)."""
        if is_suspect and len(self.folders) < _MOST_FOLDERS:
            self.folders.add(folder)

    def is_home(self, folder: str) -> bool:
        """Return whether a page like `nothing` may be the page itself, at its own address.

        A server may send its front page for every unknown address, but the front page also has its
        own address. It is the first such page that is not in or below a folder of other pages with
        this text.
        """
        if self.has_home or not self.folders or any(map(folder.startswith, self.folders)):
            return False
        self.has_home = True
        return True


class Soft404Detector:
    """Asks each server at most once, and keeps the answers of the latest ten thousand servers."""

    def __init__(self, crawler: Crawler, read: Callable[[Response], Awaitable[ParsedPage]]) -> None:
        self._crawler = crawler
        self._read = read
        self._servers: OrderedDict[str, _Server] = OrderedDict()

    async def is_soft_404(
        self, url: str, content: Content, *, is_new: bool, is_foreign: bool = False
    ) -> bool:
        """Return whether a page with the status 200 is a soft 404.

        `is_new` is False if the page has no new text, `is_foreign` True if it has none of its
        link's words: the server is asked at the first such page. The page at the root of a server
        is never a soft 404.
        """
        parts = urlsplit(url)
        if parts.path in ("", "/") and not parts.query:
            return False
        server = self._server(parts.netloc)
        folder = parts.path.rpartition("/")[0] + "/"
        if not server.is_probed:
            server.suspicious += not is_new
            if server.suspicious < SUSPICIOUS and not is_foreign:
                server.note(folder, is_suspect=not is_new)
                return False
            await self._probe(server, url)
        is_alike = server.nothing is not None and alike(server.nothing, content)
        if not is_alike or server.is_home(folder):
            return False
        server.note(folder, is_suspect=True)
        self._count("pages")
        return True

    async def _probe(self, server: _Server, url: str) -> None:
        """Probe the server once; other pages of the server wait for the same answer."""
        await maybe_deferred_to_future(server.turn.acquire())
        try:
            if not server.is_probed:
                server.nothing = await self._fetch(url)
                server.is_probed = True
        finally:
            server.turn.release()

    async def _fetch(self, url: str) -> Content | None:
        """Return the page at an address beside `url` that cannot exist, None without one."""
        request = Request(
            nowhere(url),
            callback=NO_CALLBACK,
            dont_filter=True,
            meta={PLAIN: False, "dont_redirect": True, "dont_retry": True, "dont_cache": True},
        )
        self._count("probes")
        assert self._crawler.engine is not None
        try:
            response = await self._crawler.engine.download_async(request)
        except Exception as reason:  # a refusal, a time-out, a budget that is used up
            url = one_line(mask_secrets(request.url))
            logger.debug("soft 404: the probe of %s failed: %s", url, one_line(str(reason)))
            return None
        if response.status != 200:
            return None
        reading = await self._read(response)
        return Content(reading.title, reading.text) if reading.is_markup else None

    def _server(self, netloc: str) -> _Server:
        server = self._servers.pop(netloc, None) or _Server()
        self._servers[netloc] = server
        if len(self._servers) > _MOST_SERVERS:
            self._servers.popitem(last=False)
        return server

    def _count(self, what: str) -> None:
        assert self._crawler.stats is not None
        self._crawler.stats.inc_value(f"evocrawl/soft_404/{what}")


def is_foreign_to(anchor: str, content: Content) -> bool:
    """Return whether a page has none of the words of the anchor that leads to it.

    Words of three letters or more count, and pairs of signs of scripts without spaces; an anchor
    with fewer than two of them is no evidence. O(characters) up to the first such word.

    >>> is_foreign_to("harbour map A", Content("Welcome", "Choose your language."))
    True
    >>> is_foreign_to("harbour map A", Content("A map", "Coasts and ports"))
    False
    """
    wanted = {word for word in words(anchor) if len(word) >= 3 or not word.isascii()}
    wanted = {word for word in wanted if not word.isdecimal()}
    if len(wanted) < 2:
        return False
    found = iter_words(f"{content.title} {content.text}")
    return wanted.isdisjoint(found)


def nowhere(url: str) -> str:
    """Return an address in the folder of `url` that cannot exist, the same each time.

    >>> nowhere("http://a.test/shop/item?id=7")
    'http://a.test/shop/no-such-page-cbe37d5528a433e9'
    """
    name = blake2b(urljoin(url, ".").encode("utf-8", "replace"), digest_size=8).hexdigest()
    return urljoin(url, f"no-such-page-{name}")
