"""Spidermon runs as an extension beside the add-on, and its monitors pass."""

from __future__ import annotations

import pytest
from livecrawl import QUERY, ROOT, Crawl, page, site

pytest.importorskip("spidermon")


def test_monitors_of_spidermon_pass(serve, crawl: Crawl) -> None:
    """They get the finish reason, the items and the scheduler's stats of a stock crawl."""
    pages = {name: page(text=f"{QUERY} {name}") for name in ("/", "/first")}
    crawled = crawl(
        serve({"reef.test": site(pages)}),
        command=("crawl", "monitored"),
        cwd=ROOT / "examples" / "reefs",
        settings={"SPIDER_MODULES": "monitored", "ITEM_PIPELINES": {}},
    )
    crawled.check_settled()
    assert {each["url"] for each in crawled.pages} == {
        "http://reef.test/",
        "http://reef.test/first",
    }
    assert "4 monitors in" in crawled.log
    passed = [line for line in crawled.log.splitlines() if line.endswith("... OK")]
    assert len(passed) == 4, crawled.log
    assert "... FAIL" not in crawled.log
