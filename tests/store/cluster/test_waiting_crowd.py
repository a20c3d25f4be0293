"""Workers without Scrapy on a real Redis, with a limit of requests: the best links come first."""

from __future__ import annotations

import asyncio

from crowd import Hand, Seen, crawl
from redisserver import RedisServer
from tiny_webs import Web

LIMIT = 200


def test_two_workers_spend_the_budget_on_the_best_links_of_both(server: RedisServer) -> None:
    """All good links are of one host, which gets a request each 50 ms.

    A worker without that host waits, and returns its part of the budget; if it did not, about half
    of the last 100 requests would go to the four hosts with poor links. Of the first 100 some do,
    until the number of the other worker has come. A worker may spend one portion of the budget at
    the end: it had taken it just before it began to wait, and the other worker had none left.
    """
    good = [(f"http://h0.test/{n}", "0.9") for n in range(1, LIMIT + 1)]
    poor = [(f"http://h{1 + n % 4}.test/{n}", "0.0") for n in range(LIMIT)]
    links = {"http://h0.test/0": [*good, *poor], **{url: [] for url, _ in (*good, *poor)}}
    seen = Seen(Web(links, {url: 0.9 for url, _ in good}))
    asyncio.run(crawl(lambda: Hand(server.url, seen, "evo", {}, limit=LIMIT, host_delay_s=0.05), 2))
    in_order = [*seen.asked]
    assert LIMIT - 2 <= len(in_order) <= LIMIT
    assert sum("//h0." not in url for url in in_order[LIMIT // 2 :]) <= 16
