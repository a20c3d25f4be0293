"""Gives pages of an earlier crawl, also for another query."""

from __future__ import annotations

import asyncio
from heapq import nlargest
from typing import ClassVar

from evocrawl.core.errors import StateError
from evocrawl.core.model import Content
from evocrawl.seeding.base import Fetch, Seed, SeedError, Topic, seed
from evocrawl.seeding.ranking import ranked
from evocrawl.store.archive import Archive
from evocrawl.store.cluster.redis.archive import SharedArchive
from evocrawl.store.cluster.redis.keys import is_shared


class StoredCrawl:
    """``store:crawl.sqlite`` or ``store:redis://HOST:PORT/0``."""

    form: ClassVar[str] = "the store of an earlier crawl, such as store:crawl.sqlite"

    def __init__(self, argument: str) -> None:
        if not argument:
            raise ValueError(self.form)
        self._store = argument

    def check(self) -> None:
        """Raise SeedError for a file that is missing, is no store, or has no page.

        A Redis is not asked: it may be out of reach for a while.
        """
        if is_shared(self._store):
            return
        try:
            with Archive(self._store) as store:
                if next(store.pages(), None) is None:
                    raise SeedError("it has no page")
        except StateError as error:
            raise SeedError(str(error)) from error

    async def seeds(self, topic: Topic, fetch: Fetch) -> list[Seed]:  # noqa: ARG002 - the protocol
        """Return the pages that are most relevant for the query of this crawl. O(pages)."""
        try:
            return await asyncio.to_thread(self._best, topic)
        except StateError as error:
            raise SeedError(str(error)) from error

    def _best(self, topic: Topic) -> list[Seed]:
        store = SharedArchive(self._store) if is_shared(self._store) else Archive(self._store)
        with store:
            scored = (
                (topic.relevance.page(Content(page.title, page.text, page.language)), -number, page)
                for number, page in enumerate(store.pages())
            )
            best = nlargest(topic.most, (each for each in scored if each[0] > 0))
            found = [seed(page.url, page.title, page.changed_at) for *_, page in best]
        return ranked(filter(None, found), topic.most)
