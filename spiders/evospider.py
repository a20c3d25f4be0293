"""The spider that reads any page: `scrapy crawl evospider -a query="…"`."""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator
from typing import TYPE_CHECKING, Any, Self
from urllib.parse import quote

from scrapy import Request, Spider
from scrapy.utils.misc import load_object

from evocrawl import Addon
from evocrawl.adapter import log_records
from evocrawl.adapter.context import CrawlContext
from evocrawl.adapter.exit_codes import refusing
from evocrawl.adapter.meta import SEED, SEED_SCORE
from evocrawl.adapter.seed_fetches import seed_fetch
from evocrawl.adapter.soft_404 import SOFT_404
from evocrawl.core.config.hints import address_hint, domain_hint
from evocrawl.core.errors import SettingError
from evocrawl.core.fetch import has_page
from evocrawl.core.sanitize import one_line
from evocrawl.core.urls.hostnames import ascii_name, with_ascii_name
from evocrawl.core.urls.identity import host_of, identity
from evocrawl.extraction.data_links import DATA
from evocrawl.seeding.base import Topic
from evocrawl.seeding.gathering import first_of, gather
from evocrawl.seeding.registry import NamedSource, is_notation, source_of

if TYPE_CHECKING:
    from scrapy.crawler import Crawler
    from scrapy.http import Response
    from scrapy.settings import BaseSettings

    from evocrawl.core.config.config import Config
    from evocrawl.core.items import PageItem

logger = logging.getLogger(__name__)

ITEMS_AT_ONCE = 4
"""CONCURRENT_ITEMS unless the project sets it: Scrapy starts as many tasks for each page, 100 by
default, and a page has one item."""


class EvoSpider(Spider):
    """Yields one `PageItem` a page and no requests: the population chooses what to fetch.

    Every option of `evocrawl.core.config.config.Config` is an argument. Unknown arguments and
    invalid values raise SettingError before anything is fetched. Arguments with a leading
    underscore come from the program that starts the crawl, such as Scrapyd's ``_job``, and become
    attributes.
    """

    name = "evospider"
    needs_pages = True
    """A crawl without a page has failed: its exit code is 1."""
    takes_half_pages = True
    """Take truncated pages: some servers always send a Content-Length that is too long."""

    @classmethod
    def update_settings(cls, settings: BaseSettings) -> None:
        """Switch the add-on on: the spider then runs in any project that lists its module."""
        log_records.install()
        super().update_settings(settings)
        settings.setdefault_in_component_priority_dict("ADDONS", Addon, 300)
        settings.set("CONCURRENT_ITEMS", ITEMS_AT_ONCE, "addon")

    @classmethod
    def from_crawler(cls, crawler: Crawler, *args: Any, **kwargs: Any) -> Self:
        """Read the arguments, together with the settings, into the crawl's configuration."""
        attributes = {name: value for name, value in kwargs.items() if name.startswith("_")}
        options = {name: value for name, value in kwargs.items() if name not in attributes}
        with refusing(crawler):
            _check_addon(crawler.settings)
            context = CrawlContext.of(crawler, options)
            spider = super().from_crawler(crawler, *args, **attributes)
            spider.context = context
            context.spider_reads = True
            reads_data = "formats" in context.relevance.reads
            context.reads_beginnings = cls.parse is EvoSpider.parse and not reads_data
            spider.seeds, spider.sources = _seeds(context)
            spider.domains = tuple(map(_domain, context.config.allowed_domains))
        return spider

    context: CrawlContext
    seeds: tuple[str, ...]
    sources: tuple[NamedSource, ...]
    domains: tuple[str, ...]

    async def start(self) -> AsyncIterator[Request]:
        """Yield the seeds; the population chooses once all of them are placed."""
        self.context.is_seeding = True
        try:
            for url in self.seeds:
                yield Request(with_ascii_name(url), meta={SEED: True})
            async for request in self._found_seeds():
                yield request
        finally:
            self.context.is_seeding = False

    async def _found_seeds(self) -> AsyncIterator[Request]:
        """Yield the seeds of the sources, or those of the templates if the sources give none.

        A crawl that continues already has its seeds.
        """
        context = self.context
        if context.has_begun or not self.sources:
            return
        config, fetch = context.config, seed_fetch(self.crawler)
        topic = Topic(config.query, config.language, context.relevance, config.seeds_limit)
        ask = gather if config.seeds else first_of
        found = await ask(self.sources, topic, fetch)
        for each in found:
            if context.earlier is not None:
                context.earlier.note(each.url, each.changed_by_s)
            meta = {SEED: True, "link_text": each.title, SEED_SCORE: each.score}
            yield Request(with_ascii_name(each.url), meta=meta)
        others = () if found or config.seeds else _from_templates(config)
        for url in others:
            logger.info("seeds: %s is made from the query", one_line(url))
            yield Request(with_ascii_name(url), meta={SEED: True})
        if not (found or others or self.seeds):
            logger.error("seeds: no source (of %d) gives a seed", len(self.sources))

    async def parse(self, response: Response, **_: Any) -> AsyncIterator[PageItem]:
        """Yield the page and note its links on the visit, except those marked nofollow."""
        fetch = self.context.fetches.of(response.request) if response.request else None
        if fetch is None:
            return
        fetch.is_read = True
        if not has_page(response.status):
            return
        reading = await self.context.pages.read(response)
        if not reading.is_markup:
            fetch.failure = reading.unread or "no HTML"
            return
        if await self.context.pages.is_soft_404(response, reading):
            fetch.failure = SOFT_404
            return
        reads_data = "formats" in self.context.relevance.reads
        unfollowed = _UNFOLLOWED if reads_data else _UNFOLLOWED | {DATA}
        if not reading.nofollow:
            fetch.links = tuple(
                link
                for link in reading.links
                if unfollowed.isdisjoint(link.rel) and self._is_allowed(link.url)
            )
        yield self.context.pages.item(response, reading, fetch)

    def _is_allowed(self, url: str) -> bool:
        return not self.domains or f".{host_of(url)}".endswith(self.domains)


