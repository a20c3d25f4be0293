"""Writes each response and its request to WARC files while the crawl runs."""

from __future__ import annotations

import logging
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Self
from weakref import WeakSet

from scrapy import signals
from scrapy.exceptions import NotConfigured

from evocrawl import __version__
from evocrawl.adapter.context import CrawlContext
from evocrawl.adapter.exit_codes import refusing
from evocrawl.adapter.scrapy_internals import close_spider_soon, exit_with_failure
from evocrawl.core.errors import SettingError
from evocrawl.middlewares.meter import as_it_came

if TYPE_CHECKING:
    from scrapy import Request
    from scrapy.crawler import Crawler
    from scrapy.http import Response

    from evocrawl.core.config.config import Config

logger = logging.getLogger(__name__)

FAILED = "warc_failed"
"""Stop reason of a crawl whose WARC files could not be written."""


class WarcMiddleware:
    """Downloader middleware next to the downloader: writes each response and its request.

    Redirects, errors, robots.txt and the requests of pages in the browser are written, too.
    Responses of other middlewares, such as the HTTP cache, are not. Secrets of requests (cookies,
    authorization) are left out.
    """

    def __init__(self, crawler: Crawler, folder: Any) -> None:
        self._crawler = crawler
        self._folder = folder
        self._has_failed = False
        self._sent: WeakSet[Request] = WeakSet()
        crawler.signals.connect(self._stopped, signals.engine_stopped)

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Open the folder of option `warc`; raises NotConfigured if the option is empty.

        Raises SettingError if the folder cannot be written or the extra is missing.
        """
        config = CrawlContext.of(crawler).config
        if not config.warc:
            raise NotConfigured
        with refusing(crawler):
            try:
                from evocrawl.store.export.warc_folder import WarcFolder

                software = f"evocrawl/{__version__}"
                folder = WarcFolder(config.warc, config.warc_bytes, software, _about(config))
            except ImportError:
                allowed = "a folder, if the extra is installed: pip install 'evocrawl[warc]'"
                raise SettingError("warc", config.warc, allowed) from None
            except OSError as error:
                allowed = f"a folder that can be written ({error.strerror})"
                raise SettingError("warc", config.warc, allowed) from None
        if folder.mended:
            logger.warning(
                "warc: %d files ended with an incomplete record of a killed crawl; it was cut off",
                folder.mended,
            )
        return cls(crawler, folder)

    def process_request(self, request: Request) -> None:
        """Note that the request is sent, since no middleware has answered it."""
        self._sent.add(request)

    def process_response(self, request: Request, response: Response) -> Response:
        """Write the exchange if the request was sent; return the response."""
        is_exchange = request in self._sent
        self._sent.discard(request)
        if not self._has_failed and is_exchange and response.url.startswith(("http:", "https:")):
            try:
                self._write(request, response)
            except OSError:
                self._fail()
        return response

    def _write(self, request: Request, response: Response) -> None:
        from evocrawl.store.export.warc import exchange

        headers = [
            (name.decode("latin-1"), value.decode("latin-1"))
            for name, values in request.headers.items()
            for value in values
        ]
        details = {}
        if response.ip_address is not None and not request.meta.get("proxy"):
            details["WARC-IP-Address"] = str(response.ip_address)
        if "dataloss" in response.flags:
            details["WARC-Truncated"] = "disconnect"
        now = datetime.now(UTC).isoformat()
        sent = (request.method, headers, request.body)
        self._folder.write(exchange(request.url, now, sent, as_it_came(response), details))
        assert self._crawler.stats is not None
        self._crawler.stats.inc_value("evocrawl/warc/responses")

    def _fail(self) -> None:
        logger.exception("warc: the files cannot be written: the crawl ends")
        self._has_failed = True
        engine = self._crawler.engine
        if engine is not None and engine.spider is not None:
            close_spider_soon(engine, FAILED)

    def _stopped(self) -> None:
        try:
            self._folder.close()
        except OSError:
            logger.exception("warc: the last file cannot be closed")
            self._has_failed = True
        if self._has_failed:
            exit_with_failure(self._crawler)


def _about(config: Config) -> dict[str, str]:
    """Return fields for the record that describes a file; no query can break its lines."""
    return {"robots": "obey", "description": f"query: {' '.join(config.query.split())}"[:1000]}
