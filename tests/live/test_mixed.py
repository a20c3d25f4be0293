"""Several species in one live crawl."""

from __future__ import annotations

import random

import pytest
from livecrawl import QUERY, Crawl, page, site

SPECIES = "energy+infospiders+best_first"


def _web() -> dict[str, object]:
    """Return three hosts.

    A fifth of the pages are about the query, as half the links to them show.
    """
    draw = random.Random(9)
    words = ["stone", "apple", "road", "house", "river", "cloud"]
    web = {}
    for host in range(3):
        pages = {}
        for number in range(80):
            links = []
            for _ in range(6):
                target = draw.randrange(80)
                anchor = "coral bleaching" if target < 16 and draw.random() < 0.5 else "more"
                links.append(f"http://h{draw.randrange(3)}.test/{target} {anchor}")
            about = "coral bleaching " * 6 if number < 16 else ""
            pages[f"/{number}"] = page(*links, text=about + " ".join(draw.choices(words, k=30)))
        web[f"h{host}.test"] = site(pages)
    return web


@pytest.mark.takes_s(15)
def test_every_species_has_visits_and_everything_settles_in_the_same_order_twice(
    serve, crawl: Crawl
) -> None:
    """With one population, one budget and one seed."""
    orders = []
    for run in range(2):
        proxy = serve(_web())
        crawled = crawl(
            proxy,
            arguments={
                "query": QUERY,
                "seeds": "http://h0.test/1 http://h1.test/2 http://h2.test/3",
                "max_requests": 90,
                "species": SPECIES,
                "agents": 9,
                "seed": 4,
            },
            settings={
                "CONCURRENT_REQUESTS": 1,
                "EXTENSIONS": {"visitors.Visitors": 500},
            },
            hash_seed=run or None,
        )
        crawled.check_settled()
        assert crawled.stat("requests") == 90
        assert crawled.stat("population/largest") <= 60
        visits = {name: crawled.stat(f"test/visits/{name}") for name in SPECIES.split("+")}
        assert min(visits.values()) > 0
        assert sum(visits.values()) == crawled.stat("visits/opened")
        orders.append([(each.host, each.path) for each in proxy.log])
    assert orders[0] == orders[1]
