"""Requests of the user's own spider that come from Redis, where anybody may have written them."""

from __future__ import annotations

import logging
from typing import Any

from scrapy import Request

from evocrawl.request_payloads import LostRequest, RequestPayloads

logger = logging.getLogger(__name__)

META_ALLOWED = frozenset(("cookiejar", "depth", "is_start_request", "link_text"))
"""Meta keys that are taken from Redis. What a callback needs goes into ``cb_kwargs``."""


class SharedPayloads(RequestPayloads):
    """As `RequestPayloads`, but a row may say less: it comes from a place that is not trusted.

    Of meta only `META_ALLOWED` is taken, so that nobody switches robots.txt off or sends requests
    through a proxy of his own. Callbacks are public methods of the spider; request classes are
    Scrapy's own.
    """

    trusted = False
    _has_told = False

    def pack(self, payload: Any) -> Any:
        """Return what JSON can hold of a request, and may be taken from there again."""
        if isinstance(payload, Request):
            left_out = payload.meta.keys() - META_ALLOWED
            if left_out and not self._has_told:
                self._has_told = True
                logger.warning(
                    "meta of requests does not travel between workers, but for %s; left out: %s. "
                    "cb_kwargs do",
                    ", ".join(sorted(META_ALLOWED)),
                    ", ".join(sorted(map(repr, left_out))),
                )
            kept = {key: value for key, value in payload.meta.items() if key in META_ALLOWED}
            payload = payload.replace(meta=kept)
        return super().pack(payload)

    def unpack(self, packed: Any) -> Request | LostRequest:
        """Return the request; raises ValueError for what is none."""
        if not isinstance(packed, dict):
            raise ValueError("a request is a JSON object")
        names = [packed.get(name) for name in ("callback", "errback")]
        if any(not isinstance(name, str | None) or (name or "").startswith("_") for name in names):
            raise ValueError("a callback is a public method of the spider")
        if not str(packed.get("_class", "scrapy.")).startswith("scrapy."):
            raise ValueError("a request's class is one of Scrapy's")
        meta = packed.get("meta") or {}
        if not isinstance(meta, dict):
            raise ValueError("meta is a JSON object")
        kept = {key: value for key, value in meta.items() if key in META_ALLOWED}
        request = super().unpack({**packed, "meta": kept})
        if not request.url.startswith(("http://", "https://")):
            raise ValueError("a request is for http or https")
        return request
