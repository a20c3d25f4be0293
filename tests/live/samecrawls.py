"""Runs each spider with stock Scrapy and with the add-on, and prints the results of both.

Arguments: the URL of the site. A spider has its name as first folder of each of its addresses.
"""

from __future__ import annotations

import json
import sys
from abc import ABC, abstractmethod
from collections.abc import AsyncIterator, Iterator
from typing import Any, ClassVar

from scrapy import FormRequest, Request, Spider, signals
from scrapy.crawler import AsyncCrawlerProcess, Crawler
from scrapy.downloadermiddlewares.retry import get_retry_request

ROOT = sys.argv[1] if len(sys.argv) > 1 else ""
SETTINGS = {
    "LOG_LEVEL": "ERROR", "ROBOTSTXT_OBEY": False, "TELNETCONSOLE_ENABLED": False,
    "CLOSESPIDER_TIMEOUT": 300, "RETRY_TIMES": 5,
}  # fmt: skip
ADDON = {
    "ADDONS": {"evocrawl.Addon": 300}, "EVOCRAWL_QUERY": "coral", "EVOCRAWL_PROGRESS_S": 0,
    "EVOCRAWL_ALLOW_NETWORKS": "127.0.0.0/8",
    # Equal pages could be held back as traps.
    "EVOCRAWL_NOVELTY": False,
}  # fmt: skip


class Base(Spider):
    """Yields an item for each response: its address and the values that were passed on."""

    settings: ClassVar[dict[str, Any]] = {}

    def ask(self, path: str, **options: Any) -> Request:
        return Request(f"{ROOT}/{self.name}/{path}", **options)

    def parse(self, response: Any, k: int = -1) -> Iterator[Any]:
        yield self.item(response, k)

    def item(self, response: Any, k: int = -1) -> dict[str, Any]:
        jar, depth = response.meta.get("cookiejar"), response.meta.get("depth")
        return {"at": response.url.rpartition("/")[2], "k": k, "jar": jar, "depth": depth}


class FromFirstPage(Base, ABC):
    """Starts with one page, from whose callback all other requests come."""

    async def start(self) -> AsyncIterator[Request]:
        yield self.ask("", callback=self.first)

    @abstractmethod
    def first(self, response: Any) -> Any:
        """The callback of the first page."""


class Starts(Base):
    """start() asks for one address many times; a page links back to it."""

    async def start(self) -> AsyncIterator[Request]:
        for k in range(4):
            yield self.ask("a", dont_filter=True, cb_kwargs={"k": k})
        for k in range(3):
            yield self.ask("b", cb_kwargs={"k": k}, callback=self.linked)
        for k in range(3):
            yield self.ask("login", dont_filter=True, meta={"cookiejar": k}, callback=self.login)

    def linked(self, response: Any, k: int) -> Iterator[Any]:
        yield self.item(response, k)
        for path in ("a", "b", "c"):
            yield self.ask(path)

    def login(self, response: Any) -> Iterator[Any]:
        jar = response.meta["cookiejar"]
        yield self.ask("account", dont_filter=True, meta={"cookiejar": jar})


class Copies(Base):
    """Callbacks and errbacks pass on the meta of their request, or the request itself."""

    async def start(self) -> AsyncIterator[Request]:
        yield self.ask("", callback=self.first)
        yield self.ask("poll", callback=self.poll)
        yield self.ask("later", callback=self.later)
        yield self.ask("gone", errback=self.fallbacks)

    def first(self, response: Any) -> Iterator[Any]:
        for k in range(3):
            yield self.ask("copy", meta=response.meta, dont_filter=True, cb_kwargs={"k": k})
        yield self.ask("gone?2", callback=self.page, errback=self.copies)

    def poll(self, response: Any, k: int = 0) -> Iterator[Any]:
        yield self.item(response, k)
        if k < 4:
            yield response.request.replace(dont_filter=True, cb_kwargs={"k": k + 1})

    def later(self, response: Any) -> Iterator[Any]:
        retries = response.meta.get("retry_times", 0)
        again = get_retry_request(response.request, spider=self, reason="later")
        yield again if retries < 2 else {"retries": retries}

    def fallbacks(self, failure: Any) -> Iterator[Any]:
        for path in ("poll", "f1", "f2"):
            url = self.ask(path).url
            yield failure.request.replace(url=url, dont_filter=True, callback=self.page)

    def copies(self, failure: Any) -> Iterator[Any]:
        for k in range(3):
            yield self.ask(f"g{k}", callback=self.page, meta=failure.request.meta)

    def page(self, response: Any) -> Iterator[Any]:
        yield self.item(response)
        yield self.ask(f"{response.url[-2:]}-more")


class Spellings(FromFirstPage):
    """Addresses that evocrawl's identity of links does not distinguish."""

    def first(self, response: Any) -> Iterator[Any]:  # noqa: ARG002 - Scrapy passes it
        for name in ("utm_source", "gclid", "sid", "x"):
            for k in range(3):
                yield self.ask(f"p?{name}=0123456789abcdef{k}")
        for path in ("q#1", "q#2", "q?a=1&b=2", "q?b=2&a=1", "q;jsessionid=1", "q"):
            yield self.ask(path)
        for k in range(3):
            yield FormRequest(self.ask("form").url, formdata={"k": str(k % 2)}, cb_kwargs={"k": k})


