"""Retries as Scrapy does, as long as retries are a small share of all requests."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Self

from scrapy.downloadermiddlewares.retry import get_retry_request
from scrapy.exceptions import IgnoreRequest

from evocrawl.adapter.context import CrawlContext
from evocrawl.adapter.scrapy_internals import OpenRetryMiddleware

if TYPE_CHECKING:
    from scrapy import Request
    from scrapy.crawler import Crawler
    from scrapy.http import Response

logger = logging.getLogger(__name__)

RETRIES_FREE = 10
"""Number of retries that are always allowed, even if their share of all requests is larger."""


class ShareRetryMiddleware(OpenRetryMiddleware):
    """Scrapy's RetryMiddleware; it gives up if there have been too many retries.

    It gives up as Scrapy does: the last response or failure goes to the spider. The scheduler could
    not do this, so the share is checked here. Requests that are no links are not counted.
    """

    context: CrawlContext

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Build on the crawler's context; raises NotConfigured if RETRY_ENABLED is off."""
        middleware = super().from_crawler(crawler)
        middleware.context = CrawlContext.of(crawler)
        middleware.retries = 0
        middleware.has_warned = False
        return middleware

    retries: int
    has_warned: bool

    def process_exception(  # type: ignore[override] # Scrapy's spider argument is deprecated
        self, request: Request, exception: Exception
    ) -> Request | Response | None:
        """Retry a request that failed on the network, but not one that was never sent."""
        if isinstance(exception, IgnoreRequest):
            return None
        return super().process_exception(request, exception)

    def retried(
        self, request: Request, reason: str | Exception | type[Exception]
    ) -> Request | None:
        """Return the retry, or None after the last one and if there have been too many."""
        if self.context.fetches.of(request) is None:
            return super().retried(request, reason)
        if self._may_retry():
            again = super().retried(request, reason)
            self.retries += again is not None
            return again
        assert self.crawler.spider is not None
        return get_retry_request(
            request,
            spider=self.crawler.spider,
            reason=reason,
            max_retry_times=0,
            give_up_log_level=request.meta.get("give_up_log_level", self.give_up_log_level),
        )

    def _may_retry(self) -> bool:
        """Return whether the share of retries allows one more."""
        share = self.context.config.retry_share
        if self.retries < max(share * self.context.budget.spent, RETRIES_FREE):
            return True
        if not self.has_warned:
            self.has_warned = True
            logger.info(
                "retries: pages that fail are not tried again, since %d second tries are %g of all "
                "requests already (EVOCRAWL_RETRY_SHARE); such a page's failure goes to its "
                "errback; no more such messages will be shown",
                self.retries,
                share,
            )
        return False
