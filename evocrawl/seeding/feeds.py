"""Entries of a feed: RSS, Atom."""

from __future__ import annotations

from typing import ClassVar

from evocrawl.extraction import Document, read
from evocrawl.seeding.base import Fetch, Seed, SeedError, Topic, fetch_page, seed, web_address
from evocrawl.seeding.ranking import ranked

_MOST_BYTES = 8_000_000


class Feed:
    """``feed:https://HOST/feed.xml``."""

    form: ClassVar[str] = "the address of a feed, such as feed:https://example.org/feed.xml"

    def __init__(self, argument: str) -> None:
        self._address = web_address(argument)

    async def seeds(self, topic: Topic, fetch: Fetch) -> list[Seed]:
        """Return the entries whose titles and summaries match the query best."""
        answer = await fetch_page(fetch, self._address, _MOST_BYTES)
        page = read(Document(answer.body, answer.url, content_type=answer.content_type))
        if not page.links:
            raise SeedError("it has no entries")
        score = topic.relevance.link
        links = sorted(
            page.links, key=lambda link: -score(link.anchor, link.context, topic.language)
        )
        found = (seed(link.url, link.anchor) for link in links)
        return ranked(filter(None, found), topic.most)
