"""What is set right in Scrapy before a crawl begins."""

from __future__ import annotations

import gc
from typing import TYPE_CHECKING

from scrapy.downloadermiddlewares.cookies import CookiesMiddleware

from evocrawl.browser import watch_browsers
from evocrawl.connections import mend
from evocrawl.cookies import keep_few
from evocrawl.handlers import check_loaded

if TYPE_CHECKING:
    from scrapy.crawler import Crawler


def prepare(crawler: Crawler) -> None:
    """Mend connections, bound cookies, and spare the garbage collector what is there for good.

    Raises SettingError where there is no download handler.
    """
    # It would take a tenth of a second to look at it, each time.
    gc.collect()
    gc.freeze()
    assert crawler.engine is not None
    check_loaded(crawler.engine.downloader.handlers)
    mend(crawler.engine.downloader.handlers)
    watch_browsers(crawler)
    cookies = crawler.get_downloader_middleware(CookiesMiddleware)
    if cookies is not None:
        keep_few(cookies)


def release() -> None:
    """Give the garbage collector back what was spared, for whoever goes on with the process."""
    gc.unfreeze()
