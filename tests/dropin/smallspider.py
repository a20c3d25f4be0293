"""What small spiders share: a name, a site of their own, and how the site's answers are written.

A case is a spider class and its site. The site's host is the spider's name, so that any number of
cases run side by side; its answers are what `answer` returns.
"""

from __future__ import annotations

import asyncio
import json
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import AsyncIterator, Iterator
from random import Random
from typing import Any, ClassVar

from scrapy import Spider
from scrapy.exceptions import IgnoreRequest

from evocrawl.simulation.server.proxy import Request, Response, Site, not_found

SMALL = {
    "DOWNLOAD_DELAY": 0,
    "CONCURRENT_REQUESTS_PER_DOMAIN": 8,
    "CONCURRENT_ITEMS": 2,  # Scrapy starts as many tasks for each page
    "RETRY_TIMES": 1,
    "TELNETCONSOLE_ENABLED": False,
    "EVOCRAWL_QUERY": "coral bleaching",
    "EVOCRAWL_PROGRESS_S": 0,
    "EVOCRAWL_ROBOTS_RETRY_S": 0.2,
    "EVOCRAWL_BACK_OFF_S": 0.02,
    "EVOCRAWL_BACK_OFF_CAP_S": 0.2,
}
"""Settings of every case; those of evocrawl mean nothing to stock Scrapy."""

_VOWELS, _CONSONANTS = "aeiou", "bdfgklmnprstv"


class Case(ABC):
    """Mixed into a spider class: gives it the name of the class, a start and a site."""

    settings: ClassVar[dict[str, Any]] = {}
    runs: ClassVar[tuple[dict[str, Any], ...]] = ({},)
    """Settings of each run of the crawl; a later run goes on in the JOBDIR of the case."""
    has_robots_txt = False
    name: str

    def __init_subclass__(cls) -> None:
        cls.name = cls.__name__.lower()
        cls.custom_settings = {**SMALL, **cls.settings}
        if "start_urls" not in vars(cls):
            cls.start_urls = [cls.at("/")]

    @classmethod
    def at(cls, path: str) -> str:
        """Return the URL of a path of the case's site."""
        return f"http://{cls.name}.test{path}"

    @staticmethod
    @abstractmethod
    def answer(request: Request, times: int) -> object:
        """Return what the site answers, the path having been asked for `times` times before.

        A text is an HTML page, a mapping or list is JSON, a coroutine is awaited, None is a 404.
        """


def kind_of(failure: Any) -> str:
    """Return the name of the exception's first class that is not evocrawl's."""
    kinds = [each for each in failure.type.__mro__ if not each.__module__.startswith("evocrawl")]
    others = [each for each in kinds if each is not IgnoreRequest and each.__module__ != "builtins"]
    return (others or kinds)[0].__name__


class Small(Case, Spider):
    """A case that is an ordinary spider."""

    def parse_item(self, response: Any, **kwargs: Any) -> Iterator[Any]:
        """Yield the path and the status."""
        yield {"path": path_of(response), "status": response.status, **kwargs}

    def failed(self, failure: Any) -> Iterator[Any]:
        """Yield the path and the exception's type."""
        yield {"failed": path_of(failure.request), "by": kind_of(failure)}


class Paged(Small):
    """A case whose site answers each path with a page of different text."""

    @staticmethod
    def answer(request: Request, times: int) -> object:  # noqa: ARG004 - the interface's form
        return html(prose(request.path))


class NoNumberError(ValueError):
    """A path that is to end with a number does not: the site answers 404."""


def site_of(case: type[Case]) -> Site:
    """Return the site of a case, with its own state."""
    seen: Counter[tuple[str, str]] = Counter()

    async def answer(request: Request) -> Response:
        if request.path == "/robots.txt" and not case.has_robots_txt:
            return not_found(request)
        key = (request.method, request.path)
        seen[key] += 1
        try:
            found = case.answer(request, seen[key] - 1)
        except NoNumberError:
            return not_found(request)
        if asyncio.iscoroutine(found):
            found = await found
        return _response(found, request)

    return answer


def _response(found: object, request: Request) -> Response:
    if found is None:
        return not_found(request)
    if isinstance(found, Response):
        return found
    if isinstance(found, str):
        return Response(200, found.encode(), {"content-type": "text/html; charset=utf-8"})
    return Response(200, json.dumps(found).encode(), {"content-type": "application/json"})


def path_of(message: Any) -> str:
    """Return the path and query of a response's or request's URL."""
    return "/" + message.url.split("/", 3)[3]


def number(path: str) -> int:
    """Return the number at the end of a path; raises NoNumberError."""
    digits = ""
    while path and path[-1].isdigit():
        digits, path = path[-1] + digits, path[:-1]
    if not digits:
        raise NoNumberError(path)
    return int(digits)


def html(text: str, *links: str) -> str:
    """Return an HTML page with links."""
    anchors = "".join(f'<p><a href="{href}">to {href.strip("/")}</a></p>' for href in links)
    return f"<html lang=en><head><title>{text[:40]}</title></head><body><p>{text}</p>{anchors}"


def prose(seed: object, words: int = 40) -> str:
    """Return words that are different for each seed."""
    rng = Random(str(seed))
    made = (
        "".join(rng.choice(_CONSONANTS) + rng.choice(_VOWELS) for _ in range(rng.randint(2, 4)))
        for _ in range(words)
    )
    return f"{seed} " + " ".join(made)


def alike(changing: object) -> str:
    """Return a text of sixty words that is the same each time, but for one number."""
    return f"{prose('alike', 60)} SKU {changing} price {changing}7"


def numbered(path: str, count: int) -> list[str]:
    """Return `count` paths that begin with `path`."""
    return [f"{path}{n}" for n in range(count)]


async def torn(text: str) -> AsyncIterator[bytes]:
    """Send a text, then close the connection, with any announced length."""
    yield text.encode()


async def never() -> object:
    """Do not answer."""
    await asyncio.sleep(3600)
    return None
