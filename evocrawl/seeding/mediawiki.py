"""Gives search results of a MediaWiki, such as Wikipedia, by its action API."""

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

_MOST_RESULTS = 50
"""Most results that the API gives without a login."""


class MediaWiki:
    """``mediawiki:https://HOST/w/api.php``."""

    form: ClassVar[str] = (
        "the address of an api.php, such as mediawiki:https://en.wikipedia.org/w/api.php"
    )

    def __init__(self, argument: str) -> None:
        self._address = web_address(argument)

    async def seeds(self, topic: Topic, fetch: Fetch) -> list[Seed]:
        """Return the articles that the wiki's search finds, in its order."""
        options = {
            "action": "query",
            "format": "json",
            "formatversion": 2,
            "generator": "search",
            "gsrsearch": topic.query,
            "gsrlimit": min(topic.most, _MOST_RESULTS),
            "prop": "info",
            "inprop": "url",
        }
        answer = await fetch_json(fetch, self._address, options)
        error = answer.get("error") if isinstance(answer, dict) else None
        if isinstance(error, dict):
            raise SeedError(f"the wiki answers {error.get('code')!r}")
        if isinstance(answer, dict) and "query" not in answer:
            return []  # nothing is found
        pages = items_of(answer, "query", "pages")
        pages.sort(key=_index)
        found = (
            seed(each.get("canonicalurl") or each.get("fullurl"), each.get("title"))
            for each in pages
        )
        return ranked(filter(None, found), topic.most)


def _index(page: dict[str, object]) -> float:
    index = page.get("index")
    return float(index) if isinstance(index, int | float) else float("inf")
