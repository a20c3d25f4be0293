"""A source of seeds of your own: articles of journals, by the search of a Crossref-style API.

    -a seeds="crossref:https://api.crossref.org/works"

A package offers it as an entry point of the group `evocrawl.seeding`:

    [project.entry-points."evocrawl.seeding"]
    crossref = "examples.parts.crossref:Crossref"

`fetch` is the crawl's own downloader: robots.txt, delays and the budget hold for its requests.
"""

from __future__ import annotations

from typing import ClassVar

from evocrawl.seeding.base import Fetch, Seed, Topic, fetch_json, items_of, seed, web_address


class Crossref:
    """``crossref:https://HOST/works``: one request, which asks for as many articles as needed."""

    form: ClassVar[str] = "the address of an API, such as crossref:https://api.crossref.org/works"

    def __init__(self, argument: str) -> None:
        self._address = web_address(argument)

    async def seeds(self, topic: Topic, fetch: Fetch) -> list[Seed]:
        """Return articles in the order of the search; raises SeedError."""
        options = {"query": topic.query, "rows": topic.most, "select": "URL,title"}
        answer = await fetch_json(fetch, self._address, options)
        works = items_of(answer, "message", "items")
        return [made for work in works if (made := seed(work.get("URL"), _title(work)))]


def _title(work: dict[str, object]) -> object:
    """Return the first of the titles that the API gives as a list."""
    titles = work.get("title")
    return titles[0] if isinstance(titles, list) and titles else ""
