"""A callback that had not ended when the crawl stopped is called again with its page."""

from __future__ import annotations

import asyncio
import signal
import sqlite3
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from livecrawl import QUERY, ROOT, Crawl, Crawled, page, site

from evocrawl.simulation.server.proxy import Request, Response

FIRST, FED = "/first", [f"/fed/{number}" for number in range(1, 4)]


def _web(slow_s: float) -> dict[str, object]:
    """A site whose page "/first" takes `slow_s` seconds to answer the second request."""
    pages: dict[str, Any] = {path: page(text=f"{QUERY} {path}") for path in ("/", *FED)}
    asked = Counter[str]()

    async def first(request: Request) -> Response:
        asked[request.path] += 1
        if asked[FIRST] == 2:
            await asyncio.sleep(slow_s)
        return page(text=f"{QUERY} first")

    pages[FIRST] = first
    return {"reef.test": site(pages)}


@pytest.mark.parametrize(("by", "first_asked"), [(signal.SIGKILL, 3), (signal.SIGINT, 2)])
def test_a_page_is_fetched_again_if_its_callback_had_not_ended(
    serve: Any, crawl: Crawl, tmp_path: Path, by: signal.Signals, first_asked: int
) -> None:
    """The links that it had yielded are not sent again, the later ones are sent once.

    The second request for "/first" is under way when the crawl is killed; only it is repeated.
    """
    # By then the signal has come: only SIGKILL does not wait for the response.
    proxy = serve(_web(100 if by == signal.SIGKILL else 3))

    def run(**options: Any) -> Crawled:
        return crawl(
            proxy,
            command=("crawl", "waits-before-links"),
            arguments={"gate": tmp_path / "gate"},
            cwd=ROOT / "examples" / "reefs",
            settings={
                "SPIDER_MODULES": "waitspider",
                "ITEM_PIPELINES": {},
                "CONCURRENT_REQUESTS": 1,
                "ROBOTSTXT_OBEY": False,
                "EVOCRAWL_CLOSING_WAIT_S": 0.5,
                "JOBDIR": tmp_path / "job",
            },
            **options,
        )

    stopped = run(interrupt_at=3, by=by)
    assert stopped.code == (0 if by == signal.SIGINT else -by)
    database = sqlite3.connect(tmp_path / "job" / "evocrawl.sqlite")
    settled = database.execute("SELECT url FROM pages WHERE url = 'http://reef.test/'").fetchall()
    database.close()
    assert settled
    (tmp_path / "gate").touch()
    resumed = run()
    resumed.check_settled()
    assert "or whose callback had not ended, are repeated" in resumed.log
    assert {"ended": "http://reef.test/"} in resumed.pages
    asked = Counter(each.path for each in proxy.log)
    assert asked == {"/": 2, FIRST: first_asked, **dict.fromkeys(FED, 1)}
    again = run()
    assert again.stat("stop_reason") == "exhausted"
    assert Counter(each.path for each in proxy.log) == asked
