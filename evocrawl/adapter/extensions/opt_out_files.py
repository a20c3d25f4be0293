"""Asks servers for the files by which they reserve their pages: ai.txt and tdmrep.json.

A server is asked once, when it has given its first page. A run that goes on asks the servers that
an earlier one has not asked, or that have failed. Each request counts against the budget;
robots.txt, the address guard, delays, back-off and proxies hold for it as for any other. Visits do
not wait for it: at most eight servers are asked at once, each with one request, and a request has
`robots_timeout_s` seconds.
"""

from __future__ import annotations

import logging
from collections import deque
from contextlib import suppress
from typing import TYPE_CHECKING, Self
from urllib.parse import urlsplit

from scrapy import Request, signals
from scrapy.exceptions import DontCloseSpider, IgnoreRequest, NotConfigured
from scrapy.http.request import NO_CALLBACK

from evocrawl.adapter.context import CrawlContext
from evocrawl.adapter.exceptions import HostGivenUp, LeaseLost, OverBudget, RobotsUnreachable
from evocrawl.adapter.exit_codes import refusing
from evocrawl.adapter.extractor import latin1
from evocrawl.adapter.meta import PLAIN
from evocrawl.adapter.scrapy_internals import (
    ask_scheduler_soon,
    has_spider_open,
    is_closing,
    run_soon,
)
from evocrawl.core.containers.keymap import KeySet
from evocrawl.core.errors import SettingError, StateError
from evocrawl.core.model import Fetched
from evocrawl.core.sanitize import mask_secrets, one_line
from evocrawl.core.urls.identity import digest
from evocrawl.core.urls.resolve import header_text
from evocrawl.politeness.opt_out_files import (
    FAILED,
    FOUND,
    MOST_BYTES,
    REFUSED,
    OptOutFile,
    answer_of,
)
from evocrawl.politeness.robots.rules import (
    MAX_REDIRECTS,
    authority,
    product_token,
    redirect_target,
)
from evocrawl.store.cluster.redis.connection import Unreachable

if TYPE_CHECKING:
    from scrapy.crawler import Crawler
    from scrapy.http import Response

    from evocrawl.core.fetch import Fetch
    from evocrawl.core.model import Outcome

logger = logging.getLogger(__name__)

_AT_ONCE = 8


class OptOutFiles:
    """Extension: keeps the opt-out files of each server with the crawl's state."""

    def __init__(self, crawler: Crawler, context: CrawlContext) -> None:
        assert crawler.stats is not None
        settings = crawler.settings
        self._crawler = crawler
        self._stats = crawler.stats
        self._context = context
        self._store = context.opt_outs
        self._agent = product_token(
            settings.get("ROBOTSTXT_USER_AGENT") or settings.get("USER_AGENT") or ""
        )
        self._asked = KeySet()
        self._waiting: deque[str] = deque()
        self._under_way = 0
        context.fetches.on_settled.append(self._settled)
        crawler.signals.connect(self._opened, signals.spider_opened)
        crawler.signals.connect(self._idle, signals.spider_idle)

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Build on the crawler's context; raises NotConfigured without `opt_out_files`.

        Raises SettingError if nothing would keep the files.
        """
        context = CrawlContext.of(crawler)
        config = context.config
        if not config.opt_out_files:
            raise NotConfigured
        with refusing(crawler):
            if not (context.state_path or config.store or config.warc):
                allowed = "true with a store, a JOBDIR or a folder for WARC, which keep the files"
                raise SettingError("opt_out_files", config.opt_out_files, allowed)
        return cls(crawler, context)

    def _settled(self, _: Fetch, outcome: Outcome) -> None:
        """Ask the server of a page, unless it was asked. O(1)."""
        if isinstance(outcome, Fetched):
            with suppress(ValueError):
                self._ask_once(authority(outcome.page.url))

    def _opened(self) -> None:
        """Ask the servers of earlier runs that have not answered, as when the budget was spent."""
        try:
            for place in self._store.servers():
                self._ask_once(place)
        except (StateError, ValueError) as error:
            logger.warning("opt-out files of earlier pages are not asked for: %s", error)

    def _ask_once(self, place: str) -> None:
        key = digest(place)
        if key not in self._asked:
            self._asked.add(key)
            self._waiting.append(place)
            self._go_on()

    def _idle(self) -> None:
        """Keep the crawl open until the servers have answered."""
        if self._waiting or self._under_way:
            raise DontCloseSpider

    def _go_on(self) -> None:
        if self._is_over:
            self._waiting.clear()
        while self._waiting and self._under_way < _AT_ONCE:
            self._under_way += 1
            run_soon(self._ask(self._waiting.popleft()))
        if not self._under_way and self._crawler.engine is not None:
            ask_scheduler_soon(self._crawler.engine)

    @property
    def _is_over(self) -> bool:
        engine = self._crawler.engine
        return engine is None or not has_spider_open(engine) or is_closing(engine)

    async def _ask(self, place: str) -> None:
        """Ask a server for the files that it has not answered for yet."""
        try:
            for path in await self._store.missing(place):
                file = None if self._is_over else await self._fetch(place, path)
                if file is None:
                    self._asked.discard(digest(place))
                    return
                if file.answer == FOUND:
                    self._stats.inc_value("evocrawl/opt_outs/files")
                await self._store.keep(file)
        except (Unreachable, StateError) as error:
            # The crawl's own writes fail as well, and say so.
            logger.debug("opt-out files of %s are not kept: %s", place, one_line(str(error)))
        finally:
            self._under_way -= 1
            self._go_on()

    async def _fetch(self, place: str, path: str) -> OptOutFile | None:
        """Return what the server answers, None if it could not be asked now."""
        url, answer, body = place + path, FAILED, b""
        try:
            for _ in range(MAX_REDIRECTS + 1):
                response = await self._download(url)
                target = _redirect_of(response)
                if target is None:
                    content_type = latin1(response.headers.get(b"Content-Type"))
                    answer = answer_of(path, response.status, content_type, response.body)
                    body = response.body if answer == FOUND else b""
                    break
                url = target
        except (OverBudget, LeaseLost, HostGivenUp):
            return None
        except RobotsUnreachable:
            pass
        except IgnoreRequest:  # by robots.txt, the address guard or a middleware of the project
            answer = REFUSED
        except Exception as failure:
            shown = one_line(mask_secrets(f"{url}: {type(failure).__name__}: {failure}"))
            logger.debug("opt-out file: %s", shown)
        return OptOutFile(place, path, answer, self._agent, body)

    async def _download(self, url: str) -> Response:
        request = Request(
            url,
            callback=NO_CALLBACK,
            dont_filter=True,
            meta={
                PLAIN: False,
                "allow_offsite": True,
                "dont_redirect": True,
                "dont_retry": True,
                "dont_cache": True,
                "download_maxsize": MOST_BYTES,
                "download_timeout": self._context.config.robots_timeout_s,
            },
        )
        assert self._crawler.engine is not None
        try:
            response = await self._crawler.engine.download_async(request)
        except IgnoreRequest:
            raise  # nothing was sent
        except Exception:
            self._stats.inc_value("evocrawl/opt_outs/requests")
            raise
        self._stats.inc_value("evocrawl/opt_outs/requests")
        return response


def _redirect_of(response: Response) -> str | None:
    """Return where a response redirects; None for none, and for a front page, which is no file."""
    location = header_text(response.headers.get(b"Location") or b"")
    target = redirect_target(response.status, response.url, location)
    return target if target is not None and urlsplit(target).path not in ("", "/") else None
