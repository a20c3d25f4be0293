"""InfoSpiders in a real crawl: Scrapy and HTTP."""

from __future__ import annotations

from livecrawl import QUERY, Crawl, page, site


def _web() -> dict[str, object]:
    """Return pages about the query that link to each other, and as often to other pages."""
    reefs = {
        f"/reef{number}": page(
            f"/off{number} road map",
            *(f"/reef{(number + step) % 40} coral reef bleaching" for step in (1, 3, 11)),
            f"/off{number + 50} stone bridge",
            f"/off{number + 100} more roads",
            text="coral bleaching polyp polyp " * 5,
            title="Coral bleaching",
        )
        for number in range(40)
    }
    off = {f"/off{number}": page(f"/off{number + 1} more roads", text="road stone map " * 20)
           for number in range(200)}  # fmt: skip
    return {host: site({**reefs, **off}) for host in ("one.test", "two.test")}


def test_it_begins_with_one_agent_a_seed_and_prefers_links_about_the_query(
    serve, crawl: Crawl
) -> None:
    """All visits are settled within the budget; agents are born; most pages are about the query."""
    crawled = crawl(
        serve(_web()),
        arguments={
            "query": QUERY,
            "seeds": "http://one.test/reef0 http://two.test/reef0",
            "max_requests": 60,
            "species": "infospiders",
        },
    )
    crawled.check_settled()
    assert crawled.code == 0
    assert crawled.stat("agents/founders") == 2 < crawled.stat("agents/births")
    assert crawled.stat("requests") <= 60
    about = sum("/reef" in each["url"] for each in crawled.pages)
    assert about > 0.5 * len(crawled.pages) > 20


def test_one_request_at_a_time_repeats_exactly(serve, crawl: Crawl) -> None:
    """The same seed, the same pages in the same order."""
    orders = []
    for _ in range(2):
        proxy = serve(_web())
        crawled = crawl(
            proxy,
            arguments={
                "query": QUERY,
                "seeds": "http://one.test/reef0 http://two.test/reef0",
                "max_requests": 40,
                "species": "infospiders",
                "seed": 3,
                # The time of a fetch, and so its cost, differs from run to run.
                "latency_cost": 1e-9,
            },
            settings={"CONCURRENT_REQUESTS": 1},
        )
        crawled.check_settled()
        orders.append([(each.host, each.path) for each in proxy.log])
    assert orders[0] == orders[1]
