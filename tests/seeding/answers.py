"""Sources asked without a network: answers by URL, and what was asked."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from evocrawl.relevance.tfidf import TfIdf
from evocrawl.seeding.base import Answer, Seed, SeedError, Topic
from evocrawl.seeding.registry import source_of

Given = bytes | int | Callable[[str], bytes]


@dataclass
class Web:
    """Answers by the part of a URL before its query; a number is a status without a body."""

    answers: Mapping[str, Given]
    asked: list[str] = field(default_factory=list)

    async def fetch(self, url: str, most_bytes: int) -> Answer:
        self.asked.append(url)
        given = self.answers.get(url, self.answers.get(url.partition("?")[0], 404))
        if isinstance(given, int):
            return Answer(url, given, b"")
        body = given if isinstance(given, bytes) else given(url)
        if len(body) > most_bytes:
            raise SeedError("too large")
        return Answer(url, 200, body, "text/plain")

    def seeds(self, notation: str, query: str = "coral bleaching", most: int = 20) -> list[Seed]:
        """Return what a source gives."""
        topic = Topic(query, "en", TfIdf(query, "en"), most)
        return asyncio.run(source_of("seeds", notation).source.seeds(topic, self.fetch))
