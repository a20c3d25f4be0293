"""The moment from which a visit's request has its answer: what bears its number then is a copy."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from scrapy import Request
    from scrapy.crawler import Crawler

    from evocrawl.adapter.context import CrawlContext


def note_answers(crawler: Crawler, context: CrawlContext) -> None:
    """Have the notes on each visit say when its answer, or failure, goes to the spider.

    A redirect, a second try and what a downloader middleware sends instead come to the scheduler
    before that, and go on with the visit. Requests that an errback or callback made of the meta of
    its request come after that, and are requests of their own. Scrapy has no signal for it.
    """
    assert crawler.engine is not None
    scraper = crawler.engine.scraper
    enqueue_scrape = scraper.enqueue_scrape

    def note_and_enqueue(result: Any, request: Request) -> Any:
        fetch = context.fetches.of(request)
        if fetch is not None:
            fetch.is_answered = True
        return enqueue_scrape(result, request)

    scraper.enqueue_scrape = note_and_enqueue  # type: ignore[method-assign]
