"""The base class of the three pipelines, and the data of a crawl that they use."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Self
from weakref import WeakKeyDictionary

from evocrawl.core.items import PageItem
from evocrawl.core.urls.identity import fingerprint
from evocrawl.population.traps.novelty import NoveltyVerdict

if TYPE_CHECKING:
    from scrapy.crawler import Crawler

    from evocrawl.core.fetch import Fetch, FetchDetails
    from evocrawl.core.model import Content, Fingerprint, VisitId
    from evocrawl.frontier.page_base import MemoryPageBase
    from evocrawl.population.population import Population
    from evocrawl.population.traps.traps import TrapDetector
    from evocrawl.relevance.base import Relevance
    from evocrawl.relevance.language_check import LanguageCheck


@dataclass(slots=True, eq=False)
class PageContext:
    """The data of a crawl that pipelines use: its models, known pages and the fetches under way.

    `fetches` and `details` are by visit; `details` are of visits whose page has been rewarded.
    `rewards_pages` says whether pages go through the reward pipeline. `languages` warns of pages in
    another language than the query's; None where the language does not matter.
    """

    relevance: Relevance
    population: Population
    base: MemoryPageBase
    traps: TrapDetector | None
    fetches: dict[VisitId, Fetch] = field(default_factory=dict)
    details: dict[VisitId, FetchDetails] = field(default_factory=dict)
    rewards_pages: bool = False
    languages: LanguageCheck | None = None

    def as_read(self, item: PageItem) -> PageItem:
        """Return the page of `item` as it was read; `item` itself if its visit is settled."""
        fetch = self.fetches.get(item.visit)
        return item if fetch is None or fetch.seen is None else fetch.seen

    def identity_of(self, item: PageItem) -> Fingerprint:
        """Return the identity of the page of `item`."""
        fetch = self.fetches.get(item.visit)
        return fetch.identity_of(item.url) if fetch else fingerprint(item.url)

    def novelty(self, url: str, page: Fingerprint, content: Content) -> NoveltyVerdict:
        """Return whether `content` is new among the pages seen. O(characters)."""
        if self.traps is None:
            return NoveltyVerdict(None)
        return self.traps.look(url, page, content)


contexts: WeakKeyDictionary[Crawler, PageContext] = WeakKeyDictionary()
"""The page context of each crawler; `evocrawl.adapter.context.CrawlContext` adds it."""


class PagePipeline(ABC):
    """An item pipeline that processes each `PageItem` and lets every other item pass."""

    def __init__(self, context: PageContext) -> None:
        self.context = context

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Build the pipeline on the crawler's page context."""
        return cls(contexts[crawler])

    def process_item(self, item: Any) -> Any:
        """Process `item` if it is a page; return it."""
        if isinstance(item, PageItem):
            self.process_page(item)
        return item

    @abstractmethod
    def process_page(self, page: PageItem) -> None:
        """Process one page."""
