"""Delays do not depend on the wall clock."""

from __future__ import annotations

import asyncio
from pathlib import Path
from statistics import median

from livecrawl import QUERY
from running import start
from sendtimes import HANDLER, gaps_s
from statefiles import HOST, asked, tree

from evocrawl.simulation.server.proxy import LoopbackProxy, Request, Response, Site

ARGUMENTS = {"query": QUERY, "seeds": f"http://{HOST}/0", "max_requests": 0}


def test_a_clock_that_jumps_changes_no_delay(tmp_path: Path) -> None:
    """C9: the crawl neither stops nor hurries; robots.txt of the host is requested once."""
    settings = {
        "DOWNLOAD_DELAY": 0.1,
        "CONCURRENT_REQUESTS_PER_DOMAIN": 1,
        "RANDOMIZE_DOWNLOAD_DELAY": False,
        "DOWNLOAD_HANDLERS": HANDLER,
    }
    with LoopbackProxy({HOST: tree(15)}) as proxy:
        running = start(
            proxy, tmp_path / "run", arguments=ARGUMENTS, settings=settings, program="jumpy"
        )
        crawled = running.end()
    assert (crawled.code, crawled.stat("pages")) == (0, 15)
    assert asked(proxy.log).total() == 15
    assert proxy.requested(HOST).count("/robots.txt") == 1
    gaps = gaps_s(crawled.stats)
    assert len(gaps) == 14
    # Timers may fire a little early.
    assert min(gaps) > 0.08


def tiring(pages: int, quick: int) -> Site:
    """A tree that takes 0.3 seconds for each response after the first `quick`."""
    answer, given = tree(pages), iter(range(10_000))

    async def site(request: Request) -> Response:
        if next(given) >= quick:
            await asyncio.sleep(0.3)
        found = answer(request)
        assert isinstance(found, Response)
        return found

    return site


def test_the_delay_of_autothrottle_holds_for_the_population(tmp_path: Path) -> None:
    """B109: the server gets slower, and the population keeps the longer delay."""
    settings = {
        "AUTOTHROTTLE_ENABLED": True,
        "AUTOTHROTTLE_START_DELAY": 0.01,
        "AUTOTHROTTLE_MAX_DELAY": 2,
        "RANDOMIZE_DOWNLOAD_DELAY": False,
        "DOWNLOAD_HANDLERS": HANDLER,
    }
    with LoopbackProxy({HOST: tiring(30, 12)}) as proxy:
        crawled = start(proxy, tmp_path / "run", arguments=ARGUMENTS, settings=settings).end()
    assert (crawled.code, crawled.stat("pages")) == (0, 30)
    assert median(gaps_s(crawled.stats)[-8:]) > 0.2
