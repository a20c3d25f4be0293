"""A live crawl ends by its stop rule, alone, continued, and as one of several workers."""

from __future__ import annotations

import signal
from pathlib import Path

import pytest
from livecrawl import QUERY, Crawl, page, site
from redisserver import RedisServer
from workers import Fleet, ManyHosts

RULE = "yield<20%"


def chain(pages: int = 300) -> dict[str, object]:
    """Return a chain of pages; the first forty are about the query, the others are not."""
    return {
        f"/{n or ''}": page(
            f"/{n + 1} next", text=f"{QUERY} of reef {n}. " * 3 if n < 40 else f"Trains of {n}."
        )
        for n in range(pages)
    }


@pytest.mark.takes_s(20)
def test_a_crawl_ends_by_its_rule_and_continues_without_it(
    serve, crawl: Crawl, tmp_path: Path
) -> None:
    """With its own stop reason in words.

    The same rule ends the next run at once, another does not.
    """
    proxy = serve({"reef.test": site(chain())})
    given = {"query": QUERY, "seeds": "http://reef.test/", "store": tmp_path / "s"}
    given |= {"max_requests": 250, "probe": "false"}
    settings = {"CONCURRENT_REQUESTS": 1}
    first = crawl(proxy, arguments={**given, "stop": RULE}, settings=settings)
    assert first.code == 0
    assert first.stat("stop_reason") == first.stats["finish_reason"] == "stopped_by_yield"
    assert 100 <= first.stat("requests") < 250
    assert first.stat("left/gain_low") <= first.stat("left/gain") < 200
    assert 0 < first.stat("left/recall_low") <= first.stat("left/recall_high") <= 1
    assert "The crawl has ended: by its stop rule, the next 1 000 requests would" in first.log
    assert "  left      the next 1 000 requests would bring " in first.log
    assert "# with another stop rule, or none" in first.log
    first.check_settled()
    again = crawl(proxy, arguments={**given, "stop": RULE}, settings=settings)
    assert again.stat("stop_reason") == "stopped_by_yield"
    assert again.stat("requests") == first.stat("requests")
    assert "has ended (stopped_by_yield); change stop to continue it" in again.log
    onward = crawl(proxy, arguments=given, settings=settings)
    assert onward.stat("stop_reason") == "budget"
    assert onward.stat("requests") == 250
    asked = [each.path for each in proxy.log if each.path != "/robots.txt"]
    assert len(set(asked)) == len(asked)


def test_a_bad_rule_is_one_line_with_exit_code_2(serve, crawl: Crawl) -> None:
    """It names the argument, its value and what is allowed."""
    proxy = serve({})
    refused = crawl(proxy, arguments={"query": QUERY, "stop": "yield>2%"})
    assert refused.code == 2
    assert proxy.log == []


@pytest.mark.takes_s(20)
def test_a_worker_that_its_rule_stops_leaves_the_crawl_to_the_others(serve, tmp_path: Path) -> None:
    """One of two workers has a rule; the other one crawls to the end."""
    server = RedisServer(tmp_path)
    server.start()
    web = ManyHosts(pages=1000, hosts=40)
    fleet = Fleet(serve(web.sites()), server, tmp_path)
    try:
        common = {"seeds": web.url(0), "max_requests": 0}
        fleet.start(1, {**common, "stop": "recall>1%"}, CONCURRENT_REQUESTS=8)
        fleet.start(1, common, CONCURRENT_REQUESTS=8)
        assert fleet.wait() == [0, 0]
        stats = [fleet.stats(number) for number in range(2)]
    finally:
        fleet.stop()
        server.stop(signal.SIGKILL)
    assert [each["evocrawl/stop_reason"] for each in stats] == ["stopped_by_recall", "exhausted"]
    assert sum(each["evocrawl/pages"] for each in stats) == web.pages
    assert all(each["evocrawl/visits/unsettled"] == 0 for each in stats)
