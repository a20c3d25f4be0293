"""Writes requests of the user's own spider as JSON, for links that carry them."""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from scrapy import Request
from scrapy.utils.misc import load_object

from evocrawl.adapter import stored_values
from evocrawl.adapter.stored_values import UnstorableError

if TYPE_CHECKING:
    from scrapy.crawler import Crawler


logger = logging.getLogger(__name__)

_LOST = "evocrawl/lost"
_METHODS = ("callback", "errback")
_MOST_WARNINGS = 100


@dataclass(frozen=True, slots=True)
class LostRequest:
    """Takes the place of a request that could not be stored or restored; it is not sent."""

    url: str


class RequestCodec:
    """Writes requests as JSON, with their callbacks by name (see `evocrawl.adapter.stored_values`).

    A request is lost to later runs if a part of it has no JSON (a callback that is not a method of
    the spider, an object in meta), as in Scrapy's disk queues. `on_lost` is called for each such
    request, and a warning names each such part once.
    """

    trusted = True
    """False if others may have written the rows."""

    def __init__(self, crawler: Crawler, on_lost: Callable[[], None]) -> None:
        self._crawler = crawler
        self._on_lost = on_lost
        self._warned: set[str] = set()

    def pack(self, payload: Any) -> Any:
        """Return the request as JSON values."""
        if isinstance(payload, LostRequest):
            return {_LOST: payload.url}
        row: dict[str, Any] = {}
        problems: list[str] = []
        for name in payload.attributes:
            try:
                row[name] = self._packed(name, getattr(payload, name))
            except UnstorableError as error:
                problems += error.problems
        if problems:
            self._warn(f"the request {payload}", problems)
            self._on_lost()
            return {_LOST: payload.url}
        if type(payload) is not Request:
            row["_class"] = f"{type(payload).__module__}.{type(payload).__name__}"
        return row

    @staticmethod
    def is_lost(packed: Any) -> bool:
        """Return whether `packed` stands for a request that could not be stored."""
        return _LOST in packed

    def unpack(self, packed: Any) -> Request | LostRequest:
        """Return the request; a `LostRequest` if the spider no longer has its callback."""
        if _LOST in packed:
            return LostRequest(packed[_LOST])
        try:
            kind = load_object(packed["_class"]) if "_class" in packed else Request
            if not (isinstance(kind, type) and issubclass(kind, Request)):
                raise ValueError(f"{packed['_class']} is no request")
            row = {name: self._unpacked(name, packed[name]) for name in kind.attributes
                   if name in packed}  # fmt: skip
            return kind(**row)
        except (ArithmeticError, AttributeError, ImportError, LookupError, NameError, TypeError,
                ValueError) as error:  # fmt: skip
            lost = LostRequest(str(packed.get("url")))
            self._warn(f"the request <{lost.url}>", [f"it cannot be made again: {error}"])
            return lost

    def _packed(self, name: str, value: Any) -> Any:
        if name in _METHODS:
            return self._name_of(name, value)
        if name == "headers":
            return [[*map(_text, pair)] for pair in _pairs(value)]
        return stored_values.pack(value, name, trusted=self.trusted)

    def _unpacked(self, name: str, packed: Any) -> Any:
        if name in _METHODS:
            return None if packed is None else getattr(self._crawler.spider, packed)
        if name == "headers":
            return _merged(packed)
        return stored_values.unpack(packed, trusted=self.trusted)

    def _name_of(self, name: str, method: Any) -> str | None:
        if method is None:
            return None
        known_as = getattr(method, "__name__", "")
        own = getattr(self._crawler.spider, known_as, None) if known_as else None
        if own is None or getattr(own, "__func__", own) is not getattr(method, "__func__", None):
            raise UnstorableError([f"{name} {known_as or method!r} is no method of the spider"])
        return str(known_as)

    def _warn(self, request: str, problems: list[str]) -> None:
        new = [each for each in problems if each not in self._warned]
        if not new or len(self._warned) >= _MOST_WARNINGS:
            return
        self._warned.update(new)
        logger.warning(
            "store: %s cannot be stored, and is lost if the crawl is stopped and resumed: %s; "
            "no more warnings of the same will be shown%s",
            request,
            "; ".join(new),
            "" if len(self._warned) < _MOST_WARNINGS else ", nor any others of this kind",
        )


def _pairs(headers: Any) -> list[tuple[bytes, bytes]]:
    return [(name, value) for name, values in headers.items() for value in values]


def _merged(pairs: list[list[str]]) -> dict[bytes, list[bytes]]:
    merged: dict[bytes, list[bytes]] = {}
    for name, value in pairs:
        merged.setdefault(name.encode("latin-1"), []).append(value.encode("latin-1"))
    return merged


def _text(header: bytes) -> str:
    return header.decode("latin-1")


META_ALLOWED = frozenset(("cookiejar", "depth", "is_start_request", "link_text"))
"""Meta keys that are accepted from Redis. Data for callbacks belongs in ``cb_kwargs``."""


class UntrustedRequestCodec(RequestCodec):
    """A `RequestCodec` that accepts less, since others may have written the rows.

    Of meta only `META_ALLOWED` is accepted, so that a row can neither switch robots.txt off nor set
    a proxy. Callbacks are public methods of the spider; request classes are Scrapy's own.
    """

    trusted = False
    _has_warned = False

    def pack(self, payload: Any) -> Any:
        """Return the JSON of a request, without what `unpack` does not accept."""
        if isinstance(payload, Request):
            left_out = payload.meta.keys() - META_ALLOWED
            if left_out and not self._has_warned:
                self._has_warned = True
                logger.warning(
                    "cluster: workers share only these keys of a request's meta: %s; left out: %s; "
                    "cb_kwargs are shared",
                    ", ".join(sorted(META_ALLOWED)),
                    ", ".join(sorted(map(repr, left_out))),
                )
            kept = {key: value for key, value in payload.meta.items() if key in META_ALLOWED}
            payload = payload.replace(meta=kept)
        return super().pack(payload)

    def unpack(self, packed: Any) -> Request | LostRequest:
        """Return the request; raises ValueError if `packed` is not a valid one."""
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
