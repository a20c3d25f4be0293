"""The interface of a source of seeds."""

from __future__ import annotations

import json
import re
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from html import unescape
from typing import Any, ClassVar, Protocol, runtime_checkable
from urllib.parse import urlencode, urlsplit

from evocrawl.core.errors import EvocrawlError
from evocrawl.core.urls.identity import identity
from evocrawl.extraction import Limits
from evocrawl.relevance.base import Relevance

JSON_BYTES = 8_000_000
_MOST_ITEMS = 5_000
_MOST_URL_CHARS = Limits().url_chars
_TITLE_CHARS = 300
_TAG = re.compile(r"<[^<>]*>")


class SeedError(EvocrawlError):
    """A source gives no seeds; the message names the reason."""


@dataclass(frozen=True, slots=True)
class Seed:
    """An address at which a crawl may begin. `title` is the page's title in the source.

    `score` is from 0 to 1 and falls with the rank in the source; `changed_at` is the date of the
    last change, in ISO 8601, "" if unknown. `changed_by_s` is the latest possible time of the
    page's last change, in seconds since 1970, if the page's own site gives it.
    """

    url: str
    title: str = ""
    score: float = 1.0
    changed_at: str = ""
    changed_by_s: float | None = None


@dataclass(frozen=True, slots=True)
class Answer:
    """An HTTP response, after redirects. `body` is decoded as Content-Encoding says."""

    url: str
    status: int
    body: bytes
    content_type: str = ""


Fetch = Callable[[str, int], Awaitable[Answer]]
"""Fetches a URL, of at most so many bytes. Raises SeedError."""


@dataclass(frozen=True, slots=True)
class Topic:
    """The topic of a crawl: its query, the query's language ("" if unknown), its relevance model.

    `most` is the greatest number of seeds that a source gives.
    """

    query: str
    language: str
    relevance: Relevance
    most: int


class SeedSource(Protocol):
    """A source of seeds; `argument` is the text after its name in ``NAME:ARGUMENT``.

    Its constructor raises ValueError for an argument that it cannot use.
    """

    form: ClassVar[str]
    """The argument in a few words, for error messages."""

    def __init__(self, argument: str) -> None: ...

    async def seeds(self, topic: Topic, fetch: Fetch) -> list[Seed]:
        """Return seeds for `topic`, the best first; raises SeedError.

        `fetch` is the only way to the network: it obeys the rules of the crawl.
        """
        ...


@runtime_checkable
class LocalSource(SeedSource, Protocol):
    """A source on this machine, which can be checked before the crawl begins."""

    def check(self) -> None:
        """Raise SeedError if the source cannot give a seed."""
        ...


def web_address(argument: str) -> str:
    """Return an http(s) URL; raises ValueError."""
    identity(argument)
    return argument


def with_options(url: str, options: Mapping[str, object]) -> str:
    """Return `url` with more options in its query."""
    return f"{url}{'&' if urlsplit(url).query else '?'}{urlencode(options)}"


async def fetch_json(fetch: Fetch, url: str, options: Mapping[str, object]) -> Any:
    """Return the JSON at `url` with `options` in its query; raises SeedError."""
    return as_json((await fetch_page(fetch, with_options(url, options), JSON_BYTES)).body)


async def fetch_page(fetch: Fetch, url: str, most_bytes: int) -> Answer:
    """Return the answer of `url` with a status of 200; raises SeedError."""
    answer = await fetch(url, most_bytes)
    if answer.status != 200:
        raise SeedError(f"status {answer.status}")
    return answer


def as_json(body: bytes) -> Any:
    """Return a body as JSON; raises SeedError."""
    try:
        return json.loads(body)
    except (ValueError, RecursionError) as error:
        raise SeedError("its answer is no JSON") from error


def items_of(data: Any, *path: str) -> list[dict[str, Any]]:
    """Return the objects of the list at `path` in `data`; raises SeedError if there is no list."""
    for name in path:
        data = data.get(name) if isinstance(data, dict) else None
    if not isinstance(data, list):
        raise SeedError(f"its answer has no list {'.'.join(path)}")
    return [each for each in data[:_MOST_ITEMS] if isinstance(each, dict)]


def seed(url: object, title: object = "", changed_at: object = "") -> Seed | None:
    """Return a seed from the answer of a source, None if `url` is not an http(s) URL."""
    url = url.strip() if isinstance(url, str) else ""
    if not url or len(url) > _MOST_URL_CHARS:
        return None
    try:
        identity(url)
    except ValueError:
        return None
    words = unescape(_TAG.sub(" ", title)) if isinstance(title, str) else ""
    return Seed(
        url,
        " ".join(words.split())[:_TITLE_CHARS],
        changed_at=changed_at[:40] if isinstance(changed_at, str) else "",
    )
