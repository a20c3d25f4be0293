"""Makes page items from responses, and finds responses that are soft 404s."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from evocrawl.adapter.extractor import ResponseExtractor, latin1
from evocrawl.adapter.soft_404 import Soft404Detector, is_foreign_to
from evocrawl.core.items import PageItem
from evocrawl.core.model import Content
from evocrawl.core.urls.identity import fingerprint
from evocrawl.extraction import Dates, ParsedPage, age_s, changed_by_header

if TYPE_CHECKING:
    from scrapy.crawler import Crawler
    from scrapy.http import Response

    from evocrawl.adapter.earlier_pages import EarlierPages
    from evocrawl.adapter.fetches import FetchTracker
    from evocrawl.core.config.config import Config
    from evocrawl.core.fetch import Fetch
    from evocrawl.pipelines.base import PageContext


class PageReader:
    """Reads responses and makes page items from them."""

    def __init__(
        self,
        crawler: Crawler,
        config: Config,
        context: PageContext,
        fetches: FetchTracker,
        earlier: EarlierPages | None,
    ) -> None:
        self._config = config
        self._context = context
        self._fetches = fetches
        self._earlier = earlier
        reads_data = "formats" in context.relevance.reads
        self._extractor = ResponseExtractor(crawler, config.read_timeout_s, data=reads_data)
        self._soft_404s = Soft404Detector(crawler, self.read)

    async def read(self, response: Response, *, any_text: bool = False) -> ParsedPage:
        """Return what can be read from a response (see `evocrawl.adapter.extractor`)."""
        fetch = self._fetches.of(response.request) if response.request else None
        wire_bytes = fetch.last_bytes if fetch else 0
        reading = await self._extractor.read(response, wire_bytes, any_text=any_text)
        if self._earlier is not None:
            self._earlier.note_entries(response.url, reading)
        return reading

    async def is_soft_404(self, response: Response, reading: ParsedPage) -> bool:
        """Return whether the page is its server's response for pages that do not exist."""
        if self._context.traps is None or not self._config.probe or response.status != 200:
            return False
        content = Content(reading.title, reading.text)
        fetch = self._fetches.of(response.request) if response.request else None
        page = fetch.identity_of(response.url) if fetch else fingerprint(response.url)
        verdict = self._context.novelty(response.url, page, content)
        is_new = verdict.is_new is not False or not verdict.is_telling
        is_foreign = fetch is not None and is_foreign_to(fetch.visit.lead.anchor, content)
        return await self._soft_404s.is_soft_404(
            response.url, content, is_new=is_new, is_foreign=is_foreign
        )

    def item(self, response: Response, reading: ParsedPage, fetch: Fetch) -> PageItem:
        """Return the item of a visit's page; note the page as it was read on the visit."""
        lead = fetch.visit.lead
        parent = self._context.base.get(lead.source)
        fetched_at, dates = datetime.now(UTC), _dates(response, reading.dates)
        item = PageItem(
            visit=fetch.visit.id,
            url=response.url,
            title=reading.title,
            text=reading.text,
            language=reading.language,
            status=response.status,
            fetched_at=fetched_at.isoformat(timespec="milliseconds"),
            depth=lead.depth,
            parent=parent.url if parent is not None else "",
            anchor=lead.anchor,
            agent=fetch.visit.agent,
            content_fingerprint=reading.content_fingerprint.hex(),
            formats=reading.formats,
            truncated=reading.truncated,
            published_at=_iso(dates.published_at_s),
            changed_at=_iso(dates.changed_at_s),
            age_s=age_s(fetched_at.timestamp(), (dates.published_at_s, dates.changed_at_s)),
        )
        fetch.seen = replace(item)
        return item


def _dates(response: Response, markup: Dates) -> Dates:
    """Return the dates of the page's markup; without any, the date of its Last-Modified header."""
    if markup != Dates():
        return markup
    headers = response.headers
    modified, date = latin1(headers.get(b"Last-Modified")), latin1(headers.get(b"Date"))
    return Dates(changed_at_s=changed_by_header(modified, date))


def _iso(at_s: float | None) -> str:
    return "" if at_s is None else datetime.fromtimestamp(at_s, UTC).isoformat()
