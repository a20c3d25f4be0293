"""Fetches the pages that sources of seeds need, by the crawl's own downloader and rules."""

from __future__ import annotations

from typing import TYPE_CHECKING

from scrapy import Request
from scrapy.exceptions import IgnoreRequest
from scrapy.http.request import NO_CALLBACK

from evocrawl.adapter.extractor import latin1
from evocrawl.adapter.meta import PLAIN
from evocrawl.core.sanitize import one_line
from evocrawl.core.urls.hostnames import with_ascii_name
from evocrawl.seeding.base import Answer, Fetch, SeedError

if TYPE_CHECKING:
    from scrapy.crawler import Crawler


def seed_fetch(crawler: Crawler) -> Fetch:
    """Return the fetch function of sources; robots.txt, guard, delays and budget apply to it."""

    async def fetch(url: str, most_bytes: int) -> Answer:
        engine = crawler.engine
        assert engine is not None
        limit = crawler.settings.getint("DOWNLOAD_MAXSIZE") or most_bytes
        try:
            request = Request(
                with_ascii_name(url),
                headers={"Accept": "application/json, application/xml, text/*, */*;q=0.1"},
                meta={
                    PLAIN: False,
                    "allow_offsite": True,
                    "download_maxsize": min(limit, most_bytes),
                },
                callback=NO_CALLBACK,
                dont_filter=True,
            )
            response = await engine.download_async(request)
        except IgnoreRequest as refusal:
            raise SeedError(one_line(str(refusal)) or "the request was refused") from refusal
        except Exception as failure:
            text = one_line(str(failure))
            raise SeedError(f"{type(failure).__name__}{': ' if text else ''}{text}") from failure
        content_type = latin1(response.headers.get(b"Content-Type"))
        return Answer(response.url, response.status, response.body, content_type)

    return fetch
