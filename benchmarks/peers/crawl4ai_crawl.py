"""Runs crawl4ai's BestFirstCrawlingStrategy over pages in memory; needs only crawl4ai.

    python crawl4ai_crawl.py JOB.json OUT.json

JOB has `pages` (URL to HTML), `seeds`, `query`, `budget` and `anchors` (true for the variant that
also reads anchor texts). OUT gets `requests`, the requested URLs in order, counted by the server
and not by crawl4ai, and `rejected`, the number of pages that crawl4ai classified as a bot trap
because they have little text; it does not follow their links. The settings are those that its
documentation recommends for focused crawls: BestFirstCrawlingStrategy with a KeywordRelevanceScorer
of the words of the query.
"""

from __future__ import annotations

import asyncio
import json
import re
import sys
import time
from pathlib import Path
from urllib.parse import unquote

from crawl4ai import AsyncWebCrawler, CacheMode, CrawlerRunConfig
from crawl4ai.async_crawler_strategy import AsyncCrawlerStrategy
from crawl4ai.deep_crawling import BestFirstCrawlingStrategy
from crawl4ai.deep_crawling.scorers import KeywordRelevanceScorer, URLScorer
from crawl4ai.models import AsyncCrawlResponse
from crawl4ai.utils import normalize_url_for_deep_crawl
from peak_memory import peak_rss_bytes


class InMemory(AsyncCrawlerStrategy):
    """Serves pages from a dict and records the requests."""

    def __init__(self, pages: dict[str, str]) -> None:
        # crawl4ai changes escapes in URLs, so they are decoded before the comparison.
        self._pages = {unquote(url): html for url, html in pages.items()}
        self.requests: list[str] = []

    def has(self, url: str) -> bool:
        return unquote(url) in self._pages

    async def __aenter__(self) -> InMemory:
        return self

    async def __aexit__(self, *_: object) -> None:
        pass

    async def crawl(self, url: str, **_: object) -> AsyncCrawlResponse:
        self.requests.append(url)
        html = self._pages.get(unquote(url))
        return AsyncCrawlResponse(
            html=html or "<html><body>There is no such page.</body></html>",
            response_headers={"content-type": "text/html"},
            status_code=404 if html is None else 200,
        )


class AnchorScorer(URLScorer):
    """The share of keywords in the URL or in an anchor text that leads to it."""

    __slots__ = ("_keywords", "anchors")

    def __init__(self, keywords: list[str]) -> None:
        super().__init__(weight=1.0)
        self._keywords = keywords
        self.anchors: dict[str, str] = {}

    def _calculate_score(self, url: str) -> float:
        text = f"{url} {self.anchors.get(url, '')}".lower()
        return sum(word in text for word in self._keywords) / len(self._keywords)


class AnchorAware(BestFirstCrawlingStrategy):
    """Passes the anchor texts of a page to the scorer before its links are scored."""

    async def link_discovery(self, result, source_url, *rest):  # type: ignore[no-untyped-def]
        for link in [*result.links.get("internal", []), *result.links.get("external", [])]:
            url = normalize_url_for_deep_crawl(link.get("href"), source_url)
            anchors = self.url_scorer.anchors
            anchors[url] = f"{anchors.get(url, '')} {link.get('text') or ''}"
        await super().link_discovery(result, source_url, *rest)


async def crawl(job: dict) -> tuple[list[str], int]:  # type: ignore[type-arg]
    """Return the requested URLs, and the number of rejected pages."""
    words = re.findall(r"\w+", job["query"].lower())
    world = InMemory(job["pages"])
    kind = AnchorAware if job["anchors"] else BestFirstCrawlingStrategy
    scorer = AnchorScorer(words) if job["anchors"] else KeywordRelevanceScorer(keywords=words)
    strategy = kind(
        max_depth=1000,
        include_external=True,
        url_scorer=scorer,
        should_cancel=lambda: len(world.requests) >= job["budget"],
        # A crawl has one start URL; its resume state contains the others.
        resume_state={
            "visited": [],
            "depths": dict.fromkeys(job["seeds"], 0),
            "pages_crawled": 0,
            "queue_items": [
                {"score": -2.0, "depth": 0, "url": url, "parent_url": None} for url in job["seeds"]
            ],
        },
    )
    config = CrawlerRunConfig(
        deep_crawl_strategy=strategy, cache_mode=CacheMode.BYPASS, stream=True, verbose=False
    )
    async with AsyncWebCrawler(crawler_strategy=world) as crawler:
        rejected = 0
        async for result in await crawler.arun(job["seeds"][0], config=config):
            rejected += not result.success and world.has(result.url)
    return world.requests, rejected


def main() -> None:
    """Read the job, crawl, write the requests."""
    job = json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))
    started_s = time.perf_counter()
    requests, rejected = asyncio.run(crawl(job))
    answer = {
        "requests": requests,
        "rejected": rejected,
        "seconds": time.perf_counter() - started_s,
        "peak_rss_bytes": peak_rss_bytes(),
    }
    Path(sys.argv[2]).write_text(json.dumps(answer), encoding="utf-8")


if __name__ == "__main__":
    main()