class Redirects(FromFirstPage):
    def first(self, response: Any) -> Iterator[Any]:  # noqa: ARG002 - Scrapy passes it
        for k in range(3):
            yield self.ask(f"to/one?df{k}", dont_filter=True, cb_kwargs={"k": k})
            yield self.ask(f"to/two?{k}")
        yield self.ask("to/three", callback=self.three, priority=9)

    def three(self, response: Any) -> Iterator[Any]:
        yield self.item(response)
        yield self.ask("three")
        yield self.ask("three", dont_filter=True)


class Depths(FromFirstPage):
    settings: ClassVar[dict[str, Any]] = {"DEPTH_LIMIT": 2, "DEPTH_STATS_VERBOSE": True}

    def first(self, response: Any, k: int = 0) -> Iterator[Any]:
        yield self.item(response, k)
        if k < 5:
            more = {"callback": self.first, "cb_kwargs": {"k": k + 1}}
            yield self.ask(f"d{k}", **more)
            yield self.ask(f"gone?{k}", **more, errback=self.failed)
            yield self.ask(f"e{k}", **more, meta={"evocrawl": False})

    def failed(self, failure: Any) -> Iterator[Any]:
        yield failure.request.replace(url=self.ask(f"f{failure.request.cb_kwargs['k']}").url)


class Inner(FromFirstPage):
    """A callback downloads pages itself, with the meta of its response."""

    async def first(self, response: Any) -> AsyncIterator[Any]:
        engine = self.crawler.engine
        assert engine is not None
        inner = await engine.download_async(self.ask("inner", meta=dict(response.meta)))
        yield self.item(inner)
        for k in range(2):
            engine.crawl(self.ask("by-hand", meta=response.meta, cb_kwargs={"k": k}))
            engine.crawl(self.ask("by-hand", dont_filter=True, meta=inner.meta, cb_kwargs={"k": 5}))


class Alike(Base):
    """Requests one address with different headers, fragments and meta; see its subclasses."""

    async def start(self) -> AsyncIterator[Request]:
        yield self.ask("", callback=self.first)
        for k in range(2):
            yield self.ask("s", cb_kwargs={"k": 7})
            yield self.ask("s", dont_filter=True, cb_kwargs={"k": k})

    def first(self, response: Any) -> Iterator[Any]:  # noqa: ARG002 - Scrapy passes it
        for language in ("fr", "en", "fr"):
            yield self.ask("p", headers={"X-L": language})
        for path in ("p#1", "p#2", "p?1", "p?2", "to/p?3"):
            yield self.ask(path)
        for _ in range(2):
            yield self.ask("p", meta={"again": True})


def _alike(name: str, **settings: str) -> type[Base]:
    return type(name, (Alike,), {"settings": settings})


SPIDERS: list[type[Base]] = [
    Starts, Copies, Spellings, Redirects, Depths, Inner, Alike,
    _alike("NoFilter", DUPEFILTER_CLASS="scrapy.dupefilters.BaseDupeFilter"),
    _alike("ByHeader", REQUEST_FINGERPRINTER_CLASS="samefilters.ByHeader"),
    _alike("Fragments", REQUEST_FINGERPRINTER_CLASS="samefilters.KeepsFragments"),
    _alike("UnlessAgain", DUPEFILTER_CLASS="samefilters.UnlessAgain"),
    _alike("BySubclass", DUPEFILTER_CLASS="samefilters.BySubclass"),
    _alike("ByPath", DUPEFILTER_CLASS="samefilters.ByPath"),
]  # fmt: skip


class Watch:
    """The results of a crawl."""

    def __init__(self, crawler: Crawler) -> None:
        self.items: list[str] = []
        self.dropped = 0
        self._crawler = crawler
        crawler.signals.connect(self._scraped, signals.item_scraped)
        crawler.signals.connect(self._dropped, signals.request_dropped)

    def _scraped(self, item: dict[str, Any]) -> None:
        self.items.append(json.dumps(item, sort_keys=True))

    def _dropped(self) -> None:
        self.dropped += 1

    def result(self) -> dict[str, Any]:
        assert self._crawler.stats is not None
        stats = self._crawler.stats.get_stats()
        names = [each for each in stats if each.startswith(("request_depth", "depth/"))]
        return {
            "items": sorted(self.items),
            "dropped": self.dropped,
            **{name: stats.get(name) for name in ("dupefilter/filtered", *sorted(names))},
        }


def main() -> None:
    process = AsyncCrawlerProcess(SETTINGS)
    watches: dict[str, dict[str, Watch]] = {}
    for spider in SPIDERS:
        spider.name = spider.__name__
        for with_what, settings in (("stock", {}), ("addon", ADDON)):
            own = {**settings, **spider.settings}
            kind = type(spider.__name__, (spider,), {"custom_settings": own})
            crawler = process.create_crawler(kind)
            watches.setdefault(spider.name, {})[with_what] = Watch(crawler)
            process.crawl(crawler)
    process.start()
    results = {name: {how: w.result() for how, w in both.items()} for name, both in watches.items()}
    print(json.dumps(results))


if __name__ == "__main__":
    main()
