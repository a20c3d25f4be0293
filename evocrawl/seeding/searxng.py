"""Gives search results of a SearXNG instance (its JSON API).

The instance must allow the format ``json`` (``search.formats`` in its settings.yml).
"""

from __future__ import annotations

from typing import ClassVar

from evocrawl.seeding.base import (
    Fetch,
    Seed,
    SeedError,
    Topic,
    fetch_json,
    items_of,
    seed,
    web_address,
)
from evocrawl.seeding.ranking import ranked

_MOST_PAGES = 5


class SearxNG:
    """``searxng:https://HOST/``; a path that ends in ``/search`` is used as it is."""

    form: ClassVar[str] = "the address of an instance, such as searxng:https://searx.example/"

    def __init__(self, argument: str) -> None:
        address = web_address(argument)
        base, mark, options = address.partition("?")
        if not base.endswith("/search"):
            base = f"{base.rstrip('/')}/search"
        self._address = f"{base}{mark}{options}"

    async def seeds(self, topic: Topic, fetch: Fetch) -> list[Seed]:
        """Return results in the order of the instance, from several pages if needed."""
        found: list[Seed] = []
        for page in range(1, _MOST_PAGES + 1):
            options = {"q": topic.query, "format": "json", "pageno": page}
            if topic.language:
                options["language"] = topic.language
            try:
                answer = await fetch_json(fetch, self._address, options)
                results = items_of(answer, "results")
            except SeedError:
                if found:
                    break
                raise
            before = len(found)
            seeds = (seed(each.get("url"), each.get("title")) for each in results)
            found = ranked([*found, *filter(None, seeds)], topic.most)
            if len(found) in (before, topic.most):
                break
        return found
