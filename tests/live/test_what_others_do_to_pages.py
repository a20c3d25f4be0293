"""The population learns from each page, with any change that others make to its item."""

from __future__ import annotations

import pytest
from livecrawl import QUERY, Crawl, page, site
from seamparts import HOW

SEED = "http://reef.test/"


def _web() -> dict[str, object]:
    pages = {"/": page(*(f"/{way} coral bleaching" for way in HOW), text=QUERY)}
    for number, way in enumerate(HOW):
        # What a page links to is found through that page alone.
        pages[f"/{way}"] = page(f"/behind/{way}", text=f"{QUERY} reef {number}", title=way)
        pages[f"/behind/{way}"] = page(text=f"{QUERY} atoll {number}", title=f"behind {way}")
    return {"reef.test": site(pages)}


@pytest.mark.parametrize("order", [50, 500, 2000])
def test_pipelines_of_the_project_in_any_order(serve, crawl: Crawl, order: int) -> None:
    """Pages that are dropped, converted, broken, emptied or delayed give links and energy."""
    crawled = crawl(
        serve(_web()),
        arguments={"query": QUERY, "seeds": SEED},
        settings={
            "ITEM_PIPELINES": {"seamparts.Meddler": order},
            "CONCURRENT_REQUESTS": 1,
            "EVOCRAWL_PIPELINES_WAIT_S": 0.5,
            "LOG_LEVEL": "CRITICAL",
        },
    )
    crawled.check_settled()
    assert crawled.stat("pages") == crawled.stat("visits/fetched") == 2 * len(HOW) + 1
    # A pipeline between evocrawl's may set the relevance: "much" is no number, and counts as 0.
    wrong = 2 if order == 500 else 0
    assert crawled.stat("relevant_pages") == crawled.stat("pages") - wrong
    assert crawled.stat("stop_reason") == "exhausted"
    assert crawled.stats["finish_reason"] == "finished"
    # The project's pipelines decide which items are exported, and nothing else.
    names = {each["url"].rpartition("/")[2] for each in crawled.pages} - {""}
    assert names == set(HOW) - {"dropped", "broken"}


@pytest.mark.parametrize("place", [5, 700])
def test_spider_middlewares_that_let_no_page_through(serve, crawl: Crawl, place: int) -> None:
    """A page that reaches no pipeline is learnt from; also if evocrawl's pipelines are disabled."""
    ours = ("relevance.RelevancePipeline", "energy.EnergyPipeline", "reward.RewardPipeline")
    off = {f"evocrawl.pipelines.{name}": None for name in ours}
    crawled = crawl(
        serve(_web()),
        arguments={"query": QUERY, "seeds": SEED},
        settings={
            "SPIDER_MIDDLEWARES": {"seamparts.Censor": place},
            "ITEM_PIPELINES": off if place == 700 else {},
        },
    )
    crawled.check_settled()
    assert crawled.pages == []
    assert crawled.stat("relevant_pages") == crawled.stat("pages") == 2 * len(HOW) + 1


def test_a_pipeline_of_the_project_may_set_the_relevance(serve, crawl: Crawl) -> None:
    """The population uses the relevance that a project's pipeline sets."""
    pages = {"/": page("/dull", "/other", text=QUERY)}
    pages |= {f"/{name}": page(text=f"weather in {name}", title=name) for name in ("dull", "other")}
    for pipelines, relevant in ({}, 1), ({"seamparts.Judge": 105}, 2):
        crawled = crawl(
            serve({"reef.test": site(pages)}),
            arguments={"query": QUERY, "seeds": SEED},
            settings={"ITEM_PIPELINES": pipelines},
        )
        crawled.check_settled()
        assert (crawled.stat("pages"), crawled.stat("relevant_pages")) == (3, relevant)
