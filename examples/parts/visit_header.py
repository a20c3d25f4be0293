"""A downloader middleware of your own, beside evocrawl's: it sends the number of the visit.

    DOWNLOADER_MIDDLEWARES = {"examples.parts.visit_header.VisitHeader": 560}

Redirects and second tries of a page belong to the same visit. The request meta key `evocrawl_visit`
is documented in the reference; a request that is no link has none.
"""

from __future__ import annotations

from scrapy import Request


class VisitHeader:
    """Adds the header X-Visit, so that the log of your own server shows which visit asked."""

    def process_request(self, request: Request) -> None:
        """Add the header to a request of a visit; let the request go on."""
        visit = request.meta.get("evocrawl_visit")
        if visit is not None:
            request.headers["X-Visit"] = str(visit)
