"""Requests are scheduled as a callback yields them, and a callback may wait for what they bring."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from livecrawl import QUERY, ROOT, Crawl, page, site

EXAMPLE = ROOT / "examples" / "reefs"


def _web() -> dict[str, object]:
    names = ["", "first", "behind", *(f"fed/{number}" for number in range(1, 500))]
    return {"reef.test": site({f"/{name}": page(text=f"{QUERY} {name}") for name in names})}


def _crawl(serve: Any, crawl: Crawl, spider: str, **settings: Any) -> Any:
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
    )


def test_a_callback_waits_for_requests_that_it_has_yielded(
    serve, crawl: Crawl, tmp_path: Path
) -> None:
    """It gets their answers with one request at a time, and a later run knows all of it."""
    crawled = _crawl(serve, crawl, "waits", JOBDIR=tmp_path / "job")
    crawled.check_settled()
    found = {name: value for each in crawled.pages for name, value in each.items()}
    assert found["answer"].endswith("/first")
    assert found["behind"].endswith("/behind")
    assert found["fed"] >= 3
    assert crawled.stats["finish_reason"] == "finished"
    assert crawled.stats["scheduler/enqueued"] == crawled.stats["scheduler/dequeued"]
    # The requests hang on their page: each is one link deeper than it.
    assert crawled.stats["request_depth_max"] == 2
    again = _crawl(serve, crawl, "waits", JOBDIR=tmp_path / "job")
    assert again.stat("pages") == crawled.stat("pages") == found["fed"] + 3
    assert again.stat("stop_reason") == "exhausted"


def test_a_callback_that_never_ends(serve, crawl: Crawl) -> None:
    """Its requests are sent; it is given up when the crawl is closed, or its budget is used up."""
    for settings, reason in (
        ({"CLOSESPIDER_TIMEOUT": 3}, "closespider_timeout"),
        ({"EVOCRAWL_MAX_REQUESTS": 3}, "budget"),
    ):
        crawled = _crawl(serve, crawl, "waits-for-ever", EVOCRAWL_CLOSING_WAIT_S=0.5, **settings)
        crawled.check_settled()
        assert [each["url"] for each in crawled.pages] == ["http://reef.test/first"]
        assert crawled.stats["finish_reason"] == crawled.stat("stop_reason") == reason
        assert crawled.stats["waits/ended"] == 1
        assert "which still waits, is given up" in crawled.log


def test_a_spider_says_why_it_ends(serve, crawl: Crawl) -> None:
    """CloseSpider of a spider_idle handler prevails, and the scheduler tells how many wait."""
    crawled = _crawl(serve, crawl, "ends-itself", EVOCRAWL_MAX_REQUESTS=3)
    crawled.check_settled()
    assert crawled.stats["finish_reason"] == "done well"
    assert [each["waiting"] for each in crawled.pages] == [1, 0]
    assert crawled.stats["scheduler/enqueued/memory"] == 2
