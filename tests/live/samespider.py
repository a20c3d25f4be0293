"""A spider that repeats requests in every way, for crawls that are killed and resumed."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from datetime import date
from typing import Any

from scrapy import Request, Spider

HOSTS = 3
STARTS, PAGES, LEAVES, REPEATS = 4, 6, 5, 3


class SameSpider(Spider):
    name = "same"

    async def start(self) -> AsyncIterator[Request]:
        """One address, several times; each request has a header of its own."""
        for k in range(STARTS):
            yield _ask("/start", k, self.page, dont_filter=True, cb_kwargs={"k": k})

    def page(self, response: Any, k: int) -> Iterator[Any]:  # noqa: ARG002 - Scrapy passes it
        """Request pages that others request, too, and one address repeatedly with dont_filter."""
        for n in range(PAGES):
            more = {1: k, "on": date(2026, 11, 29)}
            yield _ask(f"/page/{n}", "any", self.leaves, cb_kwargs={"n": n, "more": more})
        yield _ask("/to/page/0", "any", self.leaf)
        for n in range(REPEATS):
            yield _ask("/poll", f"{k}.{n}", self.leaf, dont_filter=True)

    def leaves(self, response: Any, n: int, more: dict[Any, Any]) -> Iterator[Any]:  # noqa: ARG002
        assert more["on"] == date(2026, 11, 29)
        assert more[1] in range(STARTS)
        for leaf in range(LEAVES):
            yield _ask(f"/leaf/{leaf}?{n}" if n % 2 else f"/leaf/{leaf}", "any", self.leaf)

    def leaf(self, response: Any) -> Iterator[Any]:
        yield {"url": response.url}


def _ask(path: str, who: object, callback: Any, **options: Any) -> Request:
    return Request(url_of(path), callback, headers={"X-Who": str(who)}, **options)


def url_of(path: str) -> str:
    """Return the address of a path, on the host that its number says."""
    number = sum(int(each) for each in path.partition("?")[0] if each.isdigit())
    return f"http://same{number % HOSTS}.test{path}"
