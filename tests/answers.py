"""Sources without a network: answers by URL, and the list of requests."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from evocrawl.relevance.tfidf import TfIdf
from evocrawl.seeding.base import Answer, Seed, SeedError, Topic
from evocrawl.seeding.registry import source_of

Given = bytes | int | Callable[[str], bytes]

SEARX = "http://searx.test/search"
WIKI = "http://wiki.test/w/api.php"
INDEX = "http://index.test/CC"
MAP = "http://a.test/sitemap.xml"
FEED = "http://a.test/feed.xml"
JSON_SOURCES = [f"searxng:{SEARX}", f"mediawiki:{WIKI}", f"cdx:{INDEX}?url=*.a.test"]
ALL_SOURCES = [*JSON_SOURCES, f"sitemap:{MAP}", f"feed:{FEED}"]


@dataclass
class Web:
    """Answers by URL without its query; a number is a status without a body."""

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
        """Return the seeds of a source."""
        topic = Topic(query, "en", TfIdf(query, "en"), most)
        return asyncio.run(source_of("seeds", notation).source.seeds(topic, self.fetch))


def json_of(value: object) -> bytes:
    """Return a value as JSON."""
    return json.dumps(value).encode()


def results(*urls: object) -> bytes:
    """Return results of SearXNG."""
    return json_of({"query": "x", "results": [{"url": each, "title": "T"} for each in urls]})


def sitemap(*urls: tuple[str, str], root: str = "urlset") -> bytes:
    """Return a sitemap, or an index of them, of pairs (URL, lastmod)."""
    part = "url" if root == "urlset" else "sitemap"
    entries = "".join(
        f"<{part}><loc>{url}</loc><lastmod>{date}</lastmod></{part}>" for url, date in urls
    )
    return f'<?xml version="1.0"?><{root} xmlns="http://s.test/0.9">{entries}</{root}>'.encode()
