"""The modules that a request, a response and a settlement go through."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from call_paths import CallPath
from scrapy import Request
from scrapy.http import HtmlResponse
from scrapy.utils.test import get_crawler

import evocrawl
from evocrawl.adapter.meta import VISIT
from evocrawl.adapter.scheduler import EvoScheduler
from evocrawl.core.items import PageItem
from evocrawl.energy.sigmoid import Sigmoid
from evocrawl.extraction import html
from evocrawl.frontier import Frontier, OpenLinks
from evocrawl.pipelines.energy import EnergyPipeline
from evocrawl.pipelines.relevance import RelevancePipeline
from evocrawl.pipelines.reward import RewardPipeline, reward
from evocrawl.relevance.tfidf import TfIdf
from evocrawl.species.biocrawler.vision import Vision
from evocrawl.species.evo.prospects import CandidateRanking
from evocrawl.species.foragers.species import Errands
from evocrawl.species.random_queue import RandomQueue
from evocrawl.spiders.evospider import EvoSpider

PAGE = Path(evocrawl.__file__).parents[1] / "docs/explanation/how-it-works.md"
SETTINGS = {
    "EVOCRAWL_QUERY": "coral", "EVOCRAWL_SEEDS": "http://a.test/", "EVOCRAWL_PROBE": False
}  # fmt: skip
BODY = b"<title>Coral</title><p>Coral reefs of many seas are good.</p><a href='/y'>more reefs</a>"


class Crawl:
    """A crawler with its scheduler and spider, in which nothing is downloaded."""

    def __init__(self, species: str = "evo") -> None:
        self.crawler = get_crawler(EvoSpider, {**SETTINGS, "EVOCRAWL_SPECIES": species})
        self.spider = EvoSpider.from_crawler(self.crawler)
        slot = SimpleNamespace(inprogress=set())
        downloader = SimpleNamespace(slots={}, _delay=0.0)
        self.crawler.engine = SimpleNamespace(downloader=downloader, _slot=slot)  # type: ignore[assignment]
        self.scheduler = EvoScheduler.from_crawler(self.crawler)
        self.context = self.scheduler._context

    def answered(self) -> HtmlResponse:
        """Take one request in, choose it, and return its response."""
        assert self.scheduler.enqueue_request(Request("http://a.test/x"))
        visit = self.context.journaled.choose(self.context.now_s())
        assert visit is not None
        self.context.fetches.begin(visit)
        request = Request(visit.lead.url, meta={VISIT: visit.id})
        return HtmlResponse(request.url, body=BODY, request=request, encoding="utf-8")

    def read(self) -> PageItem:
        """Return the page of one response."""
        (item,) = run(self.spider.parse(self.answered()))
        return item

    def rewarded(self) -> None:
        """Fetch one page, so that its visit can be settled."""
        item = self.read()
        for kind in (RelevancePipeline, EnergyPipeline, RewardPipeline):
            kind.from_crawler(self.crawler).process_item(item)
        self.context.fetches.output_complete(self.context.fetches.under_way[item.visit])


def run(pages: AsyncIterator[PageItem]) -> list[PageItem]:
    """Return what a callback yields if it waits for nothing."""
    found = []
    while True:
        try:
            anext(pages).__await__().send(None)
        except StopIteration as stop:
            found.append(stop.value)
        except StopAsyncIteration:
            return found


def path_of_request(species: str = "evo", arrival: Callable[..., Any] = Frontier.push) -> CallPath:
    scheduler = Crawl(species).scheduler
    request = Request("http://me:secret@a.test/x?b=1&a=2#top")
    return CallPath(lambda: scheduler.enqueue_request(request), arrival)


def path_of_response() -> CallPath:
    crawl = Crawl()
    response = crawl.answered()
    return CallPath(lambda: run(crawl.spider.parse(response)), html.parse_html)


def path_of_pipeline(kind: Any, arrival: Callable[..., Any]) -> CallPath:
    crawl = Crawl()
    pipeline, item = kind.from_crawler(crawl.crawler), crawl.read()
    return CallPath(lambda: pipeline.process_item(item), arrival)


def path_of_settlement() -> CallPath:
    crawl = Crawl()
    crawl.rewarded()
    return CallPath(crawl.scheduler._settle_ended, CandidateRanking.found)


PATHS: dict[str, tuple[Callable[[], CallPath], int]] = {
    "a request comes in": (path_of_request, 6),
    "a response is read": (path_of_response, 4),
    "its page is scored": (lambda: path_of_pipeline(RelevancePipeline, TfIdf.page), 3),
    "its energy is computed": (lambda: path_of_pipeline(EnergyPipeline, Sigmoid.price), 3),
    "its visit is rewarded": (lambda: path_of_pipeline(RewardPipeline, reward), 1),
    "the visit is settled": (path_of_settlement, 5),
}
"""How each path is traced, and how often it may change the module."""


def documented(path: str) -> list[str]:
    """Return the modules of a path in the table of the documentation."""
    (row,) = [line for line in PAGE.read_text().splitlines() if line.startswith(f"| {path} |")]
    return re.findall(r"`([^`]+)`", row)


@pytest.mark.parametrize("path", PATHS)
def test_a_path_has_the_modules_that_its_documentation_gives(path: str) -> None:
    trace, most = PATHS[path]
    modules = trace().modules
    assert modules == documented(path)
    assert len(modules) - 1 <= most


STORES: dict[str, tuple[str, Callable[..., Any]]] = {
    "energy": ("frontier/open_links", OpenLinks.add),
    "infospiders": ("frontier/open_links", OpenLinks.add),
    "biocrawler": ("species/biocrawler/vision", Vision.found),
    "weblog": ("species/foragers/species", Errands.found),
    "breadth_first": ("frontier/queue", Frontier.push),
    "random": ("species/random_queue", RandomQueue.push),
}
"""Where some species put the link of a request."""


@pytest.mark.parametrize("species", STORES)
def test_a_request_comes_in_by_at_most_six_changes_of_module_for_any_species(species: str) -> None:
    """The path is that of `evo` up to the species' own store of links."""
    store, arrival = STORES[species]
    modules = path_of_request(species, arrival).modules
    common = documented("a request comes in")[:5]
    assert modules[:5] == common
    assert modules[-1] == store
    assert len(modules) - 1 <= 6


def test_a_request_makes_no_detour_over_several_modules() -> None:
    """Every other module on its way answers without a further module except `core`."""
    detours = path_of_request().detours
    assert {"adapter/dupe_filter"} in detours
    assert [each for each in detours if len(each) > 1] == []


def test_the_url_of_a_request_is_parsed_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """The frontier uses the host that the scheduler has read."""
    scheduler = Crawl().scheduler
    monkeypatch.setattr("evocrawl.population.species_view.host_of", _fail)
    assert scheduler.enqueue_request(Request("http://me:secret@b.test:80/x?b=1#top"))
    visit = scheduler._context.journaled.choose(0.0)
    assert visit is not None
    assert (visit.lead.url, visit.lead.host) == ("http://b.test:80/x?b=1#top", "b.test")


def _fail(url: str) -> str:
    raise AssertionError(f"{url} is parsed again")