_UNFOLLOWED = frozenset(("nofollow", "evocrawl-hidden"))


def _check_addon(settings: BaseSettings) -> None:
    """Raise SettingError if ADDONS has the add-on switched off, as ``-s ADDONS={}`` does."""
    addons = settings["ADDONS"]
    if not any(order is not None and load_object(each) is Addon for each, order in addons.items()):
        shown = {str(each): order for each, order in addons.items()}
        raise SettingError("ADDONS", shown, "evocrawl.Addon, without which evospider is no crawl")


def _domain(name: str) -> str:
    """Return a domain as a suffix of host names, in the form of URL identities."""
    try:
        bare = ascii_name(name.strip(".")).lower()
        if not bare or "*" in bare or ".." in bare:
            raise ValueError(name)
        return f".{bare}"
    except ValueError as error:
        allowed = "domain names, such as example.org"
        raise SettingError("allowed_domains", name, allowed, domain_hint(name)) from error


def _seeds(context: CrawlContext) -> tuple[tuple[str, ...], tuple[NamedSource, ...]]:
    """Return the URLs and sources of the option `seeds`, or else of `seed_sources`."""
    config = context.config
    name = "seeds" if config.seeds else "seed_sources"
    given = config.seeds or config.seed_sources
    urls = tuple(each for each in given if not is_notation(each))
    sources = tuple(source_of(name, each) for each in given if is_notation(each))
    for url in urls:
        _check(name, url)
    if not context.continues:
        for source in sources:
            source.check(name)
    templates = () if config.seeds else _from_templates(config)
    for url in templates:
        _check("seed_templates", url)
    if not (given or templates):
        raise SettingError("seeds", "", "URLs, or seed_templates to make them from the query")
    return urls if given else templates, sources


def _from_templates(config: Config) -> tuple[str, ...]:
    """Return the seeds that the templates make from the query, if there is one."""
    title = quote(config.query[:1].upper() + config.query[1:].replace(" ", "_"), safe="")
    return tuple(
        template.replace("{title}", title).replace("{query}", quote(config.query, safe=""))
        for template in (config.seed_templates if config.query else ())
    )


def _check(name: str, url: str) -> None:
    try:
        identity(url)
    except ValueError as error:
        raise SettingError(name, url, "absolute http or https URLs", address_hint(url)) from error
