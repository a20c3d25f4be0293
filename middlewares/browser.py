"""Opens pages in a browser if their HTML has nothing to read, as long as that pays."""

from __future__ import annotations

import logging
from dataclasses import replace
from typing import TYPE_CHECKING, Self

from scrapy import Request, signals
from scrapy.downloadermiddlewares.redirect import RedirectMiddleware
from scrapy.exceptions import NotConfigured
from scrapy.http import HtmlResponse, Response
from scrapy.linkextractors import IGNORED_EXTENSIONS
from scrapy.utils.url import url_has_any_extension

from evocrawl.adapter.browser.launching import check_browser
from evocrawl.adapter.browser.renderer import Renderer
from evocrawl.adapter.context import CrawlContext
from evocrawl.adapter.exit_codes import refusing
from evocrawl.core.fetch import OF_BROWSER, RawResponse, has_page
from evocrawl.core.urls.identity import fingerprint
from evocrawl.extraction.app_shells import is_app_shell
from evocrawl.middlewares.meter import as_it_came

if TYPE_CHECKING:
    from scrapy.crawler import Crawler

    from evocrawl.core.fetch import Fetch

logger = logging.getLogger(__name__)

_READ_BYTES = 500_000
_DOWNLOADS = tuple(f".{each}" for each in IGNORED_EXTENSIONS if each != "pdf")
"""Endings of addresses that have no page: a script that leads to one begins a download."""
_OF_TRANSFER = frozenset(("content-length", "content-encoding", "transfer-encoding"))


class BrowserMiddleware:
    """Downloader middleware between retries and the spider: it sees pages as they are read.

    The option `browser` decides which pages are opened; the population decides by energy whether
    that pays (`evocrawl.population.rendering`). The middleware does not change requests that are no
    visits, nor requests that the project's own scrapy-playwright has answered.
    """

    def __init__(self, crawler: Crawler, context: CrawlContext) -> None:
        assert crawler.stats is not None
        self._crawler = crawler
        self._stats = crawler.stats
        self._context = context
        self._is_always = context.config.browser == "always"
        self._renderer = Renderer(crawler, context)
        crawler.signals.connect(self._renderer.close, signals.engine_stopped)

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Build on the crawler's context; raises NotConfigured if option `browser` opens no page.

        Raises SettingError if no browser is installed.
        """
        context = CrawlContext.of(crawler)
        if context.config.browser == "never":
            raise NotConfigured
        with refusing(crawler):
            check_browser(crawler.settings, context.config.browser)
        return cls(crawler, context)

    async def process_response(self, request: Request, response: Response) -> Request | Response:
        """Return the page as the browser shows it, or the request that its scripts lead to."""
        fetch = self._context.fetches.of(request)
        if fetch is None or not isinstance(response, HtmlResponse):
            return response
        if not self._is_to_be_opened(request, response, fetch):
            return response
        page, target = await self._renderer.open(request, response, fetch)
        if fetch.answer is not None and page is not response:
            fetch.answer = _as_shown(page)
        return self._redirected(request, page, target) or page

    def _is_to_be_opened(self, request: Request, response: HtmlResponse, fetch: Fetch) -> bool:
        if request.method != "GET" or not has_page(response.status):
            return False
        is_web = response.url.startswith(("http:", "https:"))
        if not is_web or request.meta.get("playwright"):
            return False
        if self._is_always:
            return True
        html = response.body[:_READ_BYTES].decode(response.encoding, "replace")
        if not is_app_shell(html):
            return False
        page = fetch.identity_of(response.url)
        is_worth = self._context.rendering.is_worth(response.url, page)
        if not (is_worth and self._renderer.has_share()):
            self._stats.inc_value("evocrawl/browser/not_worth")
            return False
        return True

    def _redirected(self, request: Request, page: Response, target: str) -> Request | None:
        """Return the request for the page that a script leads to, as for any redirect."""
        redirects = self._crawler.get_downloader_middleware(RedirectMiddleware)
        if redirects is None or not target.startswith(("http:", "https:")):
            return None
        try:
            is_download = url_has_any_extension(target, _DOWNLOADS)
            if is_download or fingerprint(target) == fingerprint(page.url):
                return None
        except ValueError:
            return None
        answer = redirects.process_response(
            request, Response(page.url, status=302, headers={"Location": target}, request=request)
        )
        return answer if isinstance(answer, Request) else None


def _as_shown(page: Response) -> RawResponse:
    """Return the page as the browser shows it, for archives and Markdown."""
    raw = as_it_came(page)
    headers = tuple(each for each in raw.headers if each[0].lower() not in _OF_TRANSFER)
    return replace(raw, headers=(*headers, OF_BROWSER))
