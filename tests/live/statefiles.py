"""Shared by the tests of stores: a tree of pages, and the pages in a store."""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

from livecrawl import QUERY, page

from evocrawl.simulation.server.proxy import Request, Response, Site, not_found

HOST = "tree.test"


def tree(pages: int) -> Site:
    """A site of `pages` pages: page n links to pages 2n + 1 and 2n + 2."""

    def answer(request: Request) -> Response:
        number = request.path.removeprefix("/")
        if not number.isdecimal() or int(number) >= pages:
            return not_found(request)
        n = int(number)
        links = [f"/{each} {QUERY} {each}" for each in (2 * n + 1, 2 * n + 2) if each < pages]
        return page(*links, text=f"{QUERY} number {n}", title=f"page {n}")

    return answer


def recorded(state: Path) -> Counter[str]:
    """Return the paths of the pages in a store."""
    database = sqlite3.connect(state)
    urls = [url for (url,) in database.execute("SELECT url FROM pages")]
    database.close()
    return Counter(url.rpartition("/")[2] for url in urls)


def asked(log: Iterable[Request]) -> Counter[str]:
    """Return how often each page was requested."""
    return Counter(each.path[1:] for each in log if each.path[1:].isdecimal())
