"""Gives the entries of an RSS or Atom feed."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import ClassVar

from evocrawl.core.model import Link
from evocrawl.core.urls.identity import is_of
from evocrawl.extraction import Document, read
from evocrawl.seeding.base import (
    Answer,
    Fetch,
    Seed,
    SeedError,
    Topic,
    fetch_page,
    seed,
    web_address,
)
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
        return await asyncio.to_thread(_best, answer, topic)


def _best(answer: Answer, topic: Topic) -> list[Seed]:
    entries = feed_entries(answer)
    if not entries:
        raise SeedError("it has no entries")
    score = topic.relevance.link
    entries.sort(key=lambda each: -score(each[0].anchor, each[0].context, topic.language))
    return ranked((entry for _, entry in entries), topic.most)


def feed_entries(answer: Answer) -> list[tuple[Link, Seed]]:
    """Return the entries of a feed in its order: links with title and summary, and their seeds."""
    page = read(Document(answer.body, answer.url, content_type=answer.content_type))
    changes = dict(page.changes)
    found = []
    for position, link in enumerate(page.links):
        entry = seed(link.url, link.anchor)
        if entry is not None:
            at_s = changes.get(position) if is_of(answer.url, link.url) else None
            found.append((link, replace(entry, changed_by_s=at_s)))
    return found
