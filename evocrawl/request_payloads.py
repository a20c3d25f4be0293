"""Requests of the user's own spider as JSON, for links that carry them."""

from __future__ import annotations

import json
import logging
from base64 import b64decode, b64encode
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from scrapy import Request
from scrapy.utils.misc import load_object

if TYPE_CHECKING:
    from scrapy import Spider

logger = logging.getLogger(__name__)

_BYTES = "evocrawl/bytes"
_LOST = "evocrawl/lost"
_METHODS = ("callback", "errback")


@dataclass(frozen=True, slots=True)
class LostRequest:
    """Stands for a request that could not be stored, or not be made again: it is not sent."""

    url: str


class RequestPayloads:
    """Requests with their callbacks by name, as JSON; tuples in them come back as lists.

    What has no JSON (a callback that is no method of the spider, an object in meta) is told once
    and lost to later runs, as it is to Scrapy's disk queues; `on_lost` is called for each.
    """

    def __init__(self, spider: Callable[[], Spider | None], on_lost: Callable[[], None]) -> None:
        self._spider = spider
        self._on_lost = on_lost
        self._has_warned = False

    def pack(self, payload: Any) -> Any:
        """Return what JSON can hold of a request."""
        if isinstance(payload, LostRequest):
            return {_LOST: payload.url}
        try:
            row = {name: getattr(payload, name) for name in payload.attributes}
            row |= {name: self._name_of(row[name]) for name in _METHODS}
            row["headers"] = [[*map(_text, pair)] for pair in _pairs(payload.headers)]
            if type(payload) is not Request:
                row["_class"] = f"{type(payload).__module__}.{type(payload).__name__}"
            return json.loads(json.dumps(row, default=_encode, allow_nan=False))
        except (TypeError, ValueError, RecursionError) as error:
            return self._lose(payload, error)

    def unpack(self, packed: Any) -> Request | LostRequest:
        """Return the request; a lost one where the spider has no such method any more."""
        if _LOST in packed:
            return LostRequest(packed[_LOST])
        try:
            kind = load_object(packed["_class"]) if "_class" in packed else Request
            if not (isinstance(kind, type) and issubclass(kind, Request)):
                raise ValueError(f"{packed['_class']} is no request")
            row = {name: _decode(packed[name]) for name in kind.attributes if name in packed}
            row |= {name: self._method(packed.get(name)) for name in _METHODS}
            row["headers"] = _merged(packed["headers"])
            return kind(**row)
        except (AttributeError, ImportError, NameError, TypeError, ValueError) as error:
            lost = LostRequest(str(packed.get("url")))
            self._warn(f"<{lost.url}>", error)
            return lost

    def _name_of(self, method: Any) -> str | None:
        if method is None:
            return None
        name = getattr(method, "__name__", "")
        own = getattr(self._spider(), name, None) if name else None
        if own is None or getattr(own, "__func__", own) is not getattr(method, "__func__", None):
            raise ValueError(f"{method} is no method of the spider")
        return str(name)

    def _method(self, name: str | None) -> Any:
        return None if name is None else getattr(self._spider(), name)

    def _lose(self, request: Request, error: Exception) -> Any:
        self._warn(str(request), error)
        self._on_lost()
        return {_LOST: request.url}

    def _warn(self, request: str, error: Exception) -> None:
        if not self._has_warned:
            self._has_warned = True
            logger.warning(
                "the request %s cannot be stored, and is lost when the crawl is stopped and goes "
                "on (%s); no more such warnings will be shown",
                request,
                error,
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


def _encode(value: object) -> Any:
    if isinstance(value, bytes):
        return {_BYTES: b64encode(value).decode()}
    raise TypeError(f"{type(value).__name__} has no JSON")


def _decode(value: Any) -> Any:
    if isinstance(value, Mapping):
        if value.keys() == {_BYTES}:
            return b64decode(value[_BYTES])
        return {key: _decode(each) for key, each in value.items()}
    return [_decode(each) for each in value] if isinstance(value, list) else value
