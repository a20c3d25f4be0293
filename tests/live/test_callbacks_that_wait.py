"""Requests are scheduled as a callback yields them, and it may wait for their responses."""

from __future__ import annotations

import signal
from pathlib import Path
from typing import Any

import pytest
from livecrawl import QUERY, ROOT, Crawl, page, site

EXAMPLE = ROOT / "examples" / "reefs"


def _web() -> dict[str, object]:
    names = ["", "first", "behind", *(f"fed/{number}" for number in range(1, 500))]
    return {"reef.test": site({f"/{name}": page(text=f"{QUERY} {name}") for name in names})}


def _crawl(
    serve: Any, crawl: Crawl, spider: str, stop: dict[str, Any] | None = None, **settings: Any
) -> Any:
    return crawl(
        serve(_web()),
        command=("crawl", spider),
        cwd=EXAMPLE,
        settings={
            "SPIDER_MODULES": "waitspider",
            "ITEM_PIPELINES": {},
            "CONCURRENT_REQUESTS": 1,
            **settings,
        },
        **(stop or {}),
    )


def test_a_callback_waits_for_requests_that_it_has_yielded(
    serve, crawl: Crawl, tmp_path: Path
) -> None:
    """It gets their responses with one request at a time, and a later run continues correctly."""
    crawled = _crawl(serve, crawl, "waits", JOBDIR=tmp_path / "job")
    crawled.check_settled()
    found = {name: value for each in crawled.pages for name, value in each.items()}
    assert found["answer"].endswith("/first")
    assert found["behind"].endswith("/behind")
    assert found["fed"] >= 3
    assert crawled.stats["finish_reason"] == "finished"
    assert crawled.stats["scheduler/enqueued"] == crawled.stats["scheduler/dequeued"]
    # The requests are links of their page: each is one link deeper than it.
    assert crawled.stats["request_depth_max"] == 2
    again = _crawl(serve, crawl, "waits", JOBDIR=tmp_path / "job")
    assert again.stat("pages") == crawled.stat("pages") == found["fed"] + 3
    assert again.stat("stop_reason") == "exhausted"


def test_a_callback_that_never_ends(serve, crawl: Crawl) -> None:
    """Its requests are sent; it is cancelled when the crawl closes or the budget is used up."""
    for settings, reason in (
        ({"CLOSESPIDER_ITEMCOUNT": 1}, "closespider_itemcount"),
        ({"EVOCRAWL_MAX_REQUESTS": 3}, "budget"),
    ):
        crawled = _crawl(serve, crawl, "waits-for-ever", EVOCRAWL_CLOSING_WAIT_S=0.5, **settings)
        crawled.check_settled()
        assert [each["url"] for each in crawled.pages] == ["http://reef.test/first"]
        assert crawled.stats["finish_reason"] == crawled.stat("stop_reason") == reason
        assert crawled.stats["waits/ended"] == 1
        assert "which still waits, is given up" in crawled.log


@pytest.mark.parametrize(
    ("stop", "settings", "reason"),
    [
        ({}, {"CLOSESPIDER_PAGECOUNT": 11}, "closespider_pagecount"),
        ({"interrupt_at": 12, "by": signal.SIGTERM}, {}, "shutdown"),
        ({}, {"EVOCRAWL_MAX_REQUESTS": 12}, "budget"),
    ],
)
def test_callbacks_of_every_kind_that_never_end(
    serve, crawl: Crawl, stop: dict[str, Any], settings: dict[str, Any], reason: str
) -> None:
    """Coroutines and errbacks delay no other page with one place, and end with the crawl."""
    crawled = _crawl(
        serve, crawl, "awaits-for-ever", stop, EVOCRAWL_CLOSING_WAIT_S=0.5, RETRY_ENABLED=0,
        **settings,
    )  # fmt: skip
    assert (crawled.stat("visits/settled_twice"), crawled.stat("visits/unsettled")) == (0, 0)
    assert crawled.stats["finish_reason"] == crawled.stat("stop_reason") == reason
    pages = {f"http://reef.test/fed/{number}" for number in range(1, 9)}
    assert {each["url"] for each in crawled.pages if "url" in each} == pages
    assert crawled.log.count("which still waits, is given up") == 4
    for name in (
        "waits of http://reef.test/,",
        "goes_on of http://reef.test/behind,",
        "waits of http://reef.test/missing,",
        "yields of http://127.0.0.1:1/,",
    ):
        assert f"the callback {name}" in crawled.log
    assert crawled.stats["waits/ended"] >= 4
    assert crawled.stats["waits/goes_on"] == 1
    spent = "the budget is spent: the crawl ends although callbacks still wait"
    assert (spent in crawled.log) == (reason == "budget")


def test_requests_that_a_callback_returns_after_a_wait_are_scheduled(serve, crawl: Crawl) -> None:
    """Its page is settled by then, and it has waited for a later page."""
    crawled = _crawl(serve, crawl, "returns-later")
    crawled.check_settled()
    assert crawled.pages == [
        {"answer": "http://reef.test/first"}, {"behind": "http://reef.test/behind"}
    ]  # fmt: skip
    assert crawled.stats["finish_reason"] == "finished"
    assert crawled.stat("pages") == 3
    assert crawled.stats["request_depth_max"] == 1


def test_a_spent_budget_ends_a_crawl_whose_start_never_ends(serve, crawl: Crawl) -> None:
    """No further request of start() could be sent."""
    crawled = _crawl(serve, crawl, "feeds-for-ever", EVOCRAWL_MAX_REQUESTS=6)
    crawled.check_settled()
    assert crawled.stats["finish_reason"] == "budget"
    assert len(crawled.pages) == 5  # robots.txt is the sixth request
    assert "the budget is spent: the crawl ends before start() does" in crawled.log
    assert crawled.stat("links/left") == 3
    assert "3 requests of the spider were not sent" in crawled.log


def test_a_spider_gives_the_reason_of_its_end(serve, crawl: Crawl) -> None:
    """CloseSpider of a spider_idle handler prevails, and the scheduler reports how many wait."""
    crawled = _crawl(serve, crawl, "ends-itself", EVOCRAWL_MAX_REQUESTS=3)
    crawled.check_settled()
    assert crawled.stats["finish_reason"] == "done well"
    assert [each["waiting"] for each in crawled.pages] == [1, 0]
    assert crawled.stats["scheduler/enqueued/memory"] == 2


def test_a_spider_may_keep_an_idle_crawl_open(serve, crawl: Crawl) -> None:
    """DontCloseSpider of a spider_idle handler prevails, with and without further requests."""
    crawled = _crawl(serve, crawl, "feeds-when-idle")
    crawled.check_settled()
    assert crawled.stats["finish_reason"] == "finished"
    fed = {f"http://reef.test/fed/{number}" for number in (1, 2, 3)}
    assert {each["url"] for each in crawled.pages} == fed | {"http://reef.test/"}
    assert crawled.stat("links/left") == 0
    assert "were not sent" not in crawled.log
