"""Notes when a visit has its response; later requests with its number do not belong to it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from evocrawl.adapter.scrapy_internals import wrap_result_queue

if TYPE_CHECKING:
    from scrapy import Request
    from scrapy.crawler import Crawler

    from evocrawl.adapter.context import CrawlContext


def note_answers(crawler: Crawler, context: CrawlContext) -> None:
    """Set `is_answered` of each visit when its response or failure goes to the spider.

    A redirect, a retry or a downloader middleware's replacement reaches the scheduler before that
    and continues the visit. A request that a callback or errback makes with a copy of the visit's
    meta comes after that and does not belong to the visit. Scrapy has no signal for this moment.
    """
    assert crawler.engine is not None

    def note_and_queue(result: Any, request: Request) -> Any:
        fetch = context.fetches.of(request)
        if fetch is not None:
            fetch.is_answered = True
        return queue(result, request)

    queue = wrap_result_queue(crawler.engine, note_and_queue)
